/*
 * EFFECT_NAMES: looks up the users and groups that a request names, on a worker thread, and passes
 * the message to the core again with the result. Results are not cached: such requests are rare,
 * and a cached result would reject a user who was just created.
 */
#pragma once

#include "armctld/ctld.h"

/* The maximum of requests that wait for a lookup; each may be as large as a message. */
enum { NAME_LOOKUPS = 64 };

/* Borrows e for the call. */
void name_lookup(struct ctld *c, const struct effect *e);

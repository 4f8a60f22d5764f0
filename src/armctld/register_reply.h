/*
 * The reply to a registration, with the credential of the order key, which a worker makes.
 */
#pragma once

#include "armctld/ctld.h"

/* Borrows e for the call. */
void register_reply(struct ctld *c, const struct effect *e);

/*
 * EFFECT_NAMES: users and groups that a request names are looked up on a worker thread, and the
 * message is given to the core again with what was found. Nothing is remembered: it is asked rarely,
 * and an answer of a while ago would keep out who was made a user just now.
 */
#pragma once

#include "armctld/ctld.h"

/* Borrows e for the call. */
void names_look_up(struct ctld *c, const struct effect *e);

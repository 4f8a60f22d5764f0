/* EFFECT_LIMITS: adds the bounds of connections and queues to those of the core, and answers. */
#pragma once

#include "armctld/ctld.h"

/* Borrows e for the call. O(users with connections). */
void limits_query(struct ctld *c, const struct effect *e);

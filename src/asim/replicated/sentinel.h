/* The sentinels, one beside each server. They name the primary, and replace one that most find down. */
#pragma once

#include "asim/replicated/server.h"

#include <hiredis.h>

void sentinels_init(struct world *w);
/* What the sentinel of this machine says about the primary. */
redisReply *sentinel_reply(struct world *w, int machine);
/* By an administrator: all sentinels name this server. */
void sentinels_set(struct world *w, int primary);
int sentinels_primary(const struct world *w);

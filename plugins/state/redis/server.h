/* What a server must be: its release, its configuration, and the durability of its disk. */
#pragma once

#include "conn.h"

/* Refuses what loses data; with durability = "relaxed" it logs that instead. */
int server_check(struct engine *e, redisContext *c, struct armada_error *err);
/* Does it hold all that it gets on disk? why: what is wrong. primary: it is asked as a primary. */
bool server_is_durable(struct engine *e, redisContext *c, bool primary, char why[128]);
/* Starts a rewrite of the AOF if it is large and none runs. True: one was started or runs. */
bool server_rewrite(struct engine *e, redisContext *c);

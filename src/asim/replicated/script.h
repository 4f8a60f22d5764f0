/*
 * Scripts of state/redis. Lua is not run: a script is known by what it writes. Which comparisons it makes is
 * read from its text, so a script that lacks one behaves as it would.
 */
#pragma once

#include "asim/replicated/conn.h"

redisReply *script_load_text(struct server *s, const char *text);
/* EVALSHA with its arguments. */
redisReply *script_run(struct world *w, struct server *s, const struct blob *args, size_t count,
		       size_t *ret_wrote);

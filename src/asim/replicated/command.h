/* Commands that a server executes. */
#pragma once

#include "asim/replicated/conn.h"

/* WAIT: the connection waits. */
struct command_wait {
	size_t replicas;
	int64_t ms;
};

/*
 * Executes a command. NULL: it is WAIT, and ret_wait says for what. ret_wrote: the offset behind what it has
 * written; unchanged if it has written nothing.
 */
redisReply *command_run(struct world *w, struct server *s, const struct sim_command *c,
			size_t *ret_wrote, struct command_wait *ret_wait);
/* Why a server refuses a write now; NULL: it does not. */
const char *command_refusal(struct world *w, const struct server *s);

/*
 * Connections of the plugin: the part of hiredis that it uses, to simulated servers and sentinels.
 *
 * Commands and replies are queues with the time at which each arrives. While machines are cut off from each
 * other, what was sent stays in the queue, as TCP repeats it.
 */
#pragma once

#include "asim/replicated/server.h"

#include <hiredis.h>

enum { COMMAND_ARGS = 1200 };

struct sim_command {
	size_t count;
	struct blob *args;
	int64_t due_us;
};

struct sim_reply {
	redisReply *reply; /* NULL: the connection ends */
	int64_t due_us;
};

struct conn;

struct conn *conn_of(int fd);
bool conn_readable(const struct conn *c);
void conns_init(struct world *w);
void conns_done(struct world *w);
/* The connections of a server end. unblock: those in WAIT get an error first, as from a change of role. */
void conns_drop(struct world *w, struct server *s, bool unblock);
/* A replica has acknowledged. */
void conns_check_waits(struct world *w, struct server *s);

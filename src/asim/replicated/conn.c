/*
 * Connections (conn.h). The functions that begin with redis are those of hiredis: the plugin uses the ones of
 * this program, because the program exports them.
 */
#include "asim/replicated/conn.h"
#include "asim/replicated/command.h"
#include "asim/replicated/controller.h"
#include "asim/replicated/reply.h"
#include "asim/replicated/sentinel.h"
#include "asim/replicated/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { FIRST_FD = 1 << 20, RETRY_US = 20 * MS };

struct conn {
	redisContext context; /* first: the plugin has a pointer to it */
	struct world *world;
	struct controller *controller;
	struct task *owner; /* that waits for it */
	int machine;        /* of the server or sentinel */
	bool sentinel, closed, broken;
	struct sim_command *out, *in; /* out: not sent yet */
	size_t out_count, out_cap, in_from, in_count, in_cap;
	struct sim_reply *replies;
	size_t reply_from, reply_count, reply_cap;
	int64_t in_due_us, reply_due_us;
	size_t wrote; /* the offset behind its last write */
	bool waits;   /* WAIT */
	struct command_wait wait;
	uint64_t wait_number;
	uint64_t drops; /* of the server when the connection was made */
};

struct conns {
	struct conn **list;
	size_t count, cap;
	int next_fd;
};

void conns_init(struct world *w)
{
	w->conns = xcalloc(1, sizeof(*w->conns));
	w->conns->next_fd = FIRST_FD;
}

static void forget_replies(struct conn *c)
{
	for (; c->reply_from < c->reply_count; c->reply_from++)
		freeReplyObject(c->replies[c->reply_from].reply);
}

void conns_done(struct world *w)
{
	for (size_t i = 0; i < w->conns->count; i++)
		forget_replies(w->conns->list[i]);
	free(w->conns->list);
	free(w->conns);
}

struct conn *conn_of(int fd)
{
	struct conns *all = fd >= FIRST_FD ? task_world(task_self())->conns : NULL;

	for (size_t i = 0; all && i < all->count; i++)
		if (all->list[i]->context.fd == fd)
			return all->list[i];
	return NULL;
}

static bool is_cut(const struct conn *c)
{
	return c->world->cut[SERVERS + c->controller->number][c->machine];
}

bool conn_readable(const struct conn *c)
{
	return c->reply_from < c->reply_count &&
	       c->replies[c->reply_from].due_us <= c->world->now_us && !is_cut(c);
}

static void take_replies(struct world *w, void *arg, uint64_t number)
{
	struct conn *c = arg;

	(void)number;
	if (c->closed || c->reply_from == c->reply_count)
		return;
	if (is_cut(c))
		world_plan(w, RETRY_US, take_replies, c, 0);
	else
		task_wake(c->owner);
}

static void send_reply(struct conn *c, redisReply *r)
{
	int64_t due_us = c->world->now_us + world_latency_us(c->world);

	if (c->closed) {
		freeReplyObject(r);
		return;
	}
	c->reply_due_us = due_us > c->reply_due_us ? due_us : c->reply_due_us + 1;
	c->replies = arena_grow(c->world->run, c->replies, &c->reply_cap, c->reply_count,
				sizeof(*c->replies));
	c->replies[c->reply_count++] = (struct sim_reply){r, c->reply_due_us};
	world_plan(c->world, c->reply_due_us - c->world->now_us, take_replies, c, 0);
}

static void take_commands(struct world *w, void *arg, uint64_t number);

static void end_wait(struct conn *c)
{
	struct server *s = &c->world->servers[c->machine];

	c->waits = false;
	c->wait_number++;
	send_reply(c, reply_number((int64_t)server_acked(s, c->wrote)));
	world_plan(c->world, 0, take_commands, c, 0);
}

static void end_of_wait(struct world *w, void *arg, uint64_t number)
{
	struct conn *c = arg;

	if (c->closed || c->broken || !c->waits || c->wait_number != number)
		return;
	if (w->servers[c->machine].paused)
		world_plan(w, RETRY_US, end_of_wait, c, number);
	else
		end_wait(c);
}

void conns_check_waits(struct world *w, struct server *s)
{
	for (size_t i = 0; i < w->conns->count; i++) {
		struct conn *c = w->conns->list[i];

		if (!c->sentinel && c->machine == s->number && c->waits && !c->broken &&
		    !s->paused && server_acked(s, c->wrote) >= c->wait.replicas)
			end_wait(c);
	}
}

static void execute(struct conn *c, const struct sim_command *cmd)
{
	struct world *w = c->world;
	struct server *s = &w->servers[c->machine];
	redisReply *r = c->sentinel ? sentinel_reply(w, c->machine)
				    : command_run(w, s, cmd, &c->wrote, &c->wait);

	if (r) {
		send_reply(c, r);
		return;
	}
	c->waits = true;
	if (server_acked(s, c->wrote) >= c->wait.replicas)
		end_wait(c);
	else
		world_plan(w, c->wait.ms * MS, end_of_wait, c, c->wait_number);
}

static void take_commands(struct world *w, void *arg, uint64_t number)
{
	struct conn *c = arg;

	(void)number;
	if (c->broken || c->in_from == c->in_count ||
	    (!c->sentinel && c->drops != w->servers[c->machine].drops))
		return;
	if (is_cut(c) || (!c->sentinel && !server_serves(w, &w->servers[c->machine]))) {
		world_plan(w, RETRY_US, take_commands, c, 0);
		return;
	}
	while (!c->waits && c->in_from < c->in_count && c->in[c->in_from].due_us <= w->now_us)
		execute(c, &c->in[c->in_from++]);
}

void conns_drop(struct world *w, struct server *s, bool unblock)
{
	s->drops++;
	for (size_t i = 0; i < w->conns->count; i++) {
		struct conn *c = w->conns->list[i];

		if (c->sentinel || c->machine != s->number || c->broken)
			continue;
		if (unblock && c->waits)
			send_reply(c,
				   reply_error("UNBLOCKED force unblock from blocking operation, "
					       "instance state changed (master -> replica?)"));
		c->broken = true;
		c->waits = false;
		send_reply(c, NULL);
	}
}

/* ---- what the plugin calls ---- */

static int refuse(redisContext *c, const char *text)
{
	c->err = REDIS_ERR_IO;
	snprintf(c->errstr, sizeof(c->errstr), "%s", text);
	return REDIS_ERR;
}

static struct conn *conn_new(struct world *w, const char *host, int port)
{
	struct conn *c = arena_zalloc(w->run, 1, sizeof(*c));

	c->world = w;
	c->owner = task_self();
	c->controller = task_controller(c->owner);
	c->sentinel = host[0] == 's';
	c->machine = host[1] - '0';
	c->context.fd = w->conns->next_fd++;
	c->context.tcp.host = arena_strdup(w->run, host);
	c->context.tcp.port = port;
	GROW(w->conns->list, w->conns->cap, w->conns->count + 1);
	w->conns->list[w->conns->count++] = c;
	return c;
}

EXPORT redisContext *redisConnectWithTimeout(const char *host, int port, const struct timeval tv)
{
	struct world *w = task_world(task_self());
	struct conn *c = conn_new(w, host, port);
	int64_t until_us = w->now_us + tv.tv_sec * SECOND + tv.tv_usec;

	while (is_cut(c) && w->now_us < until_us && !c->controller->ends)
		task_wait(w->now_us + RETRY_US < until_us ? w->now_us + RETRY_US : until_us);
	if (is_cut(c) || c->controller->ends) {
		refuse(&c->context, "Connection timed out");
		return &c->context;
	}
	until_us = w->now_us + 2 * world_latency_us(w);
	while (w->now_us < until_us && !c->controller->ends)
		task_wait(until_us);
	if (!c->sentinel && !w->servers[c->machine].alive)
		refuse(&c->context, "Connection refused");
	c->drops = c->sentinel ? 0 : w->servers[c->machine].drops;
	return &c->context;
}

EXPORT void redisFree(redisContext *context)
{
	struct conn *c = (struct conn *)context;
	struct conns *all = c->world->conns;

	c->closed = true;
	forget_replies(c);
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i] == c) {
			all->list[i] = all->list[--all->count];
			break;
		}
	/* what was sent before is executed nevertheless */
}

EXPORT int redisSetTimeout(redisContext *c, const struct timeval tv)
{
	(void)c;
	(void)tv;
	return REDIS_OK;
}

EXPORT int redisEnableKeepAlive(redisContext *c)
{
	(void)c;
	return REDIS_OK;
}

EXPORT int redisAppendCommandArgv(redisContext *context, int argc, const char **argv,
				  const size_t *len)
{
	struct conn *c = (struct conn *)context;
	struct arena *a = c->world->run;
	struct sim_command cmd = {.count = (size_t)argc,
				  .args = arena_alloc(a, sizeof(struct blob) * argc)};

	for (int i = 0; i < argc; i++) {
		char *data = arena_alloc(a, len[i] + 1);

		memcpy(data, argv[i], len[i]);
		data[len[i]] = '\0';
		cmd.args[i] = (struct blob){data, len[i]};
	}
	c->out = arena_grow(a, c->out, &c->out_cap, c->out_count, sizeof(*c->out));
	c->out[c->out_count++] = cmd;
	return REDIS_OK;
}

EXPORT int redisBufferWrite(redisContext *context, int *done)
{
	struct conn *c = (struct conn *)context;
	int64_t due_us = c->world->now_us + world_latency_us(c->world);

	c->owner = task_self();
	if (c->controller->ends || c->context.err)
		return refuse(context, "Broken pipe");
	c->in_due_us = due_us > c->in_due_us ? due_us : c->in_due_us;
	for (size_t i = 0; i < c->out_count; i++) {
		c->out[i].due_us = c->in_due_us;
		c->in = arena_grow(c->world->run, c->in, &c->in_cap, c->in_count, sizeof(*c->in));
		c->in[c->in_count++] = c->out[i];
	}
	if (c->out_count)
		world_plan(c->world, c->in_due_us - c->world->now_us, take_commands, c, 0);
	c->out_count = 0;
	*done = 1;
	return REDIS_OK;
}

EXPORT int redisGetReplyFromReader(redisContext *context, void **reply)
{
	struct conn *c = (struct conn *)context;

	*reply = NULL;
	c->owner = task_self();
	if (!conn_readable(c))
		return REDIS_OK;
	*reply = c->replies[c->reply_from].reply;
	if (!*reply)
		return refuse(context, "Server closed the connection");
	c->reply_from++;
	return REDIS_OK;
}

EXPORT int redisBufferRead(redisContext *context)
{
	struct conn *c = (struct conn *)context;

	if (c->controller->ends)
		return refuse(context, "Connection reset by peer");
	return REDIS_OK;
}

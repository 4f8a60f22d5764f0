/*
 * LIMITS: the rows of the shell (limits_query.h).
 *
 * Input: the effect with the packed rows of the core, and the counters of the net, the history, the
 * scheduler's thread and the lookups. Output: LIMITS_REPLY. Caveat: the net has users as uids; the
 * client looks up their names.
 */
#include "armctld/limits_query.h"

#include "armctld/accounting_queue.h"
#include "armctld/name_lookup.h"
#include "armctld/notify.h"
#include "core/view/limit_rows.h"
#include "util/clock.h"
#include "util/mem.h"

struct query {
	struct arena *arena;
	Armada__LimitsReply *reply;
	struct limit_viewer viewer;
	Armada__LimitUse *conns, *output, *commit; /* of users */
};

static Armada__LimitUse *add(struct query *q, const char *name, const char *scope,
			     const char *option, uint64_t bound)
{
	return limit_row(q->reply, q->arena, name, scope, option, (int64_t)bound);
}

static void add_used(struct query *q, const char *name, const char *option, uint64_t bound,
		     uint64_t used)
{
	limit_row_used(add(q, name, "all", option, bound), used);
}

static void on_user(void *arg, const struct net_user *u)
{
	struct query *q = arg;
	const struct limit_user conns = {NULL, u->uid, u->conns},
				output = {NULL, u->uid, u->output},
				commit = {NULL, u->uid, u->commit};

	limit_row_user(q->conns, q->arena, &q->viewer, &conns);
	limit_row_user(q->output, q->arena, &q->viewer, &output);
	limit_row_user(q->commit, q->arena, &q->viewer, &commit);
}

static void add_net(struct query *q, const struct net *net)
{
	const struct net_limits *l = net_limits(net);
	Armada__LimitUse *row;
	struct net_use use;

	net_use(net, &use);
	q->conns = add(q, "connections", "user", "limits.conns_per_uid", l->conns_per_uid);
	add_used(q, "connections", "limits.conns", l->conns, use.conns);
	add_used(q, "connections of nodes", "", l->agents, use.agents);
	add(q, "handshakes", "address", "limits.handshakes_per_address", l->handshakes_per_address);
	add_used(q, "handshakes", "limits.handshakes", l->handshakes, use.handshakes);
	row = add(q, "output", "connection", "limits.output_per_connection", l->output_soft);
	row->bytes = true;
	q->output = add(q, "output", "user", "limits.output_per_user", l->output_per_user);
	row = add(q, "output", "all", "limits.output_total", l->output_total);
	limit_row_used(row, use.output);
	q->commit = add(q, "records being written", "user", "limits.commit_per_user",
			l->commit_per_user);
	q->output->bytes = row->bytes = q->commit->bytes = true;
	add(q, "large requests", "user", "limits.large_requests_per_user", l->large_per_user);
	add_used(q, "large requests", "limits.large_requests", l->large_total, use.large);
	limit_row_used(q->conns, 0);
	limit_row_used(q->output, 0);
	limit_row_used(q->commit, 0);
	net_each_user(net, on_user, q);
}

/* The size of the history, and the days that it keeps. */
static void add_space(struct query *q, const struct ctld *c)
{
	const int64_t day_us = INT64_C(86400) * 1000000;
	struct armada_history_space space = {0};
	struct armada_error err;
	Armada__LimitUse *row;
	int64_t age_us;

	if (!c->state->history_space || c->state->history_space(c->state_handle, &space, &err) < 0)
		return;
	row = add(q, "history", "all", "history_size", space.bound_bytes);
	row->bytes = true;
	limit_row_used(row, space.used_bytes);
	row = add(q, "days of history", "all", "history_keep", (uint64_t)(space.keep_us / day_us));
	age_us = space.oldest_us ? clock_us(CLOCK_REALTIME) - space.oldest_us : 0;
	limit_row_used(row, age_us > 0 ? (uint64_t)(age_us / day_us) : 0);
}

static void add_queues(struct query *q, const struct ctld *c)
{
	struct history_backlog backlog;
	Armada__LimitUse *row;

	add_used(q, "history queries", "", HISTORY_QUESTIONS, history_waiting(c->history));
	add_used(q, "accounting queries", "", ACCOUNTING_QUERIES, history_accounting(c->history));
	add(q, "accounting queries", "user", "", ACCOUNTING_QUERIES_OF_USER);
	add_space(q, c);
	history_backlog(c->history, &backlog);
	row = add(q, "history backlog", "all", "limits.history_backlog",
		  (uint64_t)c->conf->limits.history_backlog);
	limit_row_used(row, backlog.bytes);
	row->bytes = true;
	add(q, "explanations", "user", "", EXPLAIN_QUEUE_OF_USER);
	add_used(q, "explanations", "", EXPLAIN_QUEUE_WAITING,
		 c->rounds ? rounds_explaining(c->rounds) : 0);
	add_used(q, "name lookups", "", NAME_LOOKUPS, c->lookup_count);
	limit_row_used(add(q, "ends to notify", "target", "notify", 0), notify_behind(c->notify));
	add(q, "log lines a minute", "peer", "limits.log_lines_per_minute",
	    (uint64_t)c->conf->limits.log_lines);
}

struct watch_rows {
	struct query *query;
	Armada__LimitUse *conns, *users;
};

static void on_watcher(void *arg, bool conn, const struct limit_user *u)
{
	struct watch_rows *r = arg;

	limit_row_user(conn ? r->conns : r->users, r->query->arena, &r->query->viewer, u);
}

static void add_watches(struct query *q, const struct ctld *c)
{
	const struct conf_limits *l = &c->conf->limits;
	struct watch_rows rows = {.query = q};
	struct watchers_use use;
	Armada__LimitUse *row;

	watchers_use(c->watchers, &use);
	rows.conns = add(q, "watched job sets", "connection", "limits.watches_per_connection",
			 (uint64_t)l->watches_per_conn);
	rows.users = add(q, "watched job sets", "user", "limits.watches_per_user",
			 (uint64_t)l->watches_per_user);
	limit_row_used(rows.conns, 0);
	limit_row_used(rows.users, 0);
	watchers_each(c->watchers, on_watcher, &rows);
	add_used(q, "watched job sets", "limits.watches", (uint64_t)l->watches, use.watches);
	row = add(q, "job events in memory", "all", "limits.event_memory",
		  (uint64_t)l->event_memory);
	limit_row_used(row, use.bytes);
	row->bytes = true;
}

void limits_query(struct ctld *c, const struct effect *e)
{
	struct query q = {
		.arena = arena_new(0),
		.viewer = {.all = e->viewer_admin, .uid = e->viewer_uid},
	};
	CLEANUP_BUF struct buf packed = {0};

	q.reply = msg_unpack_own(&armada__limits_reply__descriptor, e->body, e->len, q.arena);
	add_net(&q, sessions_net(c->sessions));
	add_queues(&q, c);
	add_watches(&q, c);
	msg_pack(q.reply, &packed);
	sessions_send(c->sessions, e->conn, MSG_LIMITS_REPLY, e->request, packed.data, packed.len);
	arena_free(q.arena);
}

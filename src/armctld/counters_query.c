/*
 * COUNTERS: the rows of the shell (counters_query.h).
 *
 * Input: the effect with the packed rows of the core; the counters. Output: COUNTERS_REPLY. A kind of
 * event has its row also while it is 0, so that a rate can be computed from its first event on; an
 * exit code has none.
 */
#include "armctld/counters_query.h"

#include "armctld/history.h"
#include "core/view/counter_rows.h"
#include "proto/job_event_table.h"
#include "util/mem.h"

enum { SECOND_US = 1000000 };

static void add_events(struct counter_rows *r, const struct counters *c)
{
	size_t count;
	const struct job_event_kind *kinds = job_event_kinds(&count);

	for (size_t i = 0; i < count; i++)
		if ((int)kinds[i].kind < COUNTERS_EVENTS)
			counter_row(r, COUNTER_JOB_EVENTS, kinds[i].name,
				    (double)c->events[kinds[i].kind]);
}

static void add_refusals(struct counter_rows *r, const struct counters *c)
{
	for (int i = 0; i < COUNTERS_CODES; i++)
		if (c->refused[i])
			counter_row(r, COUNTER_REFUSED, arena_printf(r->arena, "%d", i),
				    (double)c->refused[i]);
}

static void add_rounds(struct counter_rows *r, const struct counters *c)
{
	for (int i = 0; i < ROUND_ENDS; i++)
		counter_row(r, COUNTER_ROUNDS, round_end_name((enum round_end)i),
			    (double)c->rounds[i]);
	counter_row(r, COUNTER_DECISIONS, "", (double)c->decisions);
	counter_row_histogram(r, COUNTER_ROUND_TIMES, &c->round_times);
}

static void add_history(struct counter_rows *r, struct history *h)
{
	struct history_lag lag;

	history_lag(h, &lag);
	counter_row(r, COUNTER_HISTORY_LAG, "", (double)lag.records);
	counter_row(r, COUNTER_HISTORY_LAG_TIME, "", (double)lag.us / SECOND_US);
}

void counters_query(struct ctld *c, const struct effect *e)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__CountersReply *reply =
		msg_unpack_own(&armada__counters_reply__descriptor, e->body, e->len, arena);
	struct counter_rows rows = {arena, reply, reply->n_rows};
	CLEANUP_BUF struct buf packed = {0};
	struct histogram commits = {0};

	add_events(&rows, &c->counters);
	add_refusals(&rows, &c->counters);
	add_rounds(&rows, &c->counters);
	if (c->commit)
		commit_times(c->commit, &commits);
	counter_row_histogram(&rows, COUNTER_COMMIT_TIMES, &commits);
	add_history(&rows, c->history);
	counter_row(&rows, COUNTER_MEMORY, "", (double)c->memory.used);
	msg_pack(reply, &packed);
	sessions_send(c->sessions, e->conn, MSG_COUNTERS_REPLY, e->request, packed.data,
		      packed.len);
}

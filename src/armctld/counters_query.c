/*
 * COUNTERS: the rows of the shell (counters_query.h).
 *
 * Input: the effect with the packed rows of the core; the counters. Output: COUNTERS_REPLY. A kind of
 * event has its row also while it is 0, so that a rate can be computed from its first event on; an
 * exit code has none.
 */
#include "armctld/counters_query.h"

#include "proto/job_event_table.h"
#include "util/mem.h"

#include <string.h>

enum { ROWS_MOST = COUNTERS_EVENTS + COUNTERS_CODES + 16 };

struct query {
	struct arena *arena;
	Armada__CountersReply *reply;
};

static Armada__Counter *add(struct query *q, const char *name, const char *help, double amount)
{
	Armada__Counter *row = arena_alloc(q->arena, sizeof(*row));

	armada__counter__init(row);
	row->name = (char *)name;
	row->help = (char *)help;
	row->amount = amount;
	q->reply->rows[q->reply->n_rows++] = row;
	return row;
}

static void add_count(struct query *q, const char *name, const char *help, const char *label,
		      const char *value, uint64_t count)
{
	Armada__Counter *row = add(q, name, help, (double)count);

	row->is_count = true;
	row->label = (char *)label;
	row->value = (char *)value;
}

static void add_histogram(struct query *q, const char *name, const char *help,
			  const struct histogram *h)
{
	Armada__Counter *row = add(q, name, help, h->sum_s);

	row->n_bounds = HISTOGRAM_BOUNDS;
	row->bounds = arena_memdup(q->arena, histogram_bounds, sizeof(histogram_bounds));
	row->n_counts = HISTOGRAM_BOUNDS + 1;
	row->counts = arena_memdup(q->arena, h->counts, sizeof(h->counts));
}

static void add_events(struct query *q, const struct counters *c)
{
	static const char help[] =
		"Job events, as awatch shows them; one about several elements of an array counts once.";
	size_t count;
	const struct job_event_kind *kinds = job_event_kinds(&count);

	for (size_t i = 0; i < count; i++)
		if ((int)kinds[i].kind < COUNTERS_EVENTS)
			add_count(q, "job_events", help, "event", kinds[i].name,
				  c->events[kinds[i].kind]);
}

static void add_refusals(struct query *q, const struct counters *c)
{
	static const char help[] =
		"Requests that were refused, by the exit code of the command: 77 is a missing "
		"right, 75 try again.";

	for (int i = 0; i < COUNTERS_CODES; i++)
		if (c->refused[i])
			add_count(q, "requests_refused", help, "exit_code",
				  arena_printf(q->arena, "%d", i), c->refused[i]);
}

static void add_rounds(struct query *q, const struct counters *c)
{
	static const char *const names[ROUND_OUTCOMES] = {"done", "cut", "fault"};

	for (int i = 0; i < ROUND_OUTCOMES; i++)
		add_count(
			q, "rounds_ended",
			"Scheduling rounds: whole, cut short by max_round, or failed with a plugin.",
			"end", names[i], c->rounds[i]);
	add_count(q, "round_decisions", "Elements that rounds started or preempted.", "", "",
		  c->decisions);
	add_histogram(q, "round_seconds", "Times of scheduling rounds.", &c->round_times);
}

/* The rows of the core, with room for those that follow. */
static void take_rows(struct query *q, const struct effect *e)
{
	Armada__Counter **rows;

	q->reply = msg_unpack_own(&armada__counters_reply__descriptor, e->body, e->len, q->arena);
	rows = arena_alloc(q->arena, (q->reply->n_rows + ROWS_MOST) * sizeof(*rows));
	if (q->reply->n_rows)
		memcpy(rows, q->reply->rows, q->reply->n_rows * sizeof(*rows));
	q->reply->rows = rows;
}

void counters_query(struct ctld *c, const struct effect *e)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct query q = {.arena = arena};
	CLEANUP_BUF struct buf packed = {0};
	struct histogram commits = {0};

	take_rows(&q, e);
	add_events(&q, &c->counters);
	add_refusals(&q, &c->counters);
	add_rounds(&q, &c->counters);
	if (c->commit)
		commit_times(c->commit, &commits);
	add_histogram(&q, "commit_seconds",
		      "Times to write records durably, with their waits for space and for copies.",
		      &commits);
	add(&q, "memory_allocated_bytes",
	    "Memory that the controller uses, at its last look, each 10 s.",
	    (double)c->memory.used);
	msg_pack(q.reply, &packed);
	sessions_send(c->sessions, e->conn, MSG_COUNTERS_REPLY, e->request, packed.data,
		      packed.len);
}

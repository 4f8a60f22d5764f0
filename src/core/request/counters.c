/*
 * COUNTERS: since when the oldest job of each queue waits. The shell adds what it counts, and sends the
 * reply.
 *
 * Output: EFFECT_COUNTERS. Cost: O(queues) and a look at the OLDEST jobs with the lowest ids. A queue
 * whose jobs are all younger than these has no row; of what waits long there is one. The QUEUES_MOST
 * queues whose jobs wait longest have rows.
 */
#include "core/request/request.h"
#include "core/state/queue.h"
#include "core/txn/effects.h"

#include <uthash.h>

enum { OLDEST = 20000, QUEUES_MOST = 100, SECOND_US = 1000000 };

struct seen {
	const struct queue *queue;
	UT_hash_handle hh;
};

static void add_row(struct txn *txn, Armada__CountersReply *r, const struct job *j)
{
	static const char name[] = "queue_oldest_pending_seconds", label[] = "queue",
			  help[] =
				  "How long the oldest pending job of a queue has waited since its "
				  "submission; held jobs do not count.";
	Armada__Counter *row = arena_alloc(txn->arena, sizeof(*row));

	armada__counter__init(row);
	row->name = (char *)name;
	row->help = (char *)help;
	row->label = (char *)label;
	row->value = j->queue->name;
	row->amount = (double)(txn->now_us - j->submit_us) / SECOND_US;
	r->rows[r->n_rows++] = row;
}

static size_t queues_with_jobs(const struct state *state)
{
	size_t count = 0;

	for (const struct queue *q = state->queues; q; q = q->hh.next)
		count += q->waiting > 0;
	return count;
}

void req_counters(struct txn *txn, const Armada__CountersRequest *m)
{
	const struct state *state = txn->state;
	Armada__CountersReply r = ARMADA__COUNTERS_REPLY__INIT;
	struct seen *seen = NULL, *found;
	size_t left = queues_with_jobs(state);

	(void)m;
	if (left > QUEUES_MOST)
		left = QUEUES_MOST;
	r.rows = arena_alloc(txn->arena, (left + 1) * sizeof(*r.rows));
	for (size_t at = 0; at < state->job_slots && at < OLDEST && left; at++) {
		const struct job *j = state->jobs[at];

		if (!j || j->held || !j->waiting.total)
			continue;
		HASH_FIND_PTR(seen, &j->queue, found);
		if (found)
			continue;
		found = arena_alloc(txn->arena, sizeof(*found));
		found->queue = j->queue;
		HASH_ADD_PTR(seen, queue, found);
		add_row(txn, &r, j);
		left--;
	}
	HASH_CLEAR(hh, seen);
	effect_later_with(txn, EFFECT_COUNTERS, MSG_COUNTERS_REPLY, &r);
}

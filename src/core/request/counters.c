/*
 * COUNTERS: since when the oldest job of each queue waits, how the last round treated each queue, and
 * preemptions. The shell adds what it counts, and sends the reply.
 *
 * Output: EFFECT_COUNTERS. Cost: that of round_properties(), O(queues log queues), and a look at the OLDEST
 * jobs with the lowest ids. A queue whose jobs are all younger than these has no row; of what waits long
 * there is one. The OLDEST_QUEUES queues whose jobs wait longest have rows. Of the last round, the
 * FAIR_QUEUES queues that lack most have rows of their own, and the others have one together.
 */
#include "core/request/request.h"
#include "core/state/queue.h"
#include "core/txn/effects.h"
#include "core/view/counter_rows.h"
#include "core/view/round_properties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { OLDEST = 20000, OLDEST_QUEUES = 100, FAIR_QUEUES = 50, SECOND_US = 1000000 };

struct seen {
	const struct queue *queue;
	UT_hash_handle hh;
};

static size_t queues_with_jobs(const struct state *state)
{
	size_t count = 0;

	for (const struct queue *q = state->queues; q; q = q->hh.next)
		count += q->waiting > 0;
	return count;
}

static void add_oldest(struct txn *txn, struct counter_rows *r)
{
	const struct state *state = txn->state;
	struct seen *seen = NULL, *found;
	size_t left = queues_with_jobs(state);

	if (left > OLDEST_QUEUES)
		left = OLDEST_QUEUES;
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
		counter_row(r, COUNTER_QUEUE_OLDEST_PENDING, j->queue->name,
			    (double)(txn->now_us - j->submit_us) / SECOND_US);
		left--;
	}
	HASH_CLEAR(hh, seen);
}

struct treated {
	const char *queue;
	double lacks, envy, cost;
};

static int descending(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* The queues that lack most, then those that envy most, then those that use most. */
static int by_lack(const void *left, const void *right)
{
	const struct treated *a = left, *b = right;
	int rc = descending(a->lacks, b->lacks);

	rc = rc ? rc : descending(a->envy, b->envy);
	rc = rc ? rc : descending(a->cost, b->cost);
	return rc ? rc : strcmp(a->queue, b->queue);
}

static void add_fairness(struct txn *txn, struct counter_rows *r)
{
	struct noted_round *n = txn->live->last_round;
	const struct round_properties *p = n ? round_properties(n) : NULL;
	size_t count = n ? n->share_count : 0, shown = count < FAIR_QUEUES ? count : FAIR_QUEUES;
	struct treated *list = arena_zalloc(txn->arena, count + 1, sizeof(*list));
	double lacks = 0, envy = 0;

	for (size_t i = 0; i < count; i++)
		list[i] = (struct treated){n->shares[i].queue, p->queues[i].lacks,
					   p->queues[i].envy, n->shares[i].cost_after};
	qsort(list, count, sizeof(*list), by_lack);
	for (size_t i = shown; i < count; i++) {
		lacks += list[i].lacks;
		envy = fmax(envy, list[i].envy);
	}
	for (size_t i = 0; i < shown; i++)
		counter_row(r, COUNTER_QUEUE_SHARE_LACKING, list[i].queue, list[i].lacks);
	if (shown < count)
		counter_row(r, COUNTER_QUEUE_SHARE_LACKING, COUNTER_OTHER, lacks);
	for (size_t i = 0; i < shown; i++)
		counter_row(r, COUNTER_QUEUE_ENVY, list[i].queue, list[i].envy);
	if (shown < count)
		counter_row(r, COUNTER_QUEUE_ENVY, COUNTER_OTHER, envy);
}

/* The row of other queues is there also while it is 0, so that a rate can be computed from the first on. */
static void add_preemptions(const struct live *live, struct counter_rows *r)
{
	const struct preempted_work *w = &live->preempted_work;

	for (size_t i = 0; i < w->count; i++)
		counter_row(r, COUNTER_QUEUE_PREEMPTED, w->list[i].queue, w->list[i].cluster_s);
	counter_row(r, COUNTER_QUEUE_PREEMPTED, COUNTER_OTHER, w->others_s);
	counter_row(r, COUNTER_PREEMPTED, "fair-share", (double)live->for_shares);
	counter_row(r, COUNTER_PREEMPTED, "urgency", (double)live->for_urgency);
	counter_row(r, COUNTER_PREEMPTED, "scavenging", (double)live->scavengers);
	counter_row(r, COUNTER_PREEMPTED, "request", (double)live->by_request);
}

void req_counters(struct txn *txn, const Armada__CountersRequest *m)
{
	Armada__CountersReply reply = ARMADA__COUNTERS_REPLY__INIT;
	struct counter_rows rows = {.arena = txn->arena, .reply = &reply};

	(void)m;
	add_oldest(txn, &rows);
	add_fairness(txn, &rows);
	add_preemptions(txn->live, &rows);
	effect_later_with(txn, EFFECT_COUNTERS, MSG_COUNTERS_REPLY, &reply);
}

/*
 * Notes of shares for the history (shares.h has the rules).
 *
 * Input: the result of a scheduling round. Output: at most one shares_noted event, with the queues
 * whose values changed visibly since their last note. Queues are compared with the round's lists by
 * one walk: both are sorted by name.
 */
#include "core/lifecycle/shares.h"

#include "core/state/share_note.h"
#include "core/txn/emit.h"
#include "util/names.h"

#include <math.h>
#include <string.h>

/* Changes that a plot would show: 0.001 of the cluster for shares, 1 % of other numbers. */
#define SHARE_VISIBLE  0.001
#define NUMBER_VISIBLE 0.01

static bool share_moved(double was, double is)
{
	return fabs(is - was) > SHARE_VISIBLE;
}

static bool number_moved(double was, double is)
{
	return fabs(is - was) > NUMBER_VISIBLE * (1e-3 + fabs(was));
}

/* True if the sample differs from the last note of the queue. A weight of 0: it took no part. */
static bool is_news(const struct queue *q, const Armada__ShareSample *m, const char *fairness)
{
	const struct share_note *n = q->noted;

	if (!n)
		return m->weight > 0 || m->memory != 0;
	if (strcmp(n->fairness, fairness) != 0)
		return m->weight > 0 || m->memory != 0 || n->weight > 0;
	if (!(m->weight > 0))
		return n->weight > 0;
	return share_moved(n->cost, m->cost) || share_moved(n->fair, m->fair) ||
	       share_moved(n->capped, m->capped) || number_moved(n->weight, m->weight) ||
	       number_moved(n->memory, m->memory) || n->factor != m->factor;
}

struct notes {
	struct txn *txn;
	const struct sched_result *r;
	Armada__ShareSample **list;
	size_t count, share, remembered; /* positions in the round's lists, sorted by name */
};

static const struct sched_share *take_share(struct notes *n, const char *queue)
{
	while (n->share < n->r->share_count && strcmp(n->r->shares[n->share].queue, queue) < 0)
		n->share++;
	return n->share < n->r->share_count && !strcmp(n->r->shares[n->share].queue, queue)
		       ? &n->r->shares[n->share]
		       : NULL;
}

static const struct sched_remembered *take_remembered(struct notes *n, const char *queue)
{
	while (n->remembered < n->r->remembered_count &&
	       strcmp(n->r->remembered[n->remembered].queue, queue) < 0)
		n->remembered++;
	return n->remembered < n->r->remembered_count &&
			       !strcmp(n->r->remembered[n->remembered].queue, queue)
		       ? &n->r->remembered[n->remembered]
		       : NULL;
}

static void look_at(struct notes *n, const struct queue *q)
{
	const struct sched_share *s = take_share(n, q->name);
	const struct sched_remembered *v = s ? NULL : take_remembered(n, q->name);
	Armada__ShareSample *m = arena_alloc(n->txn->arena, sizeof(*m));

	armada__share_sample__init(m);
	m->time_us = n->txn->in->round_start_us;
	m->queue = q->name;
	m->factor = q->spec->priority_factor;
	if (s) {
		m->cost = s->cost;
		m->fair = s->fair;
		m->capped = s->capped;
		m->weight = s->weight;
		m->memory = s->memory;
	} else if (v) {
		m->memory = v->memory;
	}
	if ((s && s->unnoted) || (v && v->unnoted) || is_news(q, m, n->r->fairness))
		n->list[n->count++] = m;
}

static void find_news(struct notes *n)
{
	size_t all = HASH_COUNT(n->txn->state->queues), i = 0;
	const struct queue **list = arena_alloc(n->txn->arena, (all + 1) * sizeof(*list));

	for (const struct queue *q = n->txn->state->queues; q; q = q->hh.next)
		list[i++] = q;
	qsort(list, all, sizeof(*list), names_compare_indirect);
	n->list = arena_alloc(n->txn->arena, (all + 1) * sizeof(*n->list));
	for (i = 0; i < all; i++)
		look_at(n, list[i]);
}

static bool is_recent(const struct txn *txn, int64_t at_us)
{
	/* a clock that was set back must not delay the next note */
	return txn->clock_us >= at_us && txn->clock_us - at_us < txn->policy->share_interval_us;
}

static bool too_soon(const struct txn *txn)
{
	return is_recent(txn, txn->state->shares_noted_us) ||
	       is_recent(txn, txn->live->shares_looked_us);
}

void shares_round(struct txn *txn, const struct sched_result *r)
{
	struct notes n = {.txn = txn, .r = r};
	Armada__SharesNoted *m;
	Armada__Event *ev;

	if (r->fault || !r->fairness || !txn->policy->share_interval_us)
		return;
	if (too_soon(txn)) {
		txn->live->shares_due = true; /* costs one round, even if nothing is new */
		return;
	}
	txn->live->shares_due = false;
	txn->live->shares_looked_us = txn->clock_us;
	find_news(&n);
	if (!n.count)
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_SHARES_NOTED, &m);
	m->fairness = arena_strdup(txn->arena, r->fairness); /* the round may be freed first */
	m->queues = n.list;
	m->n_queues = n.count;
	emit_event(txn, ev);
}

/* While a job runs, the remembered use changes even without events. */
void shares_tick(struct txn *txn)
{
	if (txn->policy->share_interval_us && (txn->live->shares_due || txn->state->active) &&
	    !too_soon(txn))
		txn->wants_round = true;
}

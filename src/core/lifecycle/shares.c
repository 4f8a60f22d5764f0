/*
 * Notes of shares for the history (shares.h has the rules).
 *
 * Input: the result of a scheduling round, and the use of queues as the state integrated it. Output:
 * at most one shares_noted event, with the queues whose use since their last note differs from what
 * that note said, or whose other values changed visibly. Queues are compared with the round's lists by
 * one walk: both are sorted by name.
 */
#include "core/lifecycle/shares.h"

#include "core/state/share_note.h"
#include "core/txn/emit.h"
#include "core/view/up_nodes.h"
#include "util/names.h"

#include <math.h>
#include <string.h>

/* Changes that a plot would show: 0.001 of the cluster for shares, 1 % of other numbers. */
#define SHARE_VISIBLE  0.001
#define NUMBER_VISIBLE 0.01
/* The precision of doubles. A use above it is noted, however small it is. */
#define SHARE_EXACT 1e-9
/* Mean amounts are multiplied by this: half a gpu is no integer. */
enum { PARTS = 1000 };

static bool share_moved(double was, double is)
{
	return fabs(is - was) > SHARE_VISIBLE;
}

static bool number_moved(double was, double is)
{
	return fabs(is - was) > NUMBER_VISIBLE * (1e-3 + fabs(was));
}

/* True if the level of the last note no longer describes the use of the queue since then. */
static bool use_is_news(const struct queue *q, const Armada__ShareSample *m)
{
	double was = q->noted ? q->noted->level : 0;

	return q->before.until_us ||
	       (q->changed && (fabs(m->cost - was) > SHARE_EXACT * (was + m->cost) ||
			       fabs(m->level - was) > SHARE_EXACT * (was + m->level)));
}

/* True if the sample differs from the last note of the queue. A weight of 0: it took no part. */
static bool is_news(const struct queue *q, const Armada__ShareSample *m, const char *fairness)
{
	const struct share_note *n = q->noted;

	if (use_is_news(q, m))
		return true;
	if (!n)
		return m->weight > 0 || m->memory != 0;
	if (strcmp(n->fairness, fairness) != 0)
		return m->weight > 0 || m->memory != 0 || n->weight > 0;
	if (!(m->weight > 0))
		return n->weight > 0;
	return share_moved(n->level, m->level) || share_moved(n->fair, m->fair) ||
	       share_moved(n->capped, m->capped) || number_moved(n->weight, m->weight) ||
	       number_moved(n->memory, m->memory) || n->factor != m->factor ||
	       m->time_us - n->time_us >= SHARES_REFRESH_US;
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

static int64_t clamp(__int128 n)
{
	return n > INT64_MAX ? INT64_MAX : n < 0 ? 0 : (int64_t)n;
}

/* The cost of the mean of the sum, whose time is not 0. */
static double mean_cost(const struct sched_result *r, const struct use_sum *u)
{
	int64_t mean[SCHED_RESOURCES], len_us = u->until_us - u->from_us;

	for (size_t d = 0; d < SCHED_RESOURCES; d++)
		mean[d] = clamp(u->sum[d] / len_us * PARTS + u->sum[d] % len_us * PARTS / len_us);
	return r->cost(r->cost_of, mean) / PARTS;
}

/* The sample of the time until the restart; the other values are those of the last note. */
static Armada__ShareSample *look_before(struct notes *n, const struct queue *q)
{
	Armada__ShareSample *m = share_note_sample(q, n->txn->arena);

	if (!m) {
		m = arena_alloc(n->txn->arena, sizeof(*m));
		armada__share_sample__init(m);
		m->queue = q->name;
		m->factor = q->spec->priority_factor;
	}
	m->from_us = q->before.from_us;
	m->time_us = q->before.until_us;
	if (m->time_us > m->from_us)
		m->cost = mean_cost(n->r, &q->before);
	m->time_us += q->noted && q->noted->time_us >= m->time_us; /* a key of its own */
	m->unknown_after = true;
	return m;
}

static void measure(struct notes *n, const struct queue *q, Armada__ShareSample *m)
{
	struct use_sum u = queue_use_open(q, n->txn->now_us);

	m->time_us = u.until_us;
	m->from_us = u.from_us;
	m->level = n->r->cost(n->r->cost_of, q->held.amount);
	m->cost = m->time_us > m->from_us ? mean_cost(n->r, &u) : m->level;
}

static void look_at(struct notes *n, const struct queue *q)
{
	const struct sched_share *s = take_share(n, q->name);
	const struct sched_remembered *v = s ? NULL : take_remembered(n, q->name);
	Armada__ShareSample *m = arena_alloc(n->txn->arena, sizeof(*m));

	armada__share_sample__init(m);
	measure(n, q, m);
	m->round_us = n->txn->in->round_start_us;
	m->queue = q->name;
	m->factor = q->spec->priority_factor;
	if (s) {
		m->fair = s->fair;
		m->capped = s->capped;
		m->weight = s->weight;
		m->memory = s->memory;
	} else if (v) {
		m->memory = v->memory;
	}
	if (!(s && s->unnoted) && !(v && v->unnoted) && !is_news(q, m, n->r->fairness))
		return;
	if (q->before.until_us)
		n->list[n->count++] = look_before(n, q);
	n->list[n->count++] = m;
}

static void find_news(struct notes *n)
{
	size_t all = HASH_COUNT(n->txn->state->queues), i = 0;
	const struct queue **list = arena_alloc(n->txn->arena, (all + 1) * sizeof(*list));

	for (const struct queue *q = n->txn->state->queues; q; q = q->hh.next)
		list[i++] = q;
	qsort(list, all, sizeof(*list), names_compare_indirect);
	n->list = arena_alloc(n->txn->arena, (2 * all + 1) * sizeof(*n->list));
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

/* True for a time after a start, while a node that is up has not connected again. */
static bool is_starting(const struct txn *txn)
{
	int64_t since_us = txn->in->wall_us - txn->live->started_us;
	const struct up_nodes *up;

	if (since_us < 0 || since_us >= txn->policy->node_timeout_us)
		return false;
	up = up_nodes(txn);
	return up->linked < up->count;
}

/* True if jobs run and the last record, which tells a restart when the controller ran, is old. */
static bool log_is_silent(const struct txn *txn)
{
	return txn->state->active && !txn->event_count &&
	       txn->now_us - txn->state->last_wall_us >= txn->policy->share_interval_us;
}

static void note(struct txn *txn, const struct notes *n)
{
	Armada__SharesNoted *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_SHARES_NOTED, &m);

	m->fairness = arena_strdup(txn->arena, n->r->fairness); /* the round may be freed first */
	m->queues = n->list;
	m->n_queues = n->count;
	emit_event(txn, ev);
}

void shares_round(struct txn *txn, const struct sched_result *r)
{
	struct notes n = {.txn = txn, .r = r};

	if (r->fault || !r->fairness || !r->cost || !txn->policy->share_interval_us)
		return;
	if (too_soon(txn) || is_starting(txn)) {
		txn->live->shares_due = true; /* costs one round, even if nothing is new */
		return;
	}
	txn->live->shares_due = false;
	txn->live->shares_looked_us = txn->clock_us;
	find_news(&n);
	if (n.count || log_is_silent(txn))
		note(txn, &n);
}

/* While a job runs, the remembered use changes even without events. */
void shares_tick(struct txn *txn)
{
	if (txn->policy->share_interval_us && (txn->live->shares_due || txn->state->active) &&
	    !too_soon(txn) && !is_starting(txn))
		txn->wants_round = true;
}

#include "core/shares.h"
#include "core/fold_parts.h"
#include "core/request.h"
#include "util/mem.h"

#include <math.h>
#include <string.h>

/* What a plot would show of it: a thousandth of the whole, a hundredth of other numbers. */
#define SHARE_VISIBLE  0.001
#define NUMBER_VISIBLE 0.01

void share_note_free(struct share_note *n)
{
	free(n);
}

void share_note(struct core *c, struct queue *q, const Armada__ShareSample *m, const char *fairness)
{
	size_t len = strlen(fairness) + 1;
	struct share_note *n;

	if (m->time_us > c->shares_noted_us)
		c->shares_noted_us = m->time_us;
	if (!q)
		return;
	n = xcalloc(1, sizeof(*n) + len);
	n->time_us = m->time_us;
	n->cost = m->cost;
	n->fair = m->fair;
	n->capped = m->capped;
	n->weight = m->weight;
	n->memory = m->memory;
	n->factor = m->factor;
	memcpy(n->fairness, fairness, len);
	free(q->noted);
	q->noted = n;
}

Armada__ShareSample *share_note_sample(const struct queue *q, struct arena *a)
{
	const struct share_note *n = q->noted;
	Armada__ShareSample *m;

	if (!n)
		return NULL;
	m = arena_alloc(a, sizeof(*m));
	armada__share_sample__init(m);
	m->time_us = n->time_us;
	m->queue = q->name;
	m->cost = n->cost;
	m->fair = n->fair;
	m->capped = n->capped;
	m->weight = n->weight;
	m->memory = n->memory;
	m->factor = n->factor;
	return m;
}

const char *share_note_fairness(const struct queue *q)
{
	return q->noted ? q->noted->fairness : "";
}

int fold_shares_noted(struct core *c, const Armada__SharesNoted *m, struct err *err)
{
	struct armada_history_share *list =
		arena_alloc(c->arena, (m->n_queues + 1) * sizeof(*list));
	const char *fairness = arena_strdup(c->arena, m->fairness);
	struct effect *e;

	(void)err;
	for (size_t i = 0; i < m->n_queues; i++) {
		const Armada__ShareSample *s = m->queues[i];

		share_note(c, core_find_queue(c, s->queue), s, m->fairness);
		list[i] = (struct armada_history_share){
			.seq = c->record.seq,
			.time_us = s->time_us,
			.queue = arena_strdup(c->arena, s->queue),
			.fairness = fairness,
			.cost = s->cost,
			.fair = s->fair,
			.capped = s->capped,
			.weight = s->weight,
			.memory = s->memory,
			.factor = s->factor,
		};
	}
	e = effect_add(c, EFFECT_HISTORY);
	e->shares = list;
	e->share_count = m->n_queues;
	return 0;
}

static bool share_moved(double was, double is)
{
	return fabs(is - was) > SHARE_VISIBLE;
}

static bool number_moved(double was, double is)
{
	return fabs(is - was) > NUMBER_VISIBLE * (1e-3 + fabs(was));
}

/* Of a queue that took part (weight above 0) or did not. */
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
	struct core *core;
	const struct sched_result *r;
	Armada__ShareSample **list;
	size_t count, share, remembered; /* where the round's lists stand: both are by name */
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

static void look_at(struct notes *n, struct queue *q)
{
	const struct sched_share *s = take_share(n, q->name);
	const struct sched_remembered *v = s ? NULL : take_remembered(n, q->name);
	Armada__ShareSample *m = arena_alloc(n->core->arena, sizeof(*m));

	armada__share_sample__init(m);
	m->time_us = n->core->in->round_start_us;
	m->queue = q->name;
	m->factor = q->factor;
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

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct queue *const *)a)->name, (*(struct queue *const *)b)->name);
}

static void find_news(struct notes *n)
{
	size_t all = HASH_COUNT(n->core->queues), i = 0;
	struct queue **list = arena_alloc(n->core->arena, (all + 1) * sizeof(*list));

	for (struct queue *q = n->core->queues; q; q = q->hh.next)
		list[i++] = q;
	qsort(list, all, sizeof(*list), by_name);
	n->list = arena_alloc(n->core->arena, (all + 1) * sizeof(*n->list));
	for (i = 0; i < all; i++)
		look_at(n, list[i]);
}

static bool is_recent(const struct core *c, int64_t at_us)
{
	/* a clock that was put back must not keep us waiting */
	return c->now_us >= at_us && c->now_us - at_us < c->policy->share_interval_us;
}

static bool too_soon(const struct core *c)
{
	return is_recent(c, c->shares_noted_us) || is_recent(c, c->shares_looked_us);
}

void shares_round(struct core *c, const struct sched_result *r)
{
	struct notes n = {.core = c, .r = r};
	Armada__SharesNoted *m;
	Armada__Event *ev;

	if (r->fault || !r->fairness || !c->policy->share_interval_us)
		return;
	if (too_soon(c)) {
		c->shares_due = true; /* it costs one round to find that nothing is new */
		return;
	}
	c->shares_due = false;
	c->shares_looked_us = c->now_us;
	find_news(&n);
	if (!n.count)
		return;
	ev = event_make(c, ARMADA__EVENT__KIND_SHARES_NOTED, &m);
	m->fairness = arena_strdup(c->arena, r->fairness); /* the round may be gone first */
	m->queues = n.list;
	m->n_queues = n.count;
	emit(c, ev);
}

/* While something runs, what is remembered of it changes though nothing happens. */
void shares_tick(struct core *c)
{
	if (c->policy->share_interval_us && (c->shares_due || c->active) && !too_soon(c))
		c->wants_round = true;
}

void req_shares(struct core *c, const void *message)
{
	struct effect *e = effect_add(c, EFFECT_SHARES);
	struct buf packed CLEANUP_BUF = {0};

	msg_pack(message, &packed);
	e->conn = c->in->conn;
	e->request = c->in->request;
	e->type = MSG_SHARES;
	e->body = arena_memdup(c->arena, packed.data, packed.len);
	e->len = packed.len;
}

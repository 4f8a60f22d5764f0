/*
 * The use of queues, integrated over time by the folds (queue_use.h has the rules).
 *
 * Input: changes of what a queue holds, notes of shares, and epochs. Output: held and the sums of
 * struct queue. The time is that of the record, state->last_wall_us. Caveat: within a snapshot no
 * time passes, so tasks of a snapshot change held alone (queue_use_restore).
 */
#include "core/state/write.h"

#include "core/state/queue_use.h"

#include "conf/conf.h"
#include "core/state/share_note.h"
#include "core/state/state.h"

#include <string.h>

/* Adds the time until now_us, in which held did not change. */
static void sum_until(struct use_sum *u, const struct resources *held, int64_t now_us)
{
	if (now_us <= u->until_us)
		return;
	for (size_t r = 0; r < CORE_RESOURCES; r++)
		u->sum[r] += (__int128)held->amount[r] * (now_us - u->until_us);
	u->until_us = now_us;
}

static struct use_sum begin_at(int64_t now_us)
{
	return (struct use_sum){.from_us = now_us, .until_us = now_us};
}

struct use_sum queue_use_open(const struct queue *q, int64_t now_us)
{
	struct use_sum u = q->changed ? q->open : begin_at(now_us);

	sum_until(&u, &q->held, now_us);
	return u;
}

void queue_use_change(struct state *state, struct queue *q, const struct resources *each, int sign)
{
	if (!each)
		return;
	q->open = queue_use_open(q, state->last_wall_us);
	q->changed = true;
	resources_add(&q->held, each, sign);
}

void queue_use_restore(struct queue *q, const struct resources *each)
{
	if (each)
		resources_add(&q->held, each, 1);
}

void queue_use_noted(struct queue *q, int64_t now_us)
{
	q->changed = false;
	q->open = begin_at(now_us);
}

void queue_use_noted_before(struct queue *q)
{
	q->before = begin_at(0);
}

static bool holds_nothing(const struct queue *q)
{
	static const struct resources none;

	return memcmp(&q->held, &none, sizeof(none)) == 0;
}

/*
 * A queue that is not used, and whose note says so, needs no new sample: nothing can start while
 * there is no controller.
 */
void queue_use_epoch(struct queue *q, int64_t before_us, int64_t now_us)
{
	if (!q->changed && holds_nothing(q) && !(q->noted && q->noted->weight > 0))
		return;
	/* one from an earlier restart that is not noted yet is kept; the time since it is unknown */
	if (!q->before.until_us)
		q->before = queue_use_open(q, before_us);
	q->changed = true;
	q->open = begin_at(now_us);
}

/* --- snapshots ----------------------------------------------------------------------------- */

static void take_sum(struct use_sum *to, const Armada__SnapUse *m)
{
	if (!m)
		return;
	to->from_us = m->from_us;
	to->until_us = m->until_us;
	for (size_t i = 0; i < m->n_sums; i++) {
		int r = resource_index(m->sums[i]->name);

		if (r >= 0)
			to->sum[r] = (__int128)m->sums[i]->high << 64 | m->sums[i]->low;
	}
}

void queue_use_take(struct queue *q, const Armada__SnapQueue *m)
{
	q->changed = m->changed;
	take_sum(&q->open, m->open);
	take_sum(&q->before, m->before);
}

static Armada__SnapUse *give_sum(const struct use_sum *u, struct arena *a)
{
	Armada__SnapUse *m;

	if (!u->until_us)
		return NULL;
	m = arena_alloc(a, sizeof(*m));
	armada__snap_use__init(m);
	m->from_us = u->from_us;
	m->until_us = u->until_us;
	m->sums = arena_alloc(a, resource_count() * sizeof(*m->sums));
	for (size_t r = 0; r < resource_count(); r++) {
		if (!u->sum[r])
			continue;
		m->sums[m->n_sums] = arena_alloc(a, sizeof(**m->sums));
		armada__snap_sum__init(m->sums[m->n_sums]);
		m->sums[m->n_sums]->name = (char *)resource_name(r);
		m->sums[m->n_sums]->high = (int64_t)(u->sum[r] >> 64);
		m->sums[m->n_sums++]->low = (uint64_t)u->sum[r];
	}
	return m;
}

void queue_use_give(const struct queue *q, struct arena *a, Armada__SnapQueue *m)
{
	m->changed = q->changed;
	m->open = give_sum(&q->open, a);
	m->before = give_sum(&q->before, a);
}

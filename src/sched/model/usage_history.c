/*
 * The usage history that the fairness plugin keeps for each queue.
 *
 * A plugin with `lapse` computes how a number changes over a time in which nothing else changes. So
 * the number is brought up to date before a value changes that it depends on: the queue's
 * allocation, or the totals. A round reads the number as of its own time and stores nothing. So
 * neither the number of rounds nor a small disorder between rounds and reports has an effect.
 *
 * A number that is not finite would never become finite again, so it is replaced by 0.
 */

#include "sched/model/usage_history.h"
#include "sched/model/model.h"

#include <math.h>
#include <stdio.h>

static bool has_nothing(const struct model *m, const struct queue *q)
{
	for (size_t r = 0; r < m->dims; r++)
		if (q->allocated[r])
			return false;
	return true;
}

static double lapse(const struct model *m, const struct queue *q, double memory, int64_t from_us,
		    int64_t to_us)
{
	int64_t totals[SCHED_RESOURCES];
	struct armada_fairness_lapse in = {.totals = totals, .allocated = q->allocated};

	if (!m->policies.fairness->lapse || to_us <= from_us || (memory == 0 && has_nothing(m, q)))
		return memory;
	if (__builtin_sub_overflow(to_us, from_us, &in.us))
		in.us = INT64_MAX;
	for (size_t r = 0; r < m->dims; r++)
		totals[r] = m->nodes.capacity[r] > INT64_MAX ? INT64_MAX
			    : m->nodes.capacity[r] < 0       ? 0
							     : (int64_t)m->nodes.capacity[r];
	memory = m->policies.fairness->lapse(m->policies.fairness_handle, &in, memory);
	return isfinite(memory) ? memory : 0;
}

double usage_history_at(const struct model *m, const struct queue *q, int64_t at_us)
{
	return lapse(m, q, q->memory, q->lapsed_us, at_us);
}

void usage_history_lapse(struct model *m, struct queue *q)
{
	if (!m->policies.fairness->lapse || m->usage.now_us <= q->lapsed_us)
		return;
	q->memory = usage_history_at(m, q, m->usage.now_us);
	q->lapsed_us = m->usage.now_us;
}

void usage_history_lapse_all(struct model *m)
{
	for (size_t i = 0; m->policies.fairness->lapse && i < m->queues.count; i++)
		if (m->queues.list[i].name)
			usage_history_lapse(m, &m->queues.list[i]);
}

void usage_history_belongs(struct model *m, const struct plugin *fairness)
{
	snprintf(m->usage.remembers_by, sizeof(m->usage.remembers_by), "%s", fairness->desc->name);
}

void sched_now(struct sched *s, int64_t now_us)
{
	struct model *m = model_of(s);

	if (now_us < m->usage.now_us) {
		usage_history_lapse_all(m);
		for (size_t i = 0; i < m->queues.count; i++)
			if (m->queues.list[i].lapsed_us > now_us)
				m->queues.list[i].lapsed_us = now_us;
	}
	m->usage.now_us = now_us;
}

/* False if a restart would continue with the same number, within the precision of doubles. */
bool usage_history_unnoted(const struct model *m, const struct queue *q, int64_t at_us)
{
	double is = usage_history_at(m, q, at_us), was;

	if (!m->policies.fairness->lapse)
		return false;
	was = q->has_note ? lapse(m, q, q->noted, q->noted_us, at_us) : 0;
	return fabs(is - was) > 1e-9 + 1e-9 * fabs(is);
}

const char *sched_fairness(const struct sched *s)
{
	const struct model *m = model_of((struct sched *)s);

	return m->policies.fairness_plugin->desc->name;
}

bool sched_has_history(const struct sched *s)
{
	const struct model *m = model_of((struct sched *)s);

	return m->policies.fairness->lapse != NULL;
}

double sched_queue_history(const struct sched *s, const char *name, int64_t at_us)
{
	const struct model *m = model_of((struct sched *)s);
	uint32_t queue = queues_find(m, name);

	return queue == NIL ? 0 : usage_history_at(m, &m->queues.list[queue], at_us);
}

void sched_queue_restore_history(struct sched *s, const char *name, int64_t at_us, double memory)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);

	if (queue == NIL)
		return;
	m->queues.list[queue].memory = isfinite(memory) ? memory : 0;
	m->queues.list[queue].lapsed_us = at_us;
}

void sched_queue_history_noted(struct sched *s, const char *name, int64_t at_us, double memory)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);

	if (queue == NIL)
		return;
	m->queues.list[queue].noted = isfinite(memory) ? memory : 0;
	m->queues.list[queue].noted_us = at_us;
	m->queues.list[queue].has_note = true;
}

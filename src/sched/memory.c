/*
 * What the fairness plugin remembers of each queue's use.
 *
 * A plugin with `lapse` says what a time does to the number in which nothing changed. So the number is
 * brought up to now before whatever it depends on changes: the queue's allocation, or the whole. A
 * round looks at it as of its own time and keeps nothing, so that it does not matter how many rounds
 * there are, nor that they and what is told next may be a moment out of order.
 *
 * A number that did not come from a finite one, or is none, would stay for ever: it is taken for 0.
 */
#include "sched/memory.h"
#include "sched/parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static bool has_nothing(const struct sched *s, const struct queue *q)
{
	for (size_t r = 0; r < s->dims; r++)
		if (q->allocated[r])
			return false;
	return true;
}

static double lapse(const struct sched *s, const struct queue *q, double memory, int64_t from_us,
		    int64_t to_us)
{
	int64_t totals[SCHED_RESOURCES];
	struct armada_fairness_lapse in = {.totals = totals, .allocated = q->allocated};

	if (!s->fairness->lapse || to_us <= from_us || (memory == 0 && has_nothing(s, q)))
		return memory;
	if (__builtin_sub_overflow(to_us, from_us, &in.us))
		in.us = INT64_MAX;
	for (size_t r = 0; r < s->dims; r++)
		totals[r] = s->capacity[r] > INT64_MAX ? INT64_MAX
			    : s->capacity[r] < 0       ? 0
						       : (int64_t)s->capacity[r];
	memory = s->fairness->lapse(s->fairness_handle, &in, memory);
	return isfinite(memory) ? memory : 0;
}

double memory_at(const struct sched *s, const struct queue *q, int64_t at_us)
{
	return lapse(s, q, q->memory, q->lapsed_us, at_us);
}

void memory_lapse(struct sched *s, struct queue *q)
{
	if (!s->fairness->lapse || s->now_us <= q->lapsed_us)
		return;
	q->memory = memory_at(s, q, s->now_us);
	q->lapsed_us = s->now_us;
}

void memories_lapse(struct sched *s)
{
	for (size_t i = 0; s->fairness->lapse && i < s->queue_count; i++)
		if (s->queues[i].name)
			memory_lapse(s, &s->queues[i]);
}

void memory_belongs(struct sched *s, const struct plugin *fairness)
{
	snprintf(s->remembers_by, sizeof(s->remembers_by), "%s", fairness->desc->name);
}

void sched_now(struct sched *s, int64_t now_us)
{
	if (now_us < s->now_us) {
		memories_lapse(s);
		for (size_t i = 0; i < s->queue_count; i++)
			if (s->queues[i].lapsed_us > now_us)
				s->queues[i].lapsed_us = now_us;
	}
	s->now_us = now_us;
}

/* Up to what doubles can tell: a restart would begin with the same. */
bool memory_unnoted(const struct sched *s, const struct queue *q, int64_t at_us)
{
	double is = memory_at(s, q, at_us), was;

	if (!s->fairness->lapse)
		return false;
	was = q->has_note ? lapse(s, q, q->noted, q->noted_us, at_us) : 0;
	return fabs(is - was) > 1e-9 + 1e-9 * fabs(is);
}

const char *sched_fairness(const struct sched *s)
{
	return s->fairness_plugin->desc->name;
}

bool sched_remembers(const struct sched *s)
{
	return s->fairness->lapse != NULL;
}

double sched_queue_memory(const struct sched *s, const char *name, int64_t at_us)
{
	uint32_t queue = view_queue_find(s, name);

	return queue == NIL ? 0 : memory_at(s, &s->queues[queue], at_us);
}

void sched_queue_recall(struct sched *s, const char *name, int64_t at_us, double memory)
{
	uint32_t queue = view_queue_find(s, name);

	if (queue == NIL)
		return;
	s->queues[queue].memory = isfinite(memory) ? memory : 0;
	s->queues[queue].lapsed_us = at_us;
}

void sched_queue_noted(struct sched *s, const char *name, int64_t at_us, double memory)
{
	uint32_t queue = view_queue_find(s, name);

	if (queue == NIL)
		return;
	s->queues[queue].noted = isfinite(memory) ? memory : 0;
	s->queues[queue].noted_us = at_us;
	s->queues[queue].has_note = true;
}

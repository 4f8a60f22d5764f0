#include "sched/parts.h"
#include "util/mem.h"

#include <math.h>
#include <string.h>

static bool same_name(const void *arg, uint32_t queue, const void *what)
{
	return strcmp(((const struct sched *)arg)->queues[queue].name, what) == 0;
}

uint32_t view_queue_find(const struct sched *s, const char *name)
{
	return map_find(&s->queue_map, hash_text(name), same_name, s, name);
}

static uint32_t queue_new(struct sched *s, const char *name)
{
	uint32_t queue = s->queue_free;

	if (queue != NIL) {
		s->queue_free = s->queues[queue].free_next;
	} else {
		GROW(s->queues, s->queue_cap, s->queue_count + 1);
		queue = (uint32_t)s->queue_count++;
	}
	s->queues[queue] = (struct queue){.name = xstrdup(name)};
	s->queues[queue].demand =
		xcalloc(s->class_count * s->dims, sizeof(*s->queues[queue].demand));
	s->queues[queue].used = xcalloc(s->class_count * s->dims, sizeof(*s->queues[queue].used));
	s->queues[queue].tokens = s->limits.queue_rate.burst;
	s->queues[queue].lapsed_us = s->now_us;
	map_add(&s->queue_map, hash_text(name), queue);
	s->queues_changed = true;
	return queue;
}

void sched_queue_set(struct sched *s, const char *name, double factor, bool cordoned)
{
	uint32_t queue = view_queue_find(s, name);

	if (queue == NIL)
		queue = queue_new(s, name);
	s->queues[queue].present = true;
	s->queues[queue].factor = factor > 0 ? factor : 1;
	s->queues[queue].cordoned = cordoned;
}

static void drop_own(struct queue *q)
{
	for (size_t i = 0; i < q->own_count; i++)
		free((char *)q->own[i].class_name);
	free(q->own);
	free(q->own_of);
	q->own = NULL;
	q->own_of = NULL;
	q->own_count = 0;
}

void queue_done(struct queue *q)
{
	free(q->name);
	free(q->lanes);
	free(q->roster.list);
	free(q->demand);
	free(q->used);
	drop_own(q);
}

void queue_release(struct sched *s, uint32_t queue)
{
	struct queue *q = &s->queues[queue];

	if (q->present || q->jobs)
		return;
	map_remove(&s->queue_map, hash_text(q->name), queue);
	queue_done(q);
	*q = (struct queue){.free_next = s->queue_free};
	s->queue_free = queue;
	s->queues_changed = true;
}

/* With jobs in it, it stays until they are gone, and starts none of them. */
void sched_queue_remove(struct sched *s, const char *name)
{
	uint32_t queue = view_queue_find(s, name);

	if (queue == NIL)
		return;
	s->queues[queue].present = false;
	queue_release(s, queue);
}

void sched_queue_limit(struct sched *s, const char *name, const struct sched_fraction *limit)
{
	uint32_t queue = view_queue_find(s, name);

	if (queue != NIL)
		s->queues[queue].limit = *limit;
}

void queue_number_own(struct sched *s, struct queue *q)
{
	free(q->own_of);
	q->own_of = q->own_count ? xcalloc(s->class_count, sizeof(*q->own_of)) : NULL;
	for (size_t i = 0; i < q->own_count; i++)
		for (size_t c = 0; c < s->class_count; c++)
			if (strcmp(s->classes[c].name, q->own[i].class_name) == 0)
				q->own_of[c] = q->own[i].limit;
}

void sched_queue_class_limits(struct sched *s, const char *name,
			      const struct sched_class_limit *list, size_t count)
{
	uint32_t queue = view_queue_find(s, name);
	struct queue *q = queue == NIL ? NULL : &s->queues[queue];

	if (!q)
		return;
	drop_own(q);
	q->own = count ? xcalloc(count, sizeof(*q->own)) : NULL;
	for (size_t i = 0; i < count; i++) {
		q->own[i].class_name = xstrdup(list[i].class_name);
		q->own[i].limit = list[i].limit;
	}
	q->own_count = count;
	queue_number_own(s, q);
}

double queue_class_part(const struct sched *s, const struct queue *q, size_t class, size_t d,
			 bool *ret_own)
{
	const struct sched_fraction *f = &s->classes[class].limit;
	const struct sched_fraction *own = q->own_of ? &q->own_of[class] : NULL;
	double least = f->limited >> d & 1 ? f->of[d] : INFINITY;

	*ret_own = own && own->limited >> d & 1 && own->of[d] < least;
	return *ret_own ? own->of[d] : least;
}

double sched_queue_cost(const struct sched *s, const char *name)
{
	uint32_t queue = view_queue_find(s, name);

	if (queue == NIL || !s->filled)
		return 0;
	return s->fairness->cost(s->fairness_handle, s->queues[queue].allocated);
}

/*
 * Queues and their limits, as reported.
 *
 * Input: the calls of sched.h about queues. Output: the records in the table of queues. Caveat: the
 * record of a removed queue is kept until its jobs have ended; the queue starts no more jobs.
 */
#include "sched/model/queues.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <math.h>
#include <string.h>

static bool same_name(const void *arg, uint32_t queue, const void *what)
{
	return strcmp(((const struct model *)arg)->queues.list[queue].name, what) == 0;
}

uint32_t queues_find(const struct model *m, const char *name)
{
	return map_find(&m->queues.map, hash_text(name), same_name, m, name);
}

static uint32_t queue_new(struct model *m, const char *name)
{
	uint32_t queue = TABLE_PLACE(&m->queues, free_next);

	m->queues.list[queue] = (struct queue){.name = xstrdup(name)};
	m->queues.list[queue].demand =
		xcalloc(m->levels.class_count * m->dims, sizeof(*m->queues.list[queue].demand));
	m->queues.list[queue].used =
		xcalloc(m->levels.class_count * m->dims, sizeof(*m->queues.list[queue].used));
	m->queues.list[queue].tokens = m->limits.queue_rate.burst;
	m->queues.list[queue].lapsed_us = m->usage.now_us;
	map_add(&m->queues.map, hash_text(name), queue);
	m->queues.changed = true;
	return queue;
}

void sched_queue_set(struct sched *s, const char *name, double factor, bool cordoned)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);

	if (queue == NIL)
		queue = queue_new(m, name);
	m->queues.list[queue].present = true;
	m->queues.list[queue].factor = factor > 0 ? factor : 1;
	m->queues.list[queue].cordoned = cordoned;
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

void queues_done(struct queue *q)
{
	constraint_free(q->constraint);
	free(q->name);
	free(q->subqueues);
	head_list_done(&q->heads);
	free(q->heap);
	free(q->running_list.list);
	free(q->demand);
	free(q->used);
	drop_own(q);
}

void queues_release(struct model *m, uint32_t queue)
{
	struct queue *q = &m->queues.list[queue];

	if (q->present || q->jobs)
		return;
	map_remove(&m->queues.map, hash_text(q->name), queue);
	queues_done(q);
	*q = (struct queue){.free_next = m->queues.unused};
	m->queues.unused = queue;
	m->queues.changed = true;
}

/* A queue with jobs is kept until they have ended, and starts none of them. */
void sched_queue_remove(struct sched *s, const char *name)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);

	if (queue == NIL)
		return;
	m->queues.list[queue].present = false;
	queues_release(m, queue);
}

void sched_queue_limit(struct sched *s, const char *name, const struct sched_fraction *limit)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);

	if (queue != NIL)
		m->queues.list[queue].limit = *limit;
}

void queues_number_own(struct model *m, struct queue *q)
{
	free(q->own_of);
	q->own_of = q->own_count ? xcalloc(m->levels.class_count, sizeof(*q->own_of)) : NULL;
	for (size_t i = 0; i < q->own_count; i++)
		for (size_t c = 0; c < m->levels.class_count; c++)
			if (strcmp(m->levels.classes[c].name, q->own[i].class_name) == 0)
				q->own_of[c] = q->own[i].limit;
}

void sched_queue_class_limits(struct sched *s, const char *name,
			      const struct sched_class_limit *list, size_t count)
{
	struct model *m = model_of(s);
	uint32_t queue = queues_find(m, name);
	struct queue *q = queue == NIL ? NULL : &m->queues.list[queue];

	if (!q)
		return;
	drop_own(q);
	q->own = count ? xcalloc(count, sizeof(*q->own)) : NULL;
	for (size_t i = 0; i < count; i++) {
		q->own[i].class_name = xstrdup(list[i].class_name);
		q->own[i].limit = list[i].limit;
	}
	q->own_count = count;
	queues_number_own(m, q);
}

double queues_class_part(const struct model *m, const struct queue *q, size_t class, size_t d,
			 bool *ret_own)
{
	const struct sched_fraction *f = &m->levels.classes[class].limit;
	const struct sched_fraction *own = q->own_of ? &q->own_of[class] : NULL;
	double least = f->limited >> d & 1 ? f->of[d] : INFINITY;

	*ret_own = own && own->limited >> d & 1 && own->of[d] < least;
	return *ret_own ? own->of[d] : least;
}

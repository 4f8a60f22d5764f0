/*
 * Floating resources: their totals, their use, and the tasks that hold them (floating.h).
 *
 * Input: totals, reservations of queues, and tasks that begin and end. Output: the sums that the
 * check of a round needs (round/floating_limit.c), and the list of holders for its reason. The use
 * also counts in the allocation of the queue, for its cost and its limits.
 */
#include "sched/floating_total.h"
#include "sched/model/floating.h"
#include "sched/model/model.h"
#include "util/mem.h"

#include <string.h>

void sched_floating_set(struct sched *s, size_t resource, int64_t total, int64_t outside)
{
	struct model *m = model_of(s);

	if (resource >= m->dims)
		return;
	usage_history_lapse_all(m);
	m->nodes.capacity[resource] += total - m->floating.total[resource];
	m->floating.total[resource] = total;
	m->floating.outside[resource] = outside;
	m->changes++;
}

static void count(struct model *m, const struct task *t, const int64_t *amounts, int sign)
{
	const struct subqueue *l = &m->subqueues.list[t->subqueue];
	uint32_t class = m->shapes.list[l->shape].class;
	struct queue *q = &m->queues.list[l->queue];

	m->changes++;
	usage_history_lapse(m, q);
	for (size_t r = 0; r < m->dims; r++) {
		q->allocated[r] += sign * amounts[r];
		q->used[class * m->dims + r] += sign * amounts[r];
		m->floating.used[r] += sign * amounts[r];
	}
	users_spend(m, t->job, amounts, sign);
}

void floating_take(struct model *m, struct task *t)
{
	const int64_t *amounts = m->shapes.list[m->subqueues.list[t->subqueue].shape].licenses;
	struct floating *f = &m->floating;

	if (!amounts)
		return;
	t->licenses = xmemdup(amounts, m->dims * sizeof(*amounts));
	count(m, t, amounts, 1);
	GROW(f->holders, f->holder_cap, f->holder_count + 1);
	t->holder = (uint32_t)f->holder_count;
	f->holders[f->holder_count++] = (uint32_t)(t - m->tasks.list);
}

void floating_give(struct model *m, struct task *t)
{
	struct floating *f = &m->floating;
	uint32_t last;

	if (!t->licenses)
		return;
	count(m, t, t->licenses, -1);
	last = f->holders[--f->holder_count];
	f->holders[t->holder] = last;
	m->tasks.list[last].holder = t->holder;
	free(t->licenses);
	t->licenses = NULL;
}

void floating_give_part(struct model *m, struct task *t, const int64_t *amounts)
{
	if (!t->licenses || !amounts)
		return;
	count(m, t, amounts, -1);
	amounts_change(t->licenses, amounts, -1, m->dims);
}

static void free_reserved(struct floating *f)
{
	for (size_t i = 0; i < f->reserved_count; i++)
		free(f->reserved[i].queue);
	free(f->reserved);
	f->reserved = NULL;
	f->reserved_count = 0;
}

void floating_set_reserved(struct model *m, const struct sched_config *config)
{
	struct floating *f = &m->floating;

	free_reserved(f);
	f->reserved = xcalloc(config->limits.kept_count + 1, sizeof(*f->reserved));
	for (size_t i = 0; i < config->limits.kept_count; i++)
		f->reserved[f->reserved_count++] =
			(struct floating_kept){xstrdup(config->limits.kept[i].queue),
					       config->limits.kept[i].resource,
					       config->limits.kept[i].amount};
}

void floating_done(struct model *m)
{
	for (size_t i = 0; i < m->tasks.count; i++)
		free(m->tasks.list[i].licenses);
	free_reserved(&m->floating);
	free(m->floating.holders);
}

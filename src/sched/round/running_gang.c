/*
 * Running gangs: listed when a round begins, then evicted, put back, or removed from their nodes.
 *
 * Input: the running lists of the queues. Output: a record for each gang, and its use at the levels
 * of its nodes. There is a record for each running gang and for each gang that the round starts, if
 * tasks may be displaced and a job is ready. States: GANG_PLACED has its nodes; GANG_EVICTED counts
 * on level 0 of its nodes only, so gangs at higher levels see its room as free; GANG_OUT counts
 * nowhere.
 *
 * An evicted gang always finds its room again (running_gang_put_back), unless it was displaced: a
 * new gang takes only room that is really free, or that of gangs that it displaces at once.
 */
#include "sched/round/running_gang.h"
#include "sched/round/backfill.h"
#include "sched/round/limit_check.h"
#include "sched/round/queue_head.h"
#include "sched/round/victim_list.h"
#include "util/mem.h"

#include <string.h>

enum { AHEAD = 8 }; /* gangs ahead of the current one whose memory is prefetched */

/* What the gang holds of floating resources; NULL: nothing. */
static const int64_t *licenses(const struct model *m, const struct running_gang *a)
{
	/* few shapes have any, and the task is not in the cache */
	const int64_t *all = m->shapes.list[a->shape].licenses;

	return all && a->task != NIL ? m->tasks.list[a->task].licenses : all;
}

void running_gang_sum(const struct model *m, const struct running_gang *a, int64_t *ret_row)
{
	const int64_t *more = licenses(m, a);

	memset(ret_row, 0, m->dims * sizeof(*ret_row));
	if (more)
		amounts_change(ret_row, more, 1, m->dims);
	for (uint32_t i = 0; i < a->count; i++) {
		const int64_t *request = job_shape_request(m, job_shape_part_of(m, a->shape, i));

		for (size_t d = 0; running_gang_node(a, i) != NIL && d < m->dims; d++)
			ret_row[d] += request[d];
	}
}

void running_gang_account(struct round *r, const struct running_gang *a, int sign)
{
	struct model *m = r->m;
	const int64_t *more = licenses(m, a);

	if (more) {
		uint32_t class = m->shapes.list[a->shape].class;

		amounts_change(r->allocated + a->row * m->dims, more, sign, m->dims);
		amounts_change(r->used + (a->row * m->levels.class_count + class) * m->dims, more,
			       sign, m->dims);
	}
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t part = job_shape_part_of(m, a->shape, i),
			 class = m->shapes.list[part].class;
		const int64_t *request = job_shape_request(m, part);
		int64_t *used = r->used + (a->row * m->levels.class_count + class) * m->dims;

		for (size_t d = 0; running_gang_node(a, i) != NIL && d < m->dims; d++) {
			r->allocated[a->row * m->dims + d] += sign * request[d];
			used[d] += sign * request[d];
		}
	}
}

static void count_at_levels(struct model *m, const struct running_gang *a, int sign)
{
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t part = job_shape_part_of(m, a->shape, i);

		if (running_gang_node(a, i) != NIL)
			priority_level_use(m, running_gang_node(a, i), part,
					   job_shape_cutoff(m, a->shape, part), sign);
	}
}

void running_gang_count_at_levels(struct sched *s, const struct running_gang *a, int sign)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (running_gang_node(a, i) != NIL)
			node_backup_levels(s, running_gang_node(a, i));
	count_at_levels(&s->model, a, sign);
}

void running_gang_put_back(struct round *r, uint32_t gang)
{
	struct running_gang *a = &r->s->gangs.list[gang];

	count_at_levels(r->m, a, 1); /* the eviction has saved the nodes */
	a->state = GANG_PLACED;
	running_gang_account(r, a, 1);
	victim_list_put_back(r, gang);
}

uint32_t running_gang_members(const struct running_gang *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->count; i++)
		n += running_gang_node(a, i) != NIL;
	return n;
}

void running_gang_lose(struct round *r, uint32_t gang, const char *why)
{
	struct sched *s = r->s;
	struct running_gang *a = &s->gangs.list[gang];

	a->why = why;
	if (a->fresh)
		r->result->shares[a->row].started--;
	else
		r->result->shares[a->row].preempted++;
	if (!a->fresh && strcmp(why, "fair-share") == 0)
		limit_check_charge_preempted(r, running_gang_members(a));
	GROW(s->gangs.gone, s->gangs.gone_cap, r->gone_count + 1);
	s->gangs.gone[r->gone_count++] = gang;
}

static void mark_overfull(struct sched *s)
{
	struct model *m = &s->model;

	s->gangs.any_overfull = false;
	for (uint32_t n = 0; n < m->nodes.count; n++) {
		const int64_t *free = nodes_free(m, n);
		bool overfull = false;

		for (size_t d = 0; d < m->dims; d++)
			overfull = overfull || free[d] < 0;
		if (overfull != m->nodes.list[n].overfull)
			m->nodes.list[n].overfull = overfull;
		s->gangs.any_overfull = s->gangs.any_overfull || overfull;
	}
}

static bool anything_ready(struct round *r)
{
	for (size_t i = 0; i < r->view.count; i++)
		if (queue_head_any(r, (uint32_t)i))
			return true;
	return false;
}

/* A pinned task, or one without a remaining member, cannot be displaced. */
static bool takes_part(const struct task *t)
{
	const uint32_t *nodes = tasks_nodes(t);

	for (uint32_t i = 0; i < t->count && !t->pinned; i++)
		if (nodes[i] != NIL)
			return true;
	return false;
}

static void begin_row(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	const struct running_list *running_list = running_list_sorted(m, r->queue[row]);

	for (uint32_t i = 0; i < running_list->count; i++) {
		uint32_t task = running_list->list[i].task;
		const struct task *t = &m->tasks.list[task];

		if (i + AHEAD < running_list->count)
			__builtin_prefetch(&m->tasks.list[running_list->list[i + AHEAD].task]);
		if (!takes_part(t))
			continue;
		s->gangs.list[s->gangs.count++] =
			(struct running_gang){.job = t->job,
					      .element = t->element,
					      .shape = m->subqueues.list[t->subqueue].shape,
					      .task = task,
					      .row = row,
					      .count = t->count,
					      .one = t->one,
					      .many = t->many,
					      .start_us = t->start_us,
					      .preemptor = NIL,
					      .was = GANG_OUT};
	}
}

/*
 * By row, and within it in the order of the queue. If no job is ready, nothing can be displaced and
 * no list is made.
 */
void running_gang_begin(struct round *r)
{
	struct sched *s = r->s;
	struct model *m = r->m;

	s->gangs.count = 0;
	if (!m->levels.count || !anything_ready(r))
		return;
	mark_overfull(s);
	node_block_sort(m);
	GROW(s->gangs.list, s->gangs.cap, m->tasks.count + 1);
	s->victims.row_at = arena_alloc(r->arena, (r->view.count + 1) * sizeof(*s->victims.row_at));
	for (uint32_t row = 0; row < r->view.count; row++) {
		s->victims.row_at[row] = (uint32_t)s->gangs.count;
		begin_row(r, row);
	}
	s->gangs.running = (uint32_t)s->gangs.count;
	s->victims.row_at[r->view.count] = s->gangs.running;
	victim_list_begin(r);
}

void running_gang_add(struct round *r, uint32_t row, uint32_t subqueue, const uint32_t *nodes)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	const struct subqueue *l = &m->subqueues.list[subqueue];
	struct running_gang a = {.job = l->cursor,
				 .element = l->next,
				 .shape = l->shape,
				 .task = NIL,
				 .row = row,
				 .count = m->shapes.list[l->shape].members,
				 .one = nodes[0],
				 .many = nodes,
				 .decision = r->result->decision_count - 1,
				 .fresh = true,
				 .preemptor = NIL,
				 .was = GANG_OUT};

	r->result->shares[row].started++;
	running_gang_account(r, &a, 1);
	limit_check_charge(r, row, &a);
	if (!r->extras)
		backfill_started(r, &a, (uint32_t)s->gangs.count);
	if (!m->levels.count || r->extras) /* nobody displaces it any more in this round */
		return;
	GROW(s->gangs.list, s->gangs.cap, s->gangs.count + 1);
	s->gangs.list[s->gangs.count++] = a;
	victim_list_add(r, (uint32_t)s->gangs.count - 1);
}

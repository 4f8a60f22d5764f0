/*
 * Gives jobs another shape (job_reshape.h): a job that avoids nodes for a while, and the jobs of a queue
 * whose constraint changed.
 *
 * Input: a job, and what it demands now. Output: the job is in the subqueue of its new shape. The selectors
 * of a queue follow those of the job, so that they can be replaced.
 */
#include "sched/model/job_reshape.h"

#include "sched/model/model.h"
#include "sched/queue_constraint.h"
#include "util/mem.h"

#include <string.h>

void job_reshape_begin(const struct model *m, uint32_t job, struct reshape *ret)
{
	uint32_t shape = jobs_shape(m, job), n;
	const uint32_t *shapes = job_shape_parts(m, &shape, &n);

	*ret = (struct reshape){0};
	jobs_describe(m, job, &ret->as);
	ret->as.part_count = m->shapes.list[shape].part_count;
	if (!ret->as.part_count)
		return;
	ret->as.parts = ret->parts = xcalloc(n, sizeof(*ret->parts));
	for (uint32_t i = 0; i < n; i++)
		job_shape_describe(m, shapes[i], &ret->parts[i]);
}

void job_reshape_copy(const struct sched_job *job, struct reshape *ret)
{
	*ret = (struct reshape){.as = *job};
	if (!job->part_count)
		return;
	ret->as.parts = ret->parts = xcalloc(job->part_count, sizeof(*ret->parts));
	memcpy(ret->parts, job->parts, job->part_count * sizeof(*ret->parts));
}

static void select_for_queue(struct reshape *r, struct sched_job *j, const struct constraint *wants)
{
	size_t own = j->selector_count - j->of_queue, more = wants ? wants->selector_count : 0;
	struct sched_selector *list = xcalloc(own + more + 1, sizeof(*list));

	if (own)
		memcpy(list, j->selectors, own * sizeof(*list));
	if (more)
		memcpy(list + own, wants->selectors, more * sizeof(*list));
	j->selectors = list;
	j->selector_count = own + more;
	j->of_queue = more;
	r->lists = xreallocarray(r->lists, r->list_count + 1, sizeof(*r->lists));
	r->lists[r->list_count++] = list;
}

/* A job with parts has its selectors in the parts. */
void job_reshape_for_queue(struct reshape *r, const struct constraint *wants)
{
	for (size_t i = 0; i < r->as.part_count; i++)
		select_for_queue(r, &r->parts[i], wants);
	if (!r->as.part_count)
		select_for_queue(r, &r->as, wants);
}

void job_reshape_apply(struct model *m, uint32_t job, const struct reshape *r)
{
	uint32_t old = m->jobs.list[job].subqueue, subqueue;

	/* intern first: the description borrows from the old shape */
	subqueue = subqueue_intern(m, subqueue_like(m, job, job_shape_intern(m, &r->as)));
	if (subqueue == old)
		return;
	m->subqueues.list[subqueue].jobs++;
	jobs_count_demand(m, job, -1);
	if (m->jobs.list[job].ready)
		subqueue_remove(m, job);
	tasks_change_subqueue(m, job, subqueue);
	m->jobs.list[job].reason = 0;
	jobs_count_demand(m, job, 1);
	m->subqueues.list[old].jobs--;
	subqueue_release(m, old);
	jobs_settle(m, job);
	m->changes++;
}

void job_reshape_done(struct reshape *r)
{
	for (size_t i = 0; i < r->list_count; i++)
		free(r->lists[i]);
	free(r->lists);
	free(r->parts);
}

void sched_job_avoid(struct sched *s, uint64_t id, const char *const *nodes, size_t count)
{
	struct model *m = model_of(s);
	uint32_t job = jobs_with_id(m, id);
	struct reshape r;

	if (job == NIL)
		return;
	job_reshape_begin(m, job, &r);
	r.as.avoid = nodes;
	r.as.avoid_count = count;
	for (size_t i = 0; i < r.as.part_count; i++) {
		r.parts[i].avoid = nodes;
		r.parts[i].avoid_count = count;
	}
	job_reshape_apply(m, job, &r);
	job_reshape_done(&r);
}

static bool same_constraint(const struct constraint *a, const struct constraint *b)
{
	return a && b ? a->len == b->len && memcmp(a->text, b->text, a->len) == 0 : a == b;
}

void sched_queue_constraint(struct sched *s, const char *name,
			    const struct sched_selector *selectors, size_t count)
{
	const struct sched_job wants = {.selectors = selectors, .selector_count = count};
	struct model *m = model_of(s);
	struct constraint *now = constraint_new(&wants);
	uint32_t queue = queues_find(m, name);
	struct queue *q = &m->queues.list[queue];

	if (same_constraint(q->constraint, now)) {
		constraint_free(now);
		return;
	}
	constraint_free(q->constraint);
	q->constraint = now;
	for (uint32_t i = 0; i < m->jobs.count; i++) {
		const struct job *j = &m->jobs.list[i];
		struct reshape r;

		if (j->subqueue == NIL || m->subqueues.list[j->subqueue].queue != queue)
			continue;
		job_reshape_begin(m, i, &r);
		job_reshape_for_queue(&r, now);
		job_reshape_apply(m, i, &r);
		job_reshape_done(&r);
		if (j->is_member)
			gang_jobs_reshaped(m, j->member);
	}
}

/* A job that avoids nodes for a while gets another shape, and so another subqueue. */
#include "sched/model/model.h"
#include "util/mem.h"

/* Move the job to the subqueue of its new request. Its waiting elements stay. */
static void change_subqueue(struct model *m, uint32_t job, const struct sched_job *as)
{
	uint32_t old = m->jobs.list[job].subqueue, subqueue;

	/* intern first: the description borrows from the old shape */
	subqueue = subqueue_intern(m, subqueue_like(m, job, job_shape_intern(m, as)));
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

void sched_job_avoid(struct sched *s, uint64_t id, const char *const *nodes, size_t count)
{
	struct model *m = model_of(s);
	uint32_t job = jobs_with_id(m, id), shape, n;
	struct sched_job *parts CLEANUP_FREE = NULL;
	const uint32_t *shapes;
	struct sched_job as;

	if (job == NIL)
		return;
	jobs_describe(m, job, &as);
	as.avoid = nodes;
	as.avoid_count = count;
	shape = jobs_shape(m, job);
	as.part_count = m->shapes.list[shape].part_count;
	shapes = job_shape_parts(m, &shape, &n);
	parts = xcalloc(n, sizeof(*parts));
	for (uint32_t i = 0; i < as.part_count; i++) {
		job_shape_describe(m, shapes[i], &parts[i]);
		parts[i].avoid = nodes;
		parts[i].avoid_count = count;
	}
	as.parts = as.part_count ? parts : NULL;
	change_subqueue(m, job, &as);
}

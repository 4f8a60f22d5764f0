/* Makes the scheduler's description of a job from its JobSpec. */
#include "feed/describe.h"

#include "core/state/task_group.h"
#include "proto/group_minimum.h"
#include "proto/task_division.h"

#include <string.h>

static void shape_of(struct sched_feed *m, const Armada__JobSpec *s, struct sched_job *j)
{
	const Armada__TaskGroup *g = s->groups[0];
	struct task_division d = task_division_of(s);

	sched_feed_amounts(m, g->resources, g->n_resources, j->request);
	for (size_t r = 0; r < m->resource_count; r++)
		j->request[r] *= d.each;
	j->members = d.members;
	j->tasks_per_member = d.each;
	j->min_members = s->min_available ? (s->min_available + d.each - 1) / d.each : j->members;
	if (job_spec_is_elastic(s)) /* the others are jobs of their own (elastic.c) */
		j->members = j->min_members = s->min_available;
	j->distinct = s->nodes > 0;
	j->exclusive = job_spec_alone(s);
	j->exclusive_user = s->exclusive_user;
	j->scavenge = s->scavenge;
	j->uniformity = s->uniformity[0] ? s->uniformity : NULL;
}

static void take_parts(struct sched_job *whole, struct sched_job *parts, size_t count)
{
	whole->parts = parts;
	whole->part_count = count;
	whole->selector_count = whole->toleration_count = 0;
	whole->include_count = whole->exclude_count = 0;
}

/* Members with one task more become a part of their own, which is the first to get nodes. */
static void set_uneven(struct sched_feed *m, const Armada__JobSpec *s, struct sched_job *whole)
{
	struct task_division d = task_division_of(s);
	struct sched_job *parts;

	if (!d.larger)
		return;
	parts = arena_zalloc(m->arena, 2, sizeof(*parts));
	parts[0] = parts[1] = *whole;
	parts[0].uniformity = parts[1].uniformity = NULL;
	parts[0].members = d.larger;
	parts[1].members = d.members - d.larger;
	parts[0].min_members = parts[1].min_members = 0;
	for (size_t r = 0; r < m->resource_count; r++)
		parts[0].request[r] += whole->request[r] / d.each;
	whole->tasks_per_member = 1;
	take_parts(whole, parts, 2);
}

/* Each task group becomes one part of the job, in the order of the groups, with its minimum if it has one. */
static void set_parts(struct sched_feed *m, const Armada__JobSubmitted *sub,
		      struct sched_job *whole)
{
	const Armada__JobSpec *s = sub->spec;
	struct sched_job *parts = arena_zalloc(m->arena, s->n_groups, sizeof(*parts));
	size_t n = 0;

	whole->members = 0;
	for (; n < s->n_groups && group_together(s, n); n++) {
		describe_group(m, sub, n, whole->submit_us, &parts[n]);
		parts[n].uniformity = NULL;
		parts[n].members = group_together(s, n);
		parts[n].min_members = group_minimum_of(s, n);
		whole->members += parts[n].members;
	}
	whole->min_members = s->min_available ? s->min_available : whole->members;
	take_parts(whole, parts, n);
}

void describe_job(struct sched_feed *m, const Armada__JobSubmitted *sub, int64_t submit_us,
		  struct sched_job *ret)
{
	const Armada__JobSpec *s = sub->spec;
	struct sched_selector *sel = arena_alloc(m->arena, s->n_selectors * sizeof(*sel));
	struct sched_toleration *tol = arena_alloc(m->arena, s->n_tolerations * sizeof(*tol));

	*ret = (struct sched_job){
		.id = sub->id,
		.queue = s->queue,
		.user = sub->user && sub->user[0] ? sub->user : NULL,
		.account = s->account && s->account[0] ? s->account : NULL,
		.class_name = s->priority_class,
		.priority = s->priority,
		.submit_us = submit_us,
		.time_limit_us = s->time_limit_s > 0 ? s->time_limit_s * 1000000 : 0,
		.time_min_us = s->time_min_s * 1000000,
		.grace_us = s->grace_ms * 1000,
		.selectors = sel,
		.selector_count = s->n_selectors,
		.tolerations = tol,
		.toleration_count = s->n_tolerations,
		.include = (const char *const *)s->nodes_include,
		.include_count = s->n_nodes_include,
		.exclude = (const char *const *)s->nodes_exclude,
		.exclude_count = s->n_nodes_exclude,
		.throttle = s->array_throttle,
	};
	for (size_t i = 0; i < s->n_selectors; i++)
		sel[i] = (struct sched_selector){s->selectors[i]->key, s->selectors[i]->value,
						 s->selectors[i]->negate,
						 s->selectors[i]->alternative};
	for (size_t i = 0; i < s->n_tolerations; i++)
		tol[i] = (struct sched_toleration){s->tolerations[i]->key,
						   s->tolerations[i]->operator_,
						   s->tolerations[i]->value};
	shape_of(m, s, ret);
	floating_amounts(m, s->licenses, s->n_licenses, ret->licenses);
	if (s->n_groups > 1)
		set_parts(m, sub, ret);
	else
		set_uneven(m, s, ret);
}

const Armada__JobSubmitted *describe_again(struct sched_feed *m,
					   const Armada__JobSubmitted *changed, struct buf *packed)
{
	const Armada__JobSubmitted *old = msg_unpack_own(&armada__job_submitted__descriptor,
							 packed->data, packed->len, m->arena);
	Armada__JobSubmitted *sub = arena_memdup(m->arena, changed, sizeof(*changed));

	sub->user = old->user;
	buf_clear(packed);
	msg_pack(sub, packed);
	return sub;
}

void describe_group(struct sched_feed *m, const Armada__JobSubmitted *sub, size_t group,
		    int64_t submit_us, struct sched_job *ret)
{
	Armada__JobSubmitted view = *sub;

	view.spec = group_view(sub->spec, group, m->arena);
	describe_job(m, &view, submit_us, ret);
	memset(ret->licenses, 0, sizeof(ret->licenses)); /* the element has them */
}

#include "proto/task_division.h"

struct task_division task_division_of(const Armada__JobSpec *s)
{
	uint32_t tasks = s->groups[0]->replicas, each = s->tasks_per_node ? s->tasks_per_node : 1;

	if (s->nodes && !s->tasks_per_node && s->nodes <= tasks)
		return (struct task_division){s->nodes, tasks / s->nodes, tasks % s->nodes};
	return (struct task_division){tasks / each, each, 0};
}

bool job_spec_alone(const Armada__JobSpec *s)
{
	return s->exclusive || s->whole_memory;
}

bool job_spec_is_elastic(const Armada__JobSpec *s)
{
	uint64_t tasks = 0;

	for (size_t i = 0; i < s->n_groups; i++)
		tasks += s->groups[i]->replicas;
	return s->elastic == ARMADA__ELASTIC__ELASTIC_YES && s->min_available &&
	       s->min_available <= tasks;
}

uint32_t task_division_member(const struct task_division *d, uint32_t rank)
{
	uint32_t ranks = d->larger * (d->each + 1); /* of the larger members */

	return rank < ranks ? rank / (d->each + 1) : d->larger + (rank - ranks) / d->each;
}

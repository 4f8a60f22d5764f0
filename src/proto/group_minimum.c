#include "proto/group_minimum.h"

#include "proto/task_division.h"

bool group_minima(const Armada__JobSpec *spec)
{
	for (size_t i = 0; i < spec->n_groups; i++)
		if (spec->groups[i]->min_available)
			return true;
	return false;
}

static uint32_t own_minimum(const Armada__TaskGroup *g)
{
	return g->min_available ? g->min_available : g->replicas;
}

uint32_t group_minimum_of(const Armada__JobSpec *spec, size_t group)
{
	return group_minima(spec) ? own_minimum(spec->groups[group]) : 0;
}

uint64_t group_minima_sum(const Armada__JobSpec *spec)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < spec->n_groups; i++)
		sum += own_minimum(spec->groups[i]);
	return sum;
}

uint32_t group_together(const Armada__JobSpec *spec, size_t group)
{
	uint32_t all = spec->groups[group]->replicas, left = spec->min_available;

	if (!job_spec_is_elastic(spec))
		return all;
	if (group_minima(spec))
		return own_minimum(spec->groups[group]);
	for (size_t i = 0; i < group; i++)
		left -= spec->groups[i]->replicas < left ? spec->groups[i]->replicas : left;
	return all < left ? all : left;
}

#include "proto/failure_rule.h"

Armada__TaskFailure failure_rule_of(const Armada__JobSpec *spec, size_t group)
{
	const Armada__TaskGroup *g = spec->groups[group];

	return g->own_task_failure ? g->on_task_failure : spec->on_task_failure;
}

Armada__TaskFailure failure_rule_any(const Armada__JobSpec *spec)
{
	Armada__TaskFailure rule = ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB;

	for (size_t i = 0; !rule && i < spec->n_groups; i++)
		rule = failure_rule_of(spec, i);
	return rule;
}

/*
 * The rule of a job specification for failures of tasks (TaskFailure): a group of tasks has the rule of
 * the job, or one of its own.
 */
#pragma once

#include "proto/msg.h"

/* The rule for failures of tasks of the group. */
Armada__TaskFailure failure_rule_of(const Armada__JobSpec *spec, size_t group);
/* A rule of some group that is not fail_job: the job may outlive the failure of a task. fail_job: none. */
Armada__TaskFailure failure_rule_any(const Armada__JobSpec *spec);

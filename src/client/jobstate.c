#include "client/jobstate.h"

#include "util/mem.h"

#include <string.h>
#include <strings.h>

/* clang-format off */
static const struct job_state states[] = {
	{ARMADA__JOB_STATE__JOB_PENDING, "PENDING", "PD", false, "is pending: not started yet"},
	{ARMADA__JOB_STATE__JOB_CONFIGURING, "CONFIGURING", "CF", false, "its tasks are being started"},
	{ARMADA__JOB_STATE__JOB_RUNNING, "RUNNING", "R", false, "is running"},
	{ARMADA__JOB_STATE__JOB_SUSPENDED, "SUSPENDED", "S", false, "is running, but its processes are frozen"},
	{ARMADA__JOB_STATE__JOB_COMPLETING, "COMPLETING", "CG", false, "is being ended"},
	{ARMADA__JOB_STATE__JOB_UNKNOWN, "UNKNOWN", "UN", false, "its node does not answer"},
	{ARMADA__JOB_STATE__JOB_COMPLETED, "COMPLETED", "CD", true, "ended with exit code 0"},
	{ARMADA__JOB_STATE__JOB_FAILED, "FAILED", "F", true, "failed, or could not be started"},
	{ARMADA__JOB_STATE__JOB_CANCELLED, "CANCELLED", "CA", true, "was cancelled"},
	{ARMADA__JOB_STATE__JOB_TIMEOUT, "TIMEOUT", "TO", true, "reached its time limit"},
	{ARMADA__JOB_STATE__JOB_PREEMPTED, "PREEMPTED", "PR", true, "was preempted and may not run again"},
	{ARMADA__JOB_STATE__JOB_NODE_FAIL, "NODE_FAIL", "NF", true, "lost its node and may not run again"},
	{ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY, "OUT_OF_MEMORY", "OOM", true, "used more memory than it may"},
};
/* clang-format on */

static const struct job_state unknown = {ARMADA__JOB_STATE__JOB_STATE_UNSET, "?", "?", false,
					 "a state of a newer release"};

static const struct {
	Armada__NodeState state;
	const char *name;
} node_states[] = {
	{ARMADA__NODE_STATE__NODE_UP, "up"},
	{ARMADA__NODE_STATE__NODE_DRAINING, "draining"},
	{ARMADA__NODE_STATE__NODE_DRAINED, "drained"},
	{ARMADA__NODE_STATE__NODE_DOWN, "down"},
	{ARMADA__NODE_STATE__NODE_UNKNOWN, "unknown"},
};

const struct job_state *job_state(Armada__JobState state)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (states[i].state == state)
			return &states[i];
	}
	return &unknown;
}

const struct job_state *job_state_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (!strcasecmp(name, states[i].name) || !strcasecmp(name, states[i].code))
			return &states[i];
	}
	return NULL;
}

const struct job_state *job_states(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(states);
	return states;
}

const char *node_state_name(Armada__NodeState state)
{
	for (size_t i = 0; i < ARRAY_SIZE(node_states); i++) {
		if (node_states[i].state == state)
			return node_states[i].name;
	}
	return "?";
}

bool node_state_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(node_states); i++) {
		if (!strcasecmp(name, node_states[i].name))
			return true;
	}
	return false;
}

int job_exit_code(const Armada__WaitJobReply *end)
{
	int of_signal = end->exit_signal ? 128 + end->exit_signal : 0;
	int highest = end->exit_code > of_signal ? end->exit_code : of_signal;

	if (highest)
		return highest;
	return end->state == ARMADA__JOB_STATE__JOB_COMPLETED ? 0 : 1;
}

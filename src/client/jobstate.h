/*
 * The states of jobs by their names: Slurm's words and two-letter codes.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

struct job_state {
	Armada__JobState state;
	const char *name; /* "PENDING" */
	const char *code; /* "PD" */
	bool ended;
	const char *help;
};

/* Never NULL: a state that this release does not know has a row of its own. */
const struct job_state *job_state(Armada__JobState state);
/* By name or code, any case; NULL for none. */
const struct job_state *job_state_named(const char *name);
/* Every row, for documentation and tests. */
const struct job_state *job_states(size_t *ret_count);
/* "drained" and the like, for a node. */
const char *node_state_name(Armada__NodeState state);
/* Is it the name of a node's state, in any case? */
bool node_state_known(const char *name);
/* The job's own exit code: 128+n for a signal, 1 for an end that is neither. */
int job_exit_code(const Armada__WaitJobReply *end);

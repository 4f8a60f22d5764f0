/*
 * The states of jobs and nodes by name. States of jobs have the names and short codes of Slurm.
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

/* Never NULL: a state of a newer release has a row of its own. */
const struct job_state *job_state(Armada__JobState state);
/* By name or code, any case; NULL for none. */
const struct job_state *job_state_named(const char *name);
/* Every row, for documentation and tests. */
const struct job_state *job_states(size_t *ret_count);
/* The name of the state of a node, such as "drained". */
const char *node_state_name(Armada__NodeState state);
/* Whether it is the name of a state of nodes, in any case. */
bool node_state_known(const char *name);
/*
 * The exit code of a job: 128+n for a signal; 1 if it ended without an exit code or signal, except
 * COMPLETED.
 */
int job_exit_code(const Armada__WaitJobReply *end);

/*
 * The command line of arun. arun-agent, which MPI launchers call instead of ssh, fills one of its own:
 * it is a step in one task.
 */
#pragma once

#include "cmd/common/command.h"
#include "cmd/common/deferred_options.h"

/* What the command line says, beside the options of the job. */
struct arun {
	const struct command *self;
	bool label, pty, quiet, verbose, kill_on_bad_exit, overcommit, cyclic;
	const char *input, *output, *error;
	const char *job;   /* --job: a step in this one */
	const char *ranks; /* --ranks: in these tasks of it */
	int64_t retry_ms;
	struct deferred_options line;
};

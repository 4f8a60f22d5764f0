/*
 * The command line of arun. arun-agent, which MPI launchers call instead of ssh, fills in the same
 * struct: it runs a step in one task.
 */
#pragma once

#include "cmd/common/command.h"
#include "cmd/common/deferred_options.h"

/* The options of arun itself, and the stored options of the job. */
struct arun {
	const struct command *self; /* for messages */
	bool label, pty, quiet, verbose, kill_on_bad_exit, overcommit, cyclic;
	const char *input, *output, *error;
	const char *job;   /* --job: run a step in this job */
	const char *ranks; /* --ranks: only in these tasks of it */
	const char *holds; /* aalloc: the job holds resources for this command; NULL: another one */
	const char *mpi;   /* --mpi; NULL: auto */
	const char *mpi_plugin; /* what mpi.c chose; NULL: none */
	char mpi_step[32];      /* names the step for the plugin */
	int64_t retry_ms;
	struct deferred_options line;
};

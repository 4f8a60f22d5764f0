/*
 * The files that replace standard input, output and error of arun.
 */
#pragma once

#include "cmd/arun/arun.h"
#include "cmd/arun/relay.h"

/* Source of the input of the tasks, and destination of their output. */
struct arun_files {
	enum run_input input;
	uint32_t input_rank;
	int out_fd, err_fd;
};

/* Opens the files of --input, --output and --error. A file of --input replaces standard input. */
int arun_open_files(const struct arun *a, struct arun_files *ret_files, struct err *err);
/* Makes the plan of the relay from the command line; the caller adds the tasks and the job. */
struct run_plan arun_plan(const struct arun *a, const struct arun_files *f,
			  const struct listeners *l, const uint8_t *key);
/* Refuses a rank of --input that is not below the number of tasks. */
int arun_check_input(const struct arun_files *f, uint32_t tasks, struct err *err);

/*
 * Files of the command line that take the place of standard input and output.
 */
#pragma once

#include "cmd/arun/arun.h"
#include "cmd/arun/relay.h"

/* Where the command's input comes from and its output goes. */
struct arun_files {
	enum run_input input;
	uint32_t input_rank;
	int out_fd, err_fd;
};

/* Opens what --input, --output and --error name; a file takes the place of standard input. */
int arun_open_files(const struct arun *a, struct arun_files *ret_files, struct err *err);
/* What the command line says of the relay; the caller adds the tasks and the job. */
struct run_plan arun_plan(const struct arun *a, const struct arun_files *f,
			  const struct listeners *l, const uint8_t *key);
/* Of so many tasks, is there one to have the input? */
int arun_check_input(const struct arun_files *f, uint32_t tasks, struct err *err);

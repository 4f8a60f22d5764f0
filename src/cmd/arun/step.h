/*
 * A step: a command that is run in the tasks of a running job.
 */
#pragma once

#include "cmd/arun/arun.h"

/*
 * Runs a step in the job that arun is in, or in that of --job. Returns the exit code or a negative
 * errno.
 */
int arun_step(struct arun *a, struct connection *c, struct err *err);
/* Runs a step in one task of the job that arun is in; with groups, rank is that in the own group. */
int arun_in_task(struct arun *a, struct connection *c, uint32_t rank, const char *const *argv,
		 size_t argc, struct err *err);
bool arun_is_in_job(void);

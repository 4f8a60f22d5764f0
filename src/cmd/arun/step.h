/*
 * A step: something more that is run in the tasks of a job that runs.
 */
#pragma once

#include "cmd/arun/arun.h"

/* In the job that we are in, or the one of --job. */
int arun_step(struct arun *a, struct connection *c, struct err *err);
/* In one task of the job that we are in. */
int arun_in_task(struct arun *a, struct connection *c, uint32_t rank, const char *const *argv,
		 size_t argc, struct err *err);
bool arun_is_in_job(void);

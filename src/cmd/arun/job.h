/*
 * arun outside a job.
 */
#pragma once

#include "cmd/arun/arun.h"

/*
 * Submits a job that runs the command, and stays attached to it. Returns the exit code or a
 * negative errno.
 */
int arun_job(struct arun *a, struct connection *c, struct err *err);

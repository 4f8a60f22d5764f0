/*
 * A command that is run in a job of its own.
 */
#pragma once

#include "cmd/arun/arun.h"

/* Run the command in a job of its own; the exit code, or a negative errno. */
int arun_job(struct arun *a, struct connection *c, struct err *err);

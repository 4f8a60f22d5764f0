/*
 * Submits a finished specification, and waits for the end of the job if --wait is given.
 */
#pragma once

#include "cmd/asubmit.h"

/*
 * Submits the job, with retries; prints the id; waits for the end with --wait. Returns the exit
 * code of the command or a negative errno.
 */
int asubmit_send(const struct request *r, struct connection *c, struct spec *s, struct err *err);

/*
 * Submits finished specifications, and waits for the ends of the jobs if --wait is given.
 */
#pragma once

#include "client/joblist.h"
#include "cmd/asubmit.h"

/*
 * Submits the jobs, all or none, with retries; prints the ids in the order of the list; waits for the ends
 * with --wait. The order of submission must be known. Returns the exit code of the command, with --wait
 * the highest of the jobs, or a negative errno.
 */
int asubmit_send(const struct request *r, struct connection *c, const struct joblist *l,
		 struct err *err);

/*
 * aqueue --steps: the steps of running jobs.
 */
#pragma once

#include "cmd/listing/job_options.h"

/* Refuses options that --steps does not use; before a request is sent. */
int aqueue_steps_check(const struct listing_request *listing, struct err *err);
/*
 * Prints the steps of the jobs that the filter selects, and those with these ids. all: the filter counts,
 * also if it is empty.
 */
int aqueue_steps(const struct job_request *which, const char *const *ids, size_t count, bool all,
		 struct err *err);

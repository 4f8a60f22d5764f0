/*
 * The jobs with wanted labels, as job events tell them.
 *
 * A job has its labels from its submission on, and only the event "submitted" names them. So the jobs are
 * known from these events. Jobs with adjacent ids take the memory of one.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct label_jobs {
	const Armada__JobFilter *filter; /* its labels; the rest is not looked at */
	struct job_ids {
		uint64_t first, last;
	} * list; /* ascending */
	size_t count, cap;
};

/* True if the event is of a job with all labels of the filter. O(log of the ranges); events come in order. */
bool label_jobs_take(struct label_jobs *l, const Armada__JobEvent *ev);
void label_jobs_done(struct label_jobs *l);

/* What awatch was asked for. */
#pragma once

#include "client/events.h"
#include "client/filter.h"
#include "cmd/common/command.h"
#include "cmd/listing/listing.h"

struct request {
	struct listing_request listing;
	const char *queue, *job_set, *user;
	struct filter filter; /* its labels select jobs */
	const char *from; /* NULL: not given */
	bool exit_when_done, wait, quiet;
	uint64_t first; /* print events from this number on */
	uint64_t *jobs;
	size_t job_count;
};

extern const struct command awatch;

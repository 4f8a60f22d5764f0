/*
 * The options that select jobs; aqueue and acancel share them.
 */
#pragma once

#include "client/filter.h"
#include "cmd/listing/listing.h"

/*
 * The first member of the target of a command with job_options. listing is its first member,
 * because listing_options expects it there.
 */
struct job_request {
	struct listing_request listing;
	struct filter filter;
};

extern const struct opt_table job_options;

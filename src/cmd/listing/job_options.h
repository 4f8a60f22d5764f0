/*
 * The options that say which jobs a command is about: aqueue and acancel have the same.
 */
#pragma once

#include "client/filter.h"
#include "cmd/listing/listing.h"

/* First member of the target of a command with job_options; listing first, for listing_options. */
struct job_request {
	struct listing_request listing;
	struct filter filter;
};

extern const struct opt_table job_options;

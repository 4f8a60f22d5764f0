/*
 * The command line of asubmit.
 */
#pragma once

#include "cmd/common/command.h"
#include "cmd/common/deferred_options.h"

/* The options of asubmit itself, and the stored options of the job. */
struct request {
	const char *wrap, *file, *submit_key;
	bool parsable, test_only, wait, quiet, no_hint;
	int64_t retry_ms;
	struct deferred_options line;
};

extern const struct command asubmit;

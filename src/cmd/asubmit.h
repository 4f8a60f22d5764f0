/*
 * The command line of asubmit.
 */
#pragma once

#include "cmd/common/command.h"
#include "cmd/common/deferred_options.h"

/* What the command line asks for beside the job's own options. */
struct request {
	const char *wrap, *file;
	bool parsable, test_only, wait, quiet;
	int64_t retry_ms;
	struct deferred_options line;
};

extern const struct command asubmit;

/*
 * Trying again while no controller answers, as long as the user allows: what asubmit and arun do
 * alike.
 */
#ifndef CMD_COMMON_RETRY_H
#define CMD_COMMON_RETRY_H

#include "cmd/common/command.h"

struct retry {
	const struct command *who;
	int64_t until_ms; /* of steady_ms; INT64_MAX: no end */
	int64_t pause_ms;
	bool quiet, said;
};

void retry_init(struct retry *p, const struct command *who, int64_t until_ms, bool quiet);
/* True when it is worth another try, after a pause. The first time it says so. */
bool retry_again(struct retry *p, const struct err *why);

#endif

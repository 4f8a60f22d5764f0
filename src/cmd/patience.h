/*
 * Trying again while no controller answers, as long as the user allows: what asubmit and arun do
 * alike.
 */
#ifndef CMD_PATIENCE_H
#define CMD_PATIENCE_H

#include "cmd/command.h"

struct patience {
	const struct command *who;
	int64_t until_ms; /* of steady_ms; INT64_MAX: no end */
	int64_t pause_ms;
	bool quiet, said;
};

void patience_init(struct patience *p, const struct command *who, int64_t until_ms, bool quiet);
/* True when it is worth another try, after a pause. The first time it says so. */
bool patience_again(struct patience *p, const struct err *why);

#endif

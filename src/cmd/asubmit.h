/*
 * The parts of asubmit: its command line (asubmit.c), and what happens with the finished spec
 * (asubmit_send.c).
 */
#ifndef CMD_ASUBMIT_H
#define CMD_ASUBMIT_H

#include "cmd/command.h"
#include "cmd/given.h"

/* What the command line asks for beside the job's own options. */
struct request {
	const char *wrap, *file;
	bool parsable, test_only, wait, quiet;
	int64_t retry_ms;
	struct given_line line;
};

extern const struct command asubmit;

/*
 * Submit, trying again with the same key while nobody answers; say the id; wait if asked. Returns
 * the exit code of the command or a negative errno.
 */
int asubmit_send(const struct request *r, struct connection *c, struct spec *s, struct err *err);

#endif

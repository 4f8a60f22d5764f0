/*
 * Names of users and groups in armada.conf. Each must exist on this machine. At startup an unknown one only
 * produces a warning with file and line, and grants nothing. The lookups may block.
 */
#pragma once

#include "armctld/policy.h"

/* The place of a key in the file, for errors: "FILE: line 12: queues: short: owners". */
struct key_place {
	const struct conf *conf;
	const char *list; /* "queues"; NULL: `what` alone */
	size_t index;
	const char *name, *what;
};

/* Put the place before the text of err; return rc. */
int policy_at(const struct key_place *p, int rc, struct err *err);
int policy_check_name(const struct policy *p, const struct key_place *place, bool group,
		      const char *name, struct err *err);
int policy_check_names(const struct policy *p, const struct key_place *place, bool group,
		       const char *const *names, size_t count, struct err *err);

/*
 * The limits of setrlimit(2) by name, and the syntax of lists of them:
 *
 *	ALL			all limits
 *	NONE			no limit
 *	nofile,core		these limits
 *	ALL,-memlock,-nproc	all limits except these
 *
 * Names may be in any case and may have the kernel's prefix, as RLIMIT_NOFILE. A limit that the
 * submission of a task does not set has the default of the table: a value, or the hard limit of armd.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

enum { RLIMIT_NAMES = 10 };

/* No limit; as a default: the hard limit of armd. */
#define RLIMIT_MAX UINT64_MAX

struct rlimit_name {
	const char *name;
	int resource; /* of setrlimit */
	uint64_t own; /* of a task whose submission sets none */
};

extern const struct rlimit_name rlimit_names[RLIMIT_NAMES];

/* The index of a name in the table; negative: there is no such limit. */
int rlimit_find(const char *name);
/* All names: "cpu, fsize, ..." */
const char *rlimit_words(void);
/* Raise this process's limit of open files to the maximum. Returns the limit in force. */
uint64_t rlimit_raise_files(void);
/* Parse a list into a set of bits, by index. */
int rlimit_parse(const char *text, uint32_t *ret_set, struct err *err);

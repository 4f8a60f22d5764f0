/*
 * The limits of setrlimit(2) by name, and lists of them as people write them:
 *
 *	ALL			every one
 *	NONE			none
 *	nofile,core		these
 *	ALL,-memlock,-nproc	every one but these
 *
 * Names are read in any case and also with the kernel's prefix, RLIMIT_NOFILE. A limit that nobody
 * brings along for a task is the task's own: what the table says, or as much as its node can give.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

enum { RLIMIT_NAMES = 10 };

/* For "no limit", and for "as much as there is". */
#define RLIMIT_MAX UINT64_MAX

struct rlimit_name {
	const char *name;
	int resource; /* of setrlimit */
	uint64_t own; /* of a task that brings none; RLIMIT_MAX: what its node can give */
};

extern const struct rlimit_name rlimit_names[RLIMIT_NAMES];

/* Its index in the table; negative: there is no such limit. */
int rlimit_find(const char *name);
/* "cpu, fsize, ..." */
const char *rlimit_words(void);
/* A list, as a set of bits by index. */
int rlimit_parse(const char *text, uint32_t *ret_set, struct err *err);

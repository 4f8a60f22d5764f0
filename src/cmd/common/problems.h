/*
 * The sentences of the controller about jobs that could not be handled.
 *
 * Each is one line on stderr. The last one is held back: if each failed job has its sentence, it
 * becomes the error of the command, and a sentence that only counts the jobs would be one line too
 * many.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

struct problems {
	const char *before; /* of each line: "actl: error" */
	char *last;         /* owned */
	uint64_t count;
};

/* Prints the sentences but the last one. */
void problems_add(struct problems *p, char *const *list, size_t count);
/*
 * Returns rc. `failed`: the number of jobs that rc and the sentence in err are about; 0: others.
 * Prints the sentence that is left, or puts it in place of the one in err.
 */
int problems_end(struct problems *p, uint64_t failed, int rc, struct err *err);

/*
 * The answer to a name that a scenario does not have.
 */
#pragma once

#include "asim/rounds/reader.h"

/* The i-th name of its kind. */
typedef const char *unknown_name(const struct scenario *sc, size_t i);

/*
 * Fail with "there is no KIND NAME: p0, p3": the names that exist, near ones first, all where they are few.
 * Cost: O(count), three times.
 */
void unknown_fail(struct reader *r, const struct at *at, const char *kind, const char *name,
		  unknown_name *name_of, size_t count);

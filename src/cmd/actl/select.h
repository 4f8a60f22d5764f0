/*
 * Selects the jobs of a verb of actl by words.
 */
#pragma once

#include "client/filter.h"

/* Words are ids, or user=ann, queue=long, state=pending; the word "job" before them is skipped. */
int actl_select(struct filter *f, const char *const *words, size_t count, struct err *err);

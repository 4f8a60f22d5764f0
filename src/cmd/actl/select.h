/*
 * The jobs that a verb of actl is about, from words.
 */
#pragma once

#include "client/filter.h"

/* Jobs by id, or as user=ann, queue=long, state=pending; the word "job" before them says nothing. */
int actl_select(struct filter *f, const char *const *words, size_t count, struct err *err);

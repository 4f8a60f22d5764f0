/*
 * The result of a round, as one line of JSON.
 */
#pragma once

#include "asim/rounds/state.h"

#include <stdio.h>

void print_round(struct play *p, size_t round, const struct sched_result *result, int64_t micros,
		 FILE *out);

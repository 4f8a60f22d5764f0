/*
 * What a round did, as one line of JSON.
 */
#ifndef ASIM_ROUNDS_PRINT_H
#define ASIM_ROUNDS_PRINT_H

#include "asim/rounds/state.h"

#include <stdio.h>

void print_round(struct play *p, size_t round, const struct sched_result *result, int64_t micros,
		 FILE *out);

#endif

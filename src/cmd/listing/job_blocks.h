/*
 * Jobs as blocks for reading: aqueue --detail.
 */
#pragma once

#include "cmd/listing/job_rows.h"

#include <stdio.h>

/*
 * Prints a block for each of `count` struct job_view: a title, and a line for each thing that is known.
 * width: at which lines are wrapped; 0: not at all. No value is cut.
 */
void job_blocks_print(const void *const *views, size_t count, size_t width, bool colours,
		      FILE *out);

/*
 * Random worlds under order/slices, held against what is written down plainly.
 */
#pragma once

#include <stdint.h>

/* slices_plain.c: each decision of so many worlds; one test. */
void plain_worlds(uint64_t count);
/* slices_share.c: what each queue has after so many rounds; a test for each way. */
void shares_over(uint64_t rounds);

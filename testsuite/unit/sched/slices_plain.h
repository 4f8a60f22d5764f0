/*
 * Random worlds with order/slices, compared with a simple implementation of its rules.
 */
#pragma once

#include <stdint.h>

/* slices_plain.c: compares each decision in this many worlds; one test. */
void slices_plain_worlds(uint64_t count);
/*
 * slices_share.c: compares the share of each queue after this many rounds with its entitlement; one
 * test for each kind of world.
 */
void slices_share_over(uint64_t rounds);

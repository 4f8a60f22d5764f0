/*
 * The part of a check that is about limits in absolute numbers.
 */
#ifndef ASIM_ROUNDS_CHECK_MOST_H
#define ASIM_ROUNDS_CHECK_MOST_H

#include "asim/rounds/state.h"

/* As check_round. */
int check_most(const struct play *p, size_t round);

#endif

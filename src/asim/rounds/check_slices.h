/*
 * The part of a check that is about order/slices, as far as that plugin alone decides.
 */
#ifndef ASIM_ROUNDS_CHECK_SLICES_H
#define ASIM_ROUNDS_CHECK_SLICES_H

#include "asim/rounds/state.h"

/* As check_round. */
int check_slices(const struct play *p, size_t round);

#endif

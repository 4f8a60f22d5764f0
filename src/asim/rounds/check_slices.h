/*
 * The part of a check for order/slices, where that plugin alone decides.
 */
#pragma once

#include "asim/rounds/state.h"

/* As check_round. */
int check_slices(const struct play *p, size_t round);

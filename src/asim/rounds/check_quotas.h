/*
 * The part of a check for limits in absolute numbers.
 */
#pragma once

#include "asim/rounds/state.h"

/* As check_round. */
int check_quotas(const struct play *p, size_t round);

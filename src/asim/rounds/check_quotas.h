/*
 * The part of a check that is about limits in absolute numbers.
 */
#pragma once

#include "asim/rounds/state.h"

/* As check_round. */
int check_quotas(const struct play *p, size_t round);

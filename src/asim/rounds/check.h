/*
 * Checks whether a round was allowed. The rules come from the documents alone; no code of the
 * scheduler is used.
 */
#pragma once

#include "asim/rounds/state.h"

/* Prints violations to stderr; returns how many there are. */
int check_round(const struct play *p, size_t round);

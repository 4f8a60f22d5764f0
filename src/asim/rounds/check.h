/*
 * Is what a round did allowed? Written from the rules and the document alone: no code of the
 * scheduler is used.
 */
#pragma once

#include "asim/rounds/state.h"

/* What is wrong goes to stderr; returns how much is. */
int check_round(const struct play *p, size_t round);

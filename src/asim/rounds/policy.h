/*
 * The policy plugins of a scenario with their options, and the limits of a round.
 */
#pragma once

#include "asim/rounds/reader.h"

void policy_read(struct reader *r, const struct at *root);
void policy_read_limits(struct reader *r, const struct at *root);

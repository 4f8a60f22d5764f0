/* How a scheduling round ended: a word of ROUND, and a count of COUNTERS. */
#pragma once

#include "proto/round_end.h"

struct sched_result;

enum round_end round_end_of(const struct sched_result *r);

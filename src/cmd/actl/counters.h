/* actl show counters. */
#pragma once

#include "cmd/actl/actl.h"

extern const struct listing counter_listing;

/* The number of measurements of a histogram. */
uint64_t counter_measured(const Armada__Counter *row);
int actl_show_counters(struct actl *a, struct err *err);

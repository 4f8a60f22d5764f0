/*
 * actl show output: a part of an output file of a job.
 */
#pragma once

#include "cmd/actl/actl.h"

extern const struct opt_table output_options;
bool output_options_given(const struct actl *a);
int actl_show_output(struct actl *a, struct err *err);

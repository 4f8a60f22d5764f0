/*
 * The options of a job by name. Each field that a user can set is a row.
 */
#pragma once

#include "util/options.h"

/* The target is a struct spec. */
extern const struct opt_table spec_options;

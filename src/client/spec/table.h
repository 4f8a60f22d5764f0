/*
 * The options that describe a job, by name. A field that a user can ask for is a row here.
 */
#pragma once

#include "util/options.h"

/* Their target is a struct spec. */
extern const struct opt_table spec_options;

/*
 * The options that describe a job, by name. A field that a user can ask for is a row here.
 */
#ifndef CLIENT_SPEC_TABLE_H
#define CLIENT_SPEC_TABLE_H

#include "util/options.h"

/* Their target is a struct spec. */
extern const struct opt_table spec_options;

#endif

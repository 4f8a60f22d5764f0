/*
 * Resource limits (ulimit) of the submitting process that are passed on to the tasks.
 *
 * The target of each function is a struct spec. A function accepts the whole value, or refuses it
 * with a message that gives the accepted values; then nothing has changed. The value is NULL if the
 * option takes no value, or if an optional value is missing.
 */
#pragma once

#include "util/err.h"

int spec_set_propagate(void *target, const char *value, struct err *err);

struct spec;
/*
 * Adds the soft limits that --propagate names, or those of `usual` without it. Part of
 * spec_finish().
 */
int spec_capture_limits(struct spec *s, const char *usual, struct err *err);

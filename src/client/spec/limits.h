/*
 * Limits of the submitting process (ulimit) that a job takes along.
 *
 * The target of each function is a struct spec. It takes the whole value or refuses it with a
 * sentence that says what would be accepted, and then has changed nothing. A value of NULL comes
 * with options that take none, or that were given none.
 */
#pragma once

#include "util/err.h"

int spec_set_propagate(void *target, const char *value, struct err *err);

struct spec;
/* Take along the soft limits that --propagate names, or else `usual`. Part of spec_finish. */
int spec_capture_limits(struct spec *s, const char *usual, struct err *err);

/*
 * A moment as people write it, for --begin: "16:30", "now+2hours", "tomorrow", "2027-01-31T08:00".
 *
 * What the text leaves out is taken from now, in the time zone of the process. A time of day that is
 * over today is tomorrow's. Pure: now is passed in.
 */
#pragma once

#include "util/err.h"

#include <stdint.h>

/* Microseconds of the wall clock; -EINVAL with what would be accepted. */
int time_parse(const char *text, int64_t now_us, int64_t *ret_us, struct err *err);

/*
 * A time that a user writes: "16:30", "now+2hours", "tomorrow", "2027-01-31T08:00".
 *
 * Missing parts are taken from now, in the time zone of the process. A time of day that is over
 * today is that of tomorrow. The function is pure: now is passed in.
 */
#pragma once

#include "util/err.h"

#include <stdint.h>

/* Returns microseconds of the wall clock in ret_us; -EINVAL with what would be accepted. */
int time_parse(const char *text, int64_t now_us, int64_t *ret_us, struct err *err);
/*
 * A time in the past: "2d12h" (ago), "12:30", "today", "yesterday", "2027-01-31". A time of day that has not
 * come yet today is that of yesterday.
 */
int time_parse_past(const char *text, int64_t now_us, int64_t *ret_us, struct err *err);

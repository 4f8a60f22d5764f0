/* Times of the past, as people write them. */
#pragma once

#include "util/err.h"

#include <stdint.h>

/*
 * What time_parse() reads; a time of day that has not come yet today is that of yesterday. Also
 * "now-7days", "yesterday", and a duration such as 7d, which means that long ago. -EINVAL with what would
 * be accepted.
 */
int period_parse(const char *text, int64_t now_us, int64_t *ret_us, struct err *err);
/* The beginning of the day of a time, plus some days; of its month. */
int64_t period_day(int64_t us, int days);
int64_t period_month(int64_t us);

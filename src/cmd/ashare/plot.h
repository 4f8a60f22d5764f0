/*
 * Shares of queues over time as an SVG picture.
 *
 * A line for each queue shows what it used (course.h), and has a gap while the queue takes no part
 * or nothing is known. With few queues, a thin dashed line shows the adjusted share. A stacked plot
 * shows the uses of the queues above each other, so its upper end is the use of all queues. A grey
 * band marks the time in which no controller ran. The time axis has all of the time. Greys and
 * colours have a medium lightness, and there is no background, so the picture suits light and dark
 * pages. The document does not depend on the locale; times are in the time zone of the process.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

enum { PLOT_QUEUES = 60 }; /* with more queues, the others are only counted */

/*
 * samples: of any queues; some may be before from_us, to tell the level at that time. from_us is
 * before until_us. Adds a complete document to out.
 */
void plot_shares(Armada__ShareSample *const *samples, size_t count, int64_t from_us,
		 int64_t until_us, bool stacked, struct buf *out);

/*
 * Shares of queues over time as an SVG picture.
 *
 * A line for each queue shows what it used; it keeps its height until the next sample, and has a
 * gap while the queue takes no part. With few queues, a thin dashed line shows the adjusted share.
 * Greys and colours have a medium lightness, and there is no background, so the picture suits light
 * and dark pages. The document does not depend on the locale; times are in the time zone of the
 * process.
 */
#pragma once

#include "proto/msg.h"

enum { PLOT_QUEUES = 60 }; /* with more queues, the others are only counted */

/* samples: ordered by time; from_us is before until_us. Adds a complete document to out. */
void plot_shares(Armada__ShareSample *const *samples, size_t count, int64_t from_us,
		 int64_t until_us, struct buf *out);

/*
 * Shares of queues over time as a picture in SVG.
 *
 * What a queue uses is a line that holds its height until the next sample, and is broken where the
 * queue took no part. With few queues a thin dashed line beside it is what it is entitled to. Greys
 * and colours are of middle lightness, and there is no background, so it can be read on light and
 * dark pages. Nothing of it depends on a locale; times are those of the process's zone.
 */
#pragma once

#include "proto/msg.h"

enum { PLOT_QUEUES = 60 }; /* the others are counted */

/* samples: by time; from_us is before until_us. Adds a whole document. */
void plot_shares(Armada__ShareSample *const *samples, size_t count, int64_t from_us,
		 int64_t until_us, struct buf *out);

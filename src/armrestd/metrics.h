/*
 * GET /metrics: numbers for Prometheus, as text format 0.0.4, or as OpenMetrics if the client asks for it.
 */
#pragma once

#include "util/buf.h"

#include <stdbool.h>

struct rest;
struct metrics;

struct metrics *metrics_new(struct rest *rest);
void metrics_free(struct metrics *m);
/*
 * Appends the numbers. They are at most a second old, however many clients ask. Without a controller there is
 * armada_up 0 and little more.
 */
void metrics_print(struct metrics *m, bool openmetrics, struct buf *out);

/*
 * A look at the text of armada.conf before libconfig reads it.
 *
 * libconfig 1.5 takes some numbers for what their writer did not mean, without a word: 5000000000
 * wraps to 705032704 unless an L follows, and 0755 is 755. It follows @include wherever it leads,
 * and its parser recurses as deep as the text says. So numbers are completed or refused here,
 * @include is refused, and depth is bounded.
 */
#pragma once

#include "util/buf.h"
#include "util/err.h"

#include <stddef.h>

enum { CONF_TEXT_MAX = 16 << 20, CONF_DEPTH_MAX = 8 };

/* Append to out what libconfig may read. Lines stay where they were. err names the line. */
int conf_scan(const char *text, struct buf *out, struct err *err);

/*
 * A check of the text of armada.conf before libconfig reads it.
 *
 * libconfig 1.5 silently misreads some numbers: 5000000000 wraps to 705032704 unless an L follows, and
 * 0755 is 755. It reads any file that @include names, and its parser recurses without a limit. So large
 * numbers get an L, octal numbers and @include are refused, and the depth of brackets is limited.
 */
#pragma once

#include "util/buf.h"
#include "util/err.h"

#include <stddef.h>

enum { CONF_TEXT_MAX = 16 << 20, CONF_DEPTH_MAX = 8 };

/* Append the text for libconfig to out. Line numbers do not change. err has the line. */
int conf_scan(const char *text, struct buf *out, struct err *err);
/*
 * Refuses a file that libconfig does not read: its line and what libconfig says. A key that is given twice
 * is named.
 */
int conf_scan_refused(const char *file, const char *text, int line, const char *says,
		      struct err *err);

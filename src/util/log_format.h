/*
 * The forms of a log line: text, JSON, and the native protocol of journald.
 *
 * Hidden characters (visible.h) and bytes that are not UTF-8 are written as \xNN in all of them, so a text
 * has no line feed. A line that does not fit is cut.
 */
#pragma once

#include "util/log.h"

#include <time.h>

enum { LOG_LINE_MAX = 8192 };

struct log_entry {
	const char *daemon;
	struct timespec time;
	enum log_level level;
	const struct log_from *from;
	const struct log_about *about; /* never NULL */
	const char *text;
};

/* Each returns the number of bytes in out, at most LOG_LINE_MAX. */
/* With a line feed at the end. priority: with syslog's prefix <N> and without the time. */
size_t log_format_text(const struct log_entry *e, bool priority, char out[LOG_LINE_MAX]);
/* One object, with a line feed at the end. */
size_t log_format_json(const struct log_entry *e, char out[LOG_LINE_MAX]);
/* The fields of a datagram to journald, each with a line feed at the end. */
size_t log_format_journal(const struct log_entry *e, char out[LOG_LINE_MAX]);

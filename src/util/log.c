/*
 * Writes log lines (log.h). Input: a level and a message. Output: one line on the sink's
 * descriptor, with a time stamp or, under systemd, a priority prefix. Hidden characters
 * (visible.h) and invalid UTF-8 are written as \xNN. A failed write is ignored.
 */
#include "util/log.h"
#include "util/visible.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	const char *name;
	int fd;
	enum log_level max;
	int journal;
} sink = {"armada", STDERR_FILENO, LOG_NOTICE, 0};

static const struct {
	const char *word;
	enum log_level level;
} words[] = {
	{"error", LOG_ERROR},   {"warn", LOG_WARN}, {"warning", LOG_WARN},
	{"notice", LOG_NOTICE}, {"info", LOG_INFO}, {"debug", LOG_DEBUG},
};

void log_open(const char *name, int fd, enum log_level max)
{
	sink.name = name;
	sink.fd = fd;
	sink.max = max;
	sink.journal = getenv("JOURNAL_STREAM") != NULL;
}

void log_set_level(enum log_level max)
{
	__atomic_store_n(&sink.max, max, __ATOMIC_RELAXED);
}

bool log_wants(enum log_level level)
{
	return level <= __atomic_load_n(&sink.max, __ATOMIC_RELAXED);
}

int log_level_of(const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0)
			return words[i].level;
	return -1;
}

static size_t put_head(char *out, size_t size, enum log_level level)
{
	static const char *const names[] = {[LOG_ERROR] = "error",
					    [LOG_WARN] = "warn",
					    [LOG_NOTICE] = "notice",
					    [LOG_INFO] = "info",
					    [LOG_DEBUG] = "debug"};
	struct timespec ts;
	struct tm tm;
	char when[32];

	if (sink.journal)
		return snprintf(out, size, "<%d>%s: ", level, sink.name);
	clock_gettime(CLOCK_REALTIME, &ts);
	localtime_r(&ts.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	return snprintf(out, size, "%s.%03ld %s %s: ", when, ts.tv_nsec / 1000000, sink.name,
			names[level]);
}

void log_at(enum log_level level, const char *fmt, ...)
{
	char raw[1536], line[4096];
	size_t n;
	va_list ap;
	ssize_t done;

	if (!log_wants(level))
		return;
	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	n = put_head(line, sizeof(line), level);
	for (const char *p = raw; *p && n < sizeof(line) - 6;) {
		size_t len = visible_char(p);

		if (len)
			memcpy(line + n, p, len);
		else
			snprintf(line + n, sizeof(line) - n, "\\x%02x", (unsigned char)*p);
		n += len ? len : 4;
		p += len ? len : 1;
	}
	line[n++] = '\n';
	done = write(sink.fd, line, n);
	(void)done;
}

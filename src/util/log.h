/*
 * Log lines: one event on each line.
 *
 * Only outermost callers log (main loops, request dispatch). The sink is set once at start, before any
 * thread: a file descriptor with lines of text or of JSON, or, if the descriptor is a stream of journald
 * (JOURNAL_STREAM), the socket of journald, with a field for each thing that a line is about. Control bytes
 * in any text are escaped. A line is written with one system call, so lines of several threads do not mix.
 *
 * Each line belongs to an area, which has a level of its own (log_levels.h): a file defines LOG_AREA before
 * it includes this header. A line that is the same as the one before it is not written but counted.
 */
#pragma once

#include "util/log_levels.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef LOG_AREA
#define LOG_AREA LOG_AREA_MAIN
#endif

/* How long a line that repeats is counted before the count is written. */
enum { LOG_FOLD_S = 30 };

/* What the line is about: fields of journald and members of JSON. 0 or NULL: not about one. */
struct log_about {
	uint64_t job;
	const char *node, *queue, *user;
};

/* Where the line comes from; the texts live as long as the program. */
struct log_from {
	const char *file, *function;
	int line;
	enum log_area area;
};

#define LOG_FROM ((struct log_from){__FILE__, __func__, __LINE__, LOG_AREA})

/*
 * name: of the daemon, printed on every line. max: the least important level that is written in all areas.
 * fd is borrowed. Calls of another process than this one open the socket of journald again.
 */
void log_open(const char *name, int fd, enum log_level max);
/* The form of the lines. TEXT: the fields of journald if it reads fd. */
enum log_format { LOG_FORMAT_UNSET, LOG_FORMAT_TEXT, LOG_FORMAT_JSON };
void log_set_format(enum log_format format);
/* The form of a word (text json); LOG_FORMAT_UNSET: it is none. */
enum log_format log_format_of(const char *word);
/* about may be NULL. */
void log_line(const struct log_from *from, enum log_level level, const struct log_about *about,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Write the count of a line that has repeated for a while. Call it every few seconds. */
void log_tick(void);
/* The same at a time of the caller's, in microseconds that never go back; for tests. */
void log_tick_at(int64_t now_us);
/* Lines that journald did not take, since the start. */
uint64_t log_lost(void);

#define log_at(level, ...) log_line(&LOG_FROM, level, NULL, __VA_ARGS__)
#define log_error(...)     log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)      log_at(LOG_WARN, __VA_ARGS__)
#define log_notice(...)    log_at(LOG_NOTICE, __VA_ARGS__)
#define log_info(...)      log_at(LOG_INFO, __VA_ARGS__)
#define log_debug(...)     log_at(LOG_DEBUG, __VA_ARGS__)

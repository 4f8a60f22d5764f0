/*
 * Log lines: one event on each line.
 *
 * Only outermost callers log (main loops, request dispatch). The sink is set once at start, before any
 * thread: a file descriptor, with syslog's <N> priority prefixes under systemd (JOURNAL_STREAM
 * set) or with time stamps otherwise. Control bytes in any text are escaped. Lines are
 * written with one write(2), so lines of several threads do not mix.
 */
#pragma once

#include <stdbool.h>

enum log_level { LOG_ERROR = 3, LOG_WARN = 4, LOG_NOTICE = 5, LOG_INFO = 6, LOG_DEBUG = 7 };

/*
 * name: of the daemon, printed on every line. max: the least important level that is written. fd is borrowed.
 */
void log_open(const char *name, int fd, enum log_level max);
void log_set_level(enum log_level max);
/* Is a line of this level written? */
bool log_wants(enum log_level level);
void log_at(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...)  log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)   log_at(LOG_WARN, __VA_ARGS__)
#define log_notice(...) log_at(LOG_NOTICE, __VA_ARGS__)
#define log_info(...)   log_at(LOG_INFO, __VA_ARGS__)
#define log_debug(...)  log_at(LOG_DEBUG, __VA_ARGS__)

/* The level of a word (error warn notice info debug), or -1. */
int log_level_of(const char *word);

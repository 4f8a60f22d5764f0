/*
 * Log lines that peers cause: with each message that is refused, each connection that ends.
 *
 * Each peer may cause a number of lines in a minute, and all peers of a class a multiple of that; further
 * lines are only counted, and the count is logged when the minute is over. So a peer cannot fill the disk or
 * hide other lines. The peers of the last minute are remembered, LOG_PEERS at most. Any thread may log.
 */
#pragma once

#include "util/log.h"

#include <stdint.h>

enum log_class {
	LOG_STRANGERS, /* connections that have not authenticated; all: 10 times the lines of one */
	LOG_USERS,     /* all: 10 times */
	LOG_NODES,     /* nodes and controllers; all: 100 times */
	LOG_JOBS,      /* the jobs of a user; one: 10 times, all: 100 times */
	LOG_CLASSES
};

enum { LOG_PEERS = 512, LOG_PEER_NAME = 96, LOG_MINUTE_S = 60 };

/* The lines of one peer in a minute; 0: no limit. 60 until it is set. */
void log_peer_limit(unsigned per_minute);

/* A line and its cause. */
struct log_peer_line {
	const struct log_from *from;
	enum log_class class;
	const char
		*who; /* as it stands in the line of the count: "uid 1000", "10.0.0.1", "node n7" */
	enum log_level level;
	const struct log_about *about; /* may be NULL */
};

void log_peer_line(const struct log_peer_line *line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define log_peer(class_, who_, level_, ...)                                                        \
	log_peer_line(&(const struct log_peer_line){&LOG_FROM, class_, who_, level_, NULL},        \
		      __VA_ARGS__)

/* Log the counts of minutes that are over, and of lines that repeat. Call it every few seconds. */
void log_peer_tick(void);

/* The same two at a time of the caller's, in microseconds that never go back; for tests. */
void log_peer_at(int64_t now_us, const struct log_peer_line *line, const char *text);
void log_peer_tick_at(int64_t now_us);

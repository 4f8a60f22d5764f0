/*
 * The levels of the log, one for each area.
 *
 * An area follows the level of all areas until it gets a level of its own. Any thread may read and set
 * levels. They are those of the process; a restart forgets them.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR = 3, LOG_WARN = 4, LOG_NOTICE = 5, LOG_INFO = 6, LOG_DEBUG = 7 };

/* X(NAME, word, contents) */
#define LOG_AREA_TABLE(X)                                                                          \
	X(MAIN, "main", "start, stop, configuration, plugins")                                     \
	X(NET, "net", "connections and messages")                                                  \
	X(JOB, "job", "jobs: submitted, started, ended, preempted; on a node its tasks")           \
	X(NODE, "node", "nodes: registered, silent, drained; on a node its health")                \
	X(QUEUE, "queue", "queues: made, changed, deleted")                                        \
	X(SCHED, "sched", "scheduling rounds")                                                     \
	X(STATE, "state", "log, snapshots, history, disk space")                                   \
	X(NOTIFY, "notify", "notifications of ends, mail")

/* clang-format off */
enum log_area {
#define LOG_AREA_ENUM(name, word, contents) LOG_AREA_##name,
	LOG_AREA_TABLE(LOG_AREA_ENUM)
#undef LOG_AREA_ENUM
	LOG_AREAS
};
/* clang-format on */

const char *log_area_word(enum log_area area);
const char *log_area_contents(enum log_area area);

/* The level of all areas without one of their own. */
void log_set_level(enum log_level max);
enum log_level log_level_of_area(enum log_area area);
/* True if the area has a level of its own. */
bool log_area_is_set(enum log_area area);
/* Is a line of this level written? */
bool log_wants(enum log_area area, enum log_level level);
/*
 * Set levels by words: "net=debug", "job=default" (follow the level of all areas again), "all=info" or
 * "info" (every area). -EINVAL and a sentence: the word is none of these, and nothing has changed.
 */
int log_levels_set(const char *const *words, size_t count, struct err *err);

/*
 * A handler of SIGUSR1, which sets the level of every area to debug, and SIGUSR2, which lets every area
 * follow the level of all areas. log_levels_signals() installs it.
 */
void log_levels_on_signal(int number);
void log_levels_signals(void);

/* The level of a word (error warn notice info debug), or -1; and the word of a level. */
int log_level_of(const char *word);
const char *log_level_word(enum log_level level);

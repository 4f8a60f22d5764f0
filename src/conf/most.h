/*
 * What somebody may have at most: the one table of the absolute limits.
 *
 * The same seven are said at three places: of a queue for all its jobs together, of each user in a
 * queue, and of each user in the whole cluster. MOST_TABLE is the list; armada.conf's rows, actl's
 * options, what is refused and what is shown follow from it. A limit that is not set does not
 * exist; 0 is one (nothing).
 *
 * Rates are written "100/h", "10/m" or "2/s" and kept as jobs an hour. A rate without a burst lets
 * as many jobs through at once as it gives in an hour.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of LimitKind (common.proto): for ever. */
enum most_kind {
	MOST_RUNNING = 1,
	MOST_WAITING = 2,
	MOST_CPU = 3,
	MOST_MEMORY = 4,
	MOST_GPU = 5,
	MOST_SUBMIT_RATE = 6,
	MOST_SUBMIT_BURST = 7,
	MOST_KINDS = 8,
};

enum most_unit {
	MOST_COUNT, /* a whole number */
	MOST_MILLI, /* cpus, in millicores */
	MOST_BYTES,
	MOST_HOURLY, /* a rate, by the hour */
};

/*
 * X(kind, name, unit, type of its option, greatest value, "the most ...", what else is to be said,
 *   of all jobs of a queue: option (as OPTION of conf/queue_table.h), heading and sentence of the column,
 *   of each user in it: the same)
 */
/* clang-format off */
#define MOST_TABLE(X) MOST_TABLE_FOR(MOST_PLAIN, X)
#define MOST_PLAIN(X, ...) X(__VA_ARGS__)
#define MOST_TABLE_FOR(M, X) \
	M(X, MOST_RUNNING, max_running, MOST_COUNT, INT, 1e12, "elements that run at once", "", \
	  ("max-running", NULL, "N", "Most elements that run at once; none: no limit, as all below", NULL), \
	  "MAXRUN", "Most elements that run at once; null in JSON: no limit, as below", \
	  ("user-max-running", NULL, "N", "The same for each user in the queue, and so on", NULL), \
	  "UMAXRUN", "Of each user in it: most elements that run at once") \
	M(X, MOST_WAITING, max_waiting, MOST_COUNT, INT, 1e12, "elements that wait", \
	  " A job or an array that would be more is refused as a whole.", \
	  ("max-waiting", NULL, "N", "Most elements that wait", NULL), \
	  "MAXWAIT", "Most elements that wait", \
	  ("user-max-waiting", NULL, "N", "Most elements of each user that wait", NULL), \
	  "UMAXWAIT", "... that wait") \
	M(X, MOST_CPU, max_cpus, MOST_MILLI, CPU, 1e12, "cpus of what runs", "", \
	  ("max-cpus", NULL, "N", "Most cpus of what runs", NULL), \
	  "MAXCPUS", "Most cpus of what runs; millicores in JSON", \
	  ("user-max-cpus", NULL, "N", "Most cpus of what each user runs", NULL), \
	  "UMAXCPUS", "... cpus; millicores in JSON") \
	M(X, MOST_MEMORY, max_memory, MOST_BYTES, SIZE, 1125899906842624.0, "memory of what runs", "", \
	  ("max-memory", NULL, "SIZE", "Most memory of what runs", NULL), \
	  "MAXMEM", "Most memory of what runs; bytes in JSON", \
	  ("user-max-memory", NULL, "SIZE", "Most memory of what each user runs", NULL), \
	  "UMAXMEM", "... memory; bytes in JSON") \
	M(X, MOST_GPU, max_gpus, MOST_COUNT, INT, 1e12, "gpus of what runs", "", \
	  ("max-gpus", NULL, "N", "Most gpus of what runs", NULL), \
	  "MAXGPUS", "Most gpus of what runs", \
	  ("user-max-gpus", NULL, "N", "Most gpus of what each user runs", NULL), \
	  "UMAXGPUS", "... gpus") \
	M(X, MOST_SUBMIT_RATE, submit_rate, MOST_HOURLY, STRING, 1e9, "jobs submitted", \
	  " Written \"100/h\", \"10/m\" or \"2/s\"; an array is one job. What is too much is refused, and " \
	  "told when it would be taken.", \
	  ("submit-rate", NULL, "RATE", "Most jobs submitted, as 100/h, 10/m or 2/s", "An array is one job.\nWhat is too much is refused, and told when it would be taken."), \
	  "RATE", "Most jobs submitted; by the hour in JSON", \
	  ("user-submit-rate", NULL, "RATE", "Most jobs submitted by each user", NULL), \
	  "URATE", "... jobs submitted; by the hour in JSON") \
	M(X, MOST_SUBMIT_BURST, submit_burst, MOST_COUNT, INT, 1e9, "jobs submitted at once after a quiet time", \
	  " Then submit_rate holds them back. Without it: as many as the rate gives in an hour.", \
	  ("submit-burst", NULL, "N", "Most jobs submitted at once after a quiet time", NULL), \
	  "BURST", "Most jobs submitted at once", \
	  ("user-submit-burst", NULL, "N", "Most jobs submitted at once by each user", NULL), \
	  "UBURST", "... jobs submitted at once")
/* clang-format on */

enum { MOST_ROWS = MOST_KINDS - 1 };

struct most_row {
	enum most_kind kind;
	enum most_unit unit;
	const char *name; /* in armada.conf: "max_running" */
	const char *what; /* "elements that run at once" */
	int64_t greatest;
};
extern const struct most_row most_rows[MOST_ROWS]; /* by kind, from 1 */

/* Limits, by kind; those without their bit are not there, and 0. */
struct most {
	uint32_t set; /* 1 << kind */
	int64_t of[MOST_KINDS];
};

/* NULL: no such limit. */
const struct most_row *most_of_kind(int kind);
const struct most_row *most_of_name(const char *name);

/* A value as people write it: "10", "2.5" cpus, "16G", "100/h". */
int most_parse(const struct most_row *row, const char *text, int64_t *ret_value, struct err *err);
/* ... and back; reads back as the same. */
void most_print(const struct most_row *row, int64_t value, char *out, size_t size);
/* Of a request: is it a number that the limit can be? */
int most_check(const struct most_row *row, int64_t value, struct err *err);

static inline bool most_has(const struct most *m, enum most_kind kind)
{
	return m->set >> kind & 1;
}

static inline void most_put(struct most *m, enum most_kind kind, int64_t value)
{
	m->set |= UINT32_C(1) << kind;
	m->of[kind] = value;
}

/* INT64_MAX: it has none. */
static inline int64_t most_get(const struct most *m, enum most_kind kind)
{
	return most_has(m, kind) ? m->of[kind] : INT64_MAX;
}

bool most_equal(const struct most *a, const struct most *b);
/* How many jobs may come at once under its rate. */
int64_t most_burst(const struct most *m);

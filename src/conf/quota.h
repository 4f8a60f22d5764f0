/*
 * The absolute limits: the one table of those with names of their own, and one for each resource.
 *
 * The same seven limits exist in five scopes: for all jobs of a queue together, for each user in a queue,
 * for each user in the whole cluster, for all jobs of an account, and for each user in an account.
 * QUOTA_TABLE is the list. The rows of armada.conf, the options of
 * actl, the checks and the listings follow from it. A limit that is not set does not exist; 0 allows
 * nothing.
 *
 * Any resource may have a limit (max_resources of armada.conf). cpu, memory and gpu also have one with a
 * name; the lower of both applies.
 *
 * Rates are written "100/h", "10/m" or "2/s" and stored as jobs per hour. Without a burst, as many jobs can
 * be submitted at once as the rate allows in an hour.
 */
#pragma once

#include "conf/resource_table.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of LimitKind (common.proto), which never change. */
enum quota_kind {
	QUOTA_RUNNING = 1,
	QUOTA_WAITING = 2,
	QUOTA_CPU = 3,
	QUOTA_MEMORY = 4,
	QUOTA_GPU = 5,
	QUOTA_SUBMIT_RATE = 6,
	QUOTA_SUBMIT_BURST = 7,
	QUOTA_KINDS = 8, /* then the resources without a name above, by their index */
	QUOTA_ALL = QUOTA_KINDS + RESOURCE_MAX,
};

enum quota_unit {
	QUOTA_COUNT, /* a whole number */
	QUOTA_MILLI, /* cpus, in millicores */
	QUOTA_BYTES,
	QUOTA_HOURLY, /* a rate: jobs per hour */
};

/*
 * X(kind, name, unit, type of its option, greatest value, "Maximum ...", further sentences,
 *   for all jobs of a queue: option (as OPTION of conf/queue_table.h), heading and sentence of the column,
 *   for each user in a queue: the same)
 */
/* clang-format off */
#define QUOTA_TABLE(X) QUOTA_TABLE_FOR(QUOTA_PLAIN, X)
#define QUOTA_PLAIN(X, ...) X(__VA_ARGS__)
#define QUOTA_TABLE_FOR(M, X) \
	M(X, QUOTA_RUNNING, max_running, QUOTA_COUNT, INT, 1e12, "Maximum number of running elements", \
	  "", \
	  ("max-running", NULL, "N", "Maximum number of running elements; none: no limit", NULL), \
	  "MAXRUN", "Maximum number of running elements; null in JSON: no limit", \
	  ("user-max-running", NULL, "N", "Maximum number of running elements of each user; none: no limit", NULL), \
	  "UMAXRUN", "Maximum number of running elements of each user; null in JSON: no limit") \
	M(X, QUOTA_WAITING, max_waiting, QUOTA_COUNT, INT, 1e12, "Maximum number of pending elements", \
	  " A job or an array that would exceed it is refused as a whole.", \
	  ("max-waiting", NULL, "N", "Maximum number of pending elements; none: no limit", NULL), \
	  "MAXWAIT", "Maximum number of pending elements; null in JSON: no limit", \
	  ("user-max-waiting", NULL, "N", "Maximum number of pending elements of each user; none: no limit", NULL), \
	  "UMAXWAIT", "Maximum number of pending elements of each user; null in JSON: no limit") \
	M(X, QUOTA_CPU, max_cpus, QUOTA_MILLI, CPU, 1e12, "Maximum cpus of running jobs", \
	  "", \
	  ("max-cpus", NULL, "N", "Maximum cpus of running jobs; none: no limit", NULL), \
	  "MAXCPUS", "Maximum cpus of running jobs; millicores in JSON, null: no limit", \
	  ("user-max-cpus", NULL, "N", "Maximum cpus of running jobs of each user; none: no limit", NULL), \
	  "UMAXCPUS", "Maximum cpus of running jobs of each user; millicores in JSON, null: no limit") \
	M(X, QUOTA_MEMORY, max_memory, QUOTA_BYTES, SIZE, 1125899906842624.0, "Maximum memory of running jobs", \
	  "", \
	  ("max-memory", NULL, "SIZE", "Maximum memory of running jobs; none: no limit", NULL), \
	  "MAXMEM", "Maximum memory of running jobs; bytes in JSON, null: no limit", \
	  ("user-max-memory", NULL, "SIZE", "Maximum memory of running jobs of each user; none: no limit", NULL), \
	  "UMAXMEM", "Maximum memory of running jobs of each user; bytes in JSON, null: no limit") \
	M(X, QUOTA_GPU, max_gpus, QUOTA_COUNT, INT, 1e12, "Maximum gpus of running jobs", \
	  "", \
	  ("max-gpus", NULL, "N", "Maximum gpus of running jobs; none: no limit", NULL), \
	  "MAXGPUS", "Maximum gpus of running jobs; null in JSON: no limit", \
	  ("user-max-gpus", NULL, "N", "Maximum gpus of running jobs of each user; none: no limit", NULL), \
	  "UMAXGPUS", "Maximum gpus of running jobs of each user; null in JSON: no limit") \
	M(X, QUOTA_SUBMIT_RATE, submit_rate, QUOTA_HOURLY, STRING, 1e9, "Maximum rate of job submissions", \
	  " Written \"100/h\", \"10/m\" or \"2/s\"; an array is one job. A submission above the rate is refused; the " \
	  "message says when it would be accepted.", \
	  ("submit-rate", NULL, "RATE", "Maximum rate of job submissions, as 100/h, 10/m or 2/s; none: no limit", \
	    "An array is one job.\nA submission above the rate is refused; the message says when it would be accepted."), \
	  "RATE", "Maximum rate of job submissions; jobs per hour in JSON, null: no limit", \
	  ("user-submit-rate", NULL, "RATE", "Maximum rate of job submissions of each user; none: no limit", NULL), \
	  "URATE", "Maximum rate of job submissions of each user; jobs per hour in JSON, null: no limit") \
	M(X, QUOTA_SUBMIT_BURST, submit_burst, QUOTA_COUNT, INT, 1e9, "Maximum burst of job submissions", \
	  " Further jobs are limited by submit_rate. Default: the number of jobs that the rate allows in an hour.", \
	  ("submit-burst", NULL, "N", "Maximum number of jobs submitted at once (burst); none: as many as the rate allows in an hour", NULL), \
	  "BURST", "Maximum number of jobs submitted at once (burst); null in JSON: as many as the rate allows in an hour", \
	  ("user-submit-burst", NULL, "N", "Maximum number of jobs submitted at once (burst) by each user; none: as many as the rate allows in an hour", NULL), \
	  "UBURST", "Maximum number of jobs submitted at once (burst) by each user; null in JSON: as many as the rate allows in an hour")
/* clang-format on */

enum { QUOTA_ROWS = QUOTA_KINDS - 1 };

struct quota_row {
	enum quota_kind kind;
	enum quota_unit unit;
	const char *name; /* in armada.conf: "max_running" */
	int64_t greatest;
};
extern const struct quota_row quota_rows[QUOTA_ROWS]; /* by kind, from 1 */

/* Limits, by kind. A limit whose bit is not set does not exist; its value is 0. */
struct quota {
	uint32_t set; /* 1 << kind */
	int64_t of[QUOTA_ALL];
};

/* NULL: no such limit. */
const struct quota_row *quota_of_kind(int kind);
const struct quota_row *quota_of_name(const char *name);

/* A value as people write it: "10", "2.5" cpus, "16G", "100/h". */
int quota_parse(const struct quota_row *row, const char *text, int64_t *ret_value, struct err *err);
/* The reverse; quota_parse reads it back as the same value. */
void quota_print(const struct quota_row *row, int64_t value, char *out, size_t size);
/* Is the value of a request in the range of the limit? */
int quota_check(const struct quota_row *row, int64_t value, struct err *err);

static inline bool quota_has(const struct quota *m, enum quota_kind kind)
{
	return m->set >> kind & 1;
}

static inline void quota_put(struct quota *m, enum quota_kind kind, int64_t value)
{
	m->set |= UINT32_C(1) << kind;
	m->of[kind] = value;
}

/* The limit of an amount of a resource with this name and index in the vectors of amounts. */
enum quota_kind quota_of_resource(const char *resource, size_t index);
/* The option of a limit, also of one without a row: "max_resources". */
const char *quota_name(enum quota_kind kind);
/* Is it about running jobs? */
static inline bool quota_is_running(int kind)
{
	return kind == QUOTA_RUNNING || kind == QUOTA_CPU || kind == QUOTA_MEMORY ||
	       kind == QUOTA_GPU || kind >= QUOTA_KINDS;
}

/* INT64_MAX: no limit. */
static inline int64_t quota_get(const struct quota *m, enum quota_kind kind)
{
	return quota_has(m, kind) ? m->of[kind] : INT64_MAX;
}

/* Sets the limit, unless a lower one is set. */
static inline void quota_lower(struct quota *m, enum quota_kind kind, int64_t value)
{
	if (value < quota_get(m, kind))
		quota_put(m, kind, value);
}

bool quota_equal(const struct quota *a, const struct quota *b);
/* The number of jobs that may be submitted at once under its rate. */
int64_t quota_burst(const struct quota *m);

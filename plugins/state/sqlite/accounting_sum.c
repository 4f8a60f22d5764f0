/*
 * Sums over the attempts of a period, by user, account, queue, class, label or interval of time.
 *
 * In: a filter and what to add up by. Out: a sum for each key, in no order. One walk over the table in the
 * order of its key: SQLite would sort all rows to group them, in memory, while a table of sums is as small
 * as the answer. The number of keys is bounded, and so is the memory of the waiting times (wait_times.h).
 */
#include "accounting.h"
#include "error.h"
#include "wait_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { KEYS_MAX = 20000 };

/* Columns of the query. */
enum {
	COL_START,
	COL_END,
	COL_ELIGIBLE,
	COL_LOST,
	COL_CPU,
	COL_GPUS,
	COL_MEMORY,
	COL_CPU_USED,
	COL_PEAK,
	COL_TASKS,
	COL_KEY,
};

static const char columns[] = "a.start_us, a.end_us, a.eligible_us, a.lost, a.cpu_milli, a.gpus, "
			      "a.memory_bytes, a.cpu_us, a.peak_bytes, a.tasks, ";

static const char *const key_columns[] = {
	[ARMADA_SUM_USER] = "a.user",   [ARMADA_SUM_ACCOUNT] = "a.account",
	[ARMADA_SUM_QUEUE] = "a.queue", [ARMADA_SUM_CLASS] = "a.class",
	[ARMADA_SUM_TIME] = "a.job", /* not used */
	[ARMADA_SUM_LABEL] = "l.value",
};

/* enum Lost of client.proto. */
enum { LOST_PREEMPTION = 1, LOST_NODE = 2, LOST_REQUEUE = 3 };

struct sum {
	struct armada_attempt_sum out;
	struct wait_times waits;
	UT_hash_handle hh;
	char key[];
};

struct sums {
	enum armada_sum_by by;
	struct sum *keys;       /* by key */
	struct sum **intervals; /* with ARMADA_SUM_TIME; NULL: nothing yet */
	const int64_t *bounds;
	size_t bound_count;
};

/* The amounts of an attempt. */
struct attempt {
	int64_t start_us, end_us, eligible_us;
	int lost;
	double cpu, gpus, memory, memory_peak;
	double cpu_used; /* negative: not known */
};

static struct sum *sum_new(const char *key)
{
	size_t len = strlen(key);
	struct sum *s = calloc(1, sizeof(*s) + len + 1);

	if (!s)
		return NULL;
	memcpy(s->key, key, len + 1);
	s->out.key = s->key;
	return s;
}

static void read_attempt(sqlite3_stmt *st, struct attempt *a)
{
	double tasks = sqlite3_column_double(st, COL_TASKS);

	*a = (struct attempt){
		.start_us = sqlite3_column_int64(st, COL_START),
		.end_us = sqlite3_column_int64(st, COL_END),
		.eligible_us = sqlite3_column_int64(st, COL_ELIGIBLE),
		.lost = sqlite3_column_int(st, COL_LOST),
		.cpu = sqlite3_column_double(st, COL_CPU),
		.gpus = sqlite3_column_double(st, COL_GPUS),
		.memory = sqlite3_column_double(st, COL_MEMORY),
		.cpu_used = -1,
		.memory_peak = -1,
	};
	if (sqlite3_column_type(st, COL_CPU_USED) != SQLITE_NULL)
		a->cpu_used = sqlite3_column_double(st, COL_CPU_USED);
	if (sqlite3_column_type(st, COL_PEAK) != SQLITE_NULL)
		a->memory_peak = sqlite3_column_double(st, COL_PEAK) * (tasks > 1 ? tasks : 1);
}

static void add_lost(struct armada_attempt_sum *s, const struct attempt *a, double us)
{
	if (a->lost == LOST_PREEMPTION) {
		s->cpu_lost_preempted += a->cpu * us;
		s->gpu_lost_preempted += a->gpus * us;
	} else if (a->lost == LOST_NODE) {
		s->cpu_lost_node += a->cpu * us;
		s->gpu_lost_node += a->gpus * us;
	} else if (a->lost == LOST_REQUEUE) {
		s->cpu_lost_other += a->cpu * us;
		s->gpu_lost_other += a->gpus * us;
	}
}

/* Adds the part of the attempt from from_us to to_us. */
static int add_part(struct sum *sum, const struct attempt *a, int64_t from_us, int64_t to_us)
{
	struct armada_attempt_sum *s = &sum->out;
	int64_t begin_us = a->start_us > from_us ? a->start_us : from_us;
	int64_t stop_us = a->end_us < to_us ? a->end_us : to_us;
	double us = stop_us > begin_us ? (double)(stop_us - begin_us) : 0;
	double whole_us = (double)(a->end_us - a->start_us), used;

	s->attempts++;
	s->cpu += a->cpu * us;
	s->gpu += a->gpus * us;
	add_lost(s, a, us);
	if (a->cpu_used >= 0) {
		used = whole_us > 0 ? a->cpu_used * 1000 * us / whole_us : 0;
		s->cpu_used += used;
		s->cpu_measured += a->cpu * us;
		s->cpu_idle += used < a->cpu * us ? a->cpu * us - used : 0;
	}
	if (a->memory_peak >= 0) {
		s->memory += a->memory * us;
		s->memory_peak += a->memory_peak * us;
	}
	if (a->start_us < from_us || a->start_us >= to_us)
		return 0;
	s->waits++;
	return wait_times_add(&sum->waits, a->eligible_us && a->start_us > a->eligible_us
						   ? a->start_us - a->eligible_us
						   : 0);
}

/* The first interval that ends after the time. */
static size_t interval_of(const struct sums *all, int64_t at_us)
{
	size_t lo = 0, hi = all->bound_count - 1;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all->bounds[mid + 1] > at_us)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static int add_to_intervals(struct sums *all, const struct attempt *a)
{
	for (size_t i = interval_of(all, a->start_us);
	     i + 1 < all->bound_count && all->bounds[i] < a->end_us; i++) {
		int rc;

		if (!all->intervals[i] && !(all->intervals[i] = sum_new("")))
			return -ENOMEM;
		all->intervals[i]->out.from_us = all->bounds[i];
		rc = add_part(all->intervals[i], a, all->bounds[i], all->bounds[i + 1]);
		if (rc)
			return rc;
	}
	return 0;
}

static int add_to_key(struct sums *all, const struct attempt *a, const char *key, int64_t from_us,
		      int64_t to_us)
{
	struct sum *s;

	HASH_FIND_STR(all->keys, key, s);
	if (!s) {
		if (HASH_COUNT(all->keys) >= KEYS_MAX)
			return -E2BIG;
		s = sum_new(key);
		if (!s)
			return -ENOMEM;
		HASH_ADD_KEYPTR(hh, all->keys, s->key, strlen(s->key), s);
	}
	return add_part(s, a, from_us, to_us);
}

static int sum_pass(struct accounting_query *q, enum accounting_pass pass, struct sums *all,
		    struct armada_error *err)
{
	const struct armada_attempt_filter *f = q->filter;
	char text[256];
	const char *joins = q->with_label ? ACCOUNTING_JOIN_LABEL : "";
	struct attempt a;
	int rc, added = 0;

	sqlite3_snprintf(sizeof(text), text, "%s%s", columns, key_columns[all->by]);
	/* the order is that of the table, so that nothing is sorted */
	rc = accounting_prepare(q, pass, text, joins, "AND a.start_us > 0", err);
	while (!rc && !added) {
		const char *key;

		rc = accounting_step(q, err);
		if (rc <= 0)
			break;
		rc = 0;
		read_attempt(q->st, &a);
		if (all->by == ARMADA_SUM_TIME) {
			added = add_to_intervals(all, &a);
			continue;
		}
		key = (const char *)sqlite3_column_text(q->st, COL_KEY);
		added = add_to_key(all, &a, key ? key : "", f->from_us, f->to_us);
	}
	sqlite3_finalize(q->st);
	q->st = NULL;
	if (added == -E2BIG)
		return fail(err, -E2BIG, "more than %d different names: select fewer", KEYS_MAX);
	return added ? fail(err, added, "out of memory") : rc;
}

static int tell(struct sum *s, armada_sum_fn *on_sum, void *arg)
{
	s->out.wait_p50_us = wait_times_quantile(&s->waits, 50);
	s->out.wait_p95_us = wait_times_quantile(&s->waits, 95);
	return on_sum(arg, &s->out);
}

static int tell_all(struct sums *all, armada_sum_fn *on_sum, void *arg)
{
	int rc = 0;

	for (struct sum *s = all->keys; s && !rc; s = s->hh.next)
		rc = tell(s, on_sum, arg);
	for (size_t i = 0; all->intervals && i + 1 < all->bound_count && !rc; i++)
		if (all->intervals[i])
			rc = tell(all->intervals[i], on_sum, arg);
	return rc;
}

static void sum_free(struct sum *s)
{
	if (s)
		wait_times_done(&s->waits);
	free(s);
}

static void sums_done(struct sums *all)
{
	struct sum *s, *next;

	HASH_ITER (hh, all->keys, s, next) {
		HASH_DEL(all->keys, s);
		sum_free(s);
	}
	for (size_t i = 0; all->intervals && i + 1 < all->bound_count; i++)
		sum_free(all->intervals[i]);
	free(all->intervals);
}

static int check(const struct armada_attempt_filter *f, enum armada_sum_by by,
		 const int64_t *bounds, size_t count, struct armada_error *err)
{
	if ((unsigned)by >= sizeof(key_columns) / sizeof(key_columns[0]) || !key_columns[by])
		return fail(err, -EINVAL, "attempts cannot be added up by %d", (int)by);
	if (by == ARMADA_SUM_LABEL && (!f->sum_label || !f->sum_label[0]))
		return fail(err, -EINVAL, "sums by label need the key of a label");
	if (by == ARMADA_SUM_TIME && (count < 2 || count > KEYS_MAX))
		return fail(err, -EINVAL, "%zu bounds: expected 2 to %d", count, KEYS_MAX);
	for (size_t i = 1; by == ARMADA_SUM_TIME && i < count; i++)
		if (bounds[i] <= bounds[i - 1])
			return fail(err, -EINVAL, "the bounds do not rise");
	return 0;
}

int accounting_sum(void *handle, const struct armada_attempt_filter *f, enum armada_sum_by by,
		   const int64_t *bounds, size_t bound_count, armada_sum_fn *on_sum, void *arg,
		   struct armada_error *err)
{
	struct store *s = handle;
	struct sums all = {.by = by, .bounds = bounds, .bound_count = bound_count};
	struct accounting_query q = {
		.db = &s->accounts, .filter = f, .with_label = by == ARMADA_SUM_LABEL};
	int rc = check(f, by, bounds, bound_count, err);

	if (!rc && by == ARMADA_SUM_TIME &&
	    !(all.intervals = calloc(bound_count, sizeof(*all.intervals))))
		rc = fail(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = accounting_begin(s, f, err);
	if (rc) {
		sums_done(&all);
		return rc;
	}
	for (int pass = 0; pass < PASS_COUNT && !rc; pass++)
		rc = sum_pass(&q, pass, &all, err);
	accounting_end(s, rc, err);
	if (!rc)
		rc = tell_all(&all, on_sum, arg);
	sums_done(&all);
	return rc;
}

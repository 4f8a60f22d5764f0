/*
 * Accounting of state/sqlite: attempts by filter and page, sums that are calculated by hand, the import of
 * the rows of an earlier release, retention by age and size, the SQL views, and a damaged file.
 */
#include "unit/state/harness.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define S    INT64_C(1000000)
#define HOUR (3600 * S)
#define DAY  (24 * HOUR)
/* 2026-01-01 */
#define BASE (INT64_C(1767225600) * S)

enum { RUNS = 6, FAILED = 7, CANCELLED = 8, PREEMPTED = 10, NODE_FAIL = 11 };
enum { KEEP = 4, SIZE = 5 }; /* indexes of options */

static void *handle;

/* A plain attempt of one hour with 2 cpus and 1 GiB, of which 1 cpu-hour and 512 MiB were used. */
static struct armada_attempt attempt(uint64_t job, const char *user, int64_t start_us)
{
	static const struct armada_attempt_label labels[] = {{"project", "alpha"}, {"x", "y"}};

	return (struct armada_attempt){
		.job = job,
		.labels = labels,
		.label_count = user[0] == 'a' ? 2 : 0,
		.attempt = 1,
		.state = RUNS,
		.uid = user[0],
		.user = user,
		.account = user[0] == 'a' ? "physics" : "",
		.queue = "main",
		.job_set = "",
		.name = "n",
		.priority_class = "normal",
		.submit_us = start_us - 60 * S,
		.eligible_us = start_us - 30 * S,
		.start_us = start_us,
		.end_us = start_us + HOUR,
		.reason = "",
		.by = "",
		.for_queue = "",
		.tasks = 1,
		.node_count = 1,
		.nodes = "n1",
		.cpu_milli = 2000,
		.memory_bytes = INT64_C(1) << 30,
		.gpus = 0,
		.resources = "{}",
		.cpu_us = HOUR,
		.user_us = HOUR / 2,
		.system_us = HOUR / 2,
		.peak_bytes = INT64_C(512) << 20,
		.read_bytes = 1,
		.written_bytes = 2,
	};
}

static struct armada_history_row row_of(const struct armada_attempt *a)
{
	static char text[64][32];
	static int next;
	char *t = text[next++ % 64];

	snprintf(t, 32, "%d.%u.%u", (int)a->job, a->first_element, a->attempt);
	return (struct armada_history_row){
		.seq = 1,
		.job = a->job,
		.first_element = a->first_element,
		.last_element = a->last_element,
		.attempt = a->attempt,
		.uid = a->uid,
		.user = a->user,
		.queue = a->queue,
		.job_set = a->job_set,
		.name = a->name,
		.nodes = a->nodes,
		.account = a->account,
		.state = a->state,
		.submit_us = a->submit_us,
		.start_us = a->start_us,
		.end_us = a->end_us,
		.row = t,
		.row_len = strlen(t) + 1,
	};
}

/* As the host does: the attempt first, then its row, and the job with a script. */
static void put(const struct armada_attempt *a)
{
	struct armada_history_row r = row_of(a);
	struct armada_history_job job = {.seq = 1, .job = a->job, .detail = "d", .detail_len = 1};

	job.script.data = "script";
	job.script.len = 6;
	memset(job.script.hash, (int)(a->job & 0xff), sizeof(job.script.hash));
	if (ops->accounting_put(handle, a, 1, &err))
		bail("%s", err.text);
	if (a->requeued ? ops->attempts_put(handle, &r, 1, &err)
			: ops->history_put(handle, 1, &r, 1, &job, 1, &err))
		bail("%s", err.text);
}

static void put_all(void)
{
	struct armada_attempt a;

	a = attempt(1, "ann", BASE);
	put(&a);
	a = attempt(2, "bob", BASE + HOUR);
	a.gpus = 1;
	put(&a);
	a = attempt(3, "ann", BASE + 2 * HOUR); /* preempted after an hour, then done */
	a.state = PREEMPTED;
	a.lost = 1;
	a.requeued = true;
	put(&a);
	a = attempt(3, "ann", BASE + 4 * HOUR);
	a.attempt = 2;
	a.eligible_us = BASE + 3 * HOUR;
	put(&a);
	a = attempt(4, "bob", BASE + 5 * HOUR); /* its node failed; its use is not known */
	a.state = NODE_FAIL;
	a.lost = 2;
	a.cpu_us = a.user_us = a.system_us = a.peak_bytes = -1;
	put(&a);
	a = attempt(5, "cid", 0); /* cancelled before it started */
	a.submit_us = BASE;
	a.start_us = a.eligible_us = 0;
	a.end_us = BASE + 6 * HOUR;
	a.state = CANCELLED;
	a.last_element = 9;
	put(&a);
	a = attempt(6, "ann", BASE - 3 * DAY); /* it runs for four days */
	a.end_us = BASE + DAY;
	a.cpu_us = 4 * DAY;
	put(&a);
}

static char listed[4096];

static int on_row(void *arg, const void *row, size_t len)
{
	size_t n = strlen(listed);

	(void)arg, (void)len;
	snprintf(listed + n, sizeof(listed) - n, "%s%s", n ? " " : "", (const char *)row);
	return 0;
}

static struct armada_attempt_filter period(int64_t from_us, int64_t to_us)
{
	return (struct armada_attempt_filter){.from_us = from_us, .to_us = to_us};
}

static const char *list(struct armada_attempt_filter f)
{
	listed[0] = '\0';
	if (ops->accounting_list(handle, &f, on_row, NULL, &err))
		bail("accounting_list: %s", err.text);
	return listed;
}

static bool always(void *arg)
{
	(*(int *)arg)++;
	return true;
}

static void test_list(void)
{
	static const char *const ann[] = {"ann"}, *const physics[] = {"physics"},
				 *const both[] = {"ann", "cid"};
	const int32_t preempted[] = {PREEMPTED};
	struct armada_history_ids ids = {3, 4};
	struct armada_attempt_filter f = period(0, INT64_MAX / 2);

	is_str(list(f), "1.0.1 2.0.1 3.0.1 3.0.2 4.0.1 5.0.1 6.0.1",
	       "all, in the order of the ends");
	is_str(list(period(BASE + HOUR, BASE + 2 * HOUR)), "1.0.1 2.0.1 6.0.1",
	       "those that ran in an hour, or ended at its beginning");
	is_str(list(period(BASE - DAY, BASE)), "6.0.1", "one that ended more than a day later");
	is_str(list(period(BASE - 9 * DAY, BASE - 4 * DAY)), "", "none ran then");
	f.users = ann;
	f.user_count = 1;
	is_str(list(f), "1.0.1 3.0.1 3.0.2 6.0.1", "of a user");
	f.states = preempted;
	f.state_count = 1;
	is_str(list(f), "3.0.1", "of a user and in a state");
	f = period(0, INT64_MAX / 2);
	f.accounts = physics;
	f.account_count = 1;
	f.ids = &ids;
	f.id_count = 1;
	is_str(list(f), "3.0.1 3.0.2", "of an account and some ids");
	f = period(0, INT64_MAX / 2);
	f.users = both;
	f.user_count = 2;
	f.limited = true;
	f.viewer_uid = 'c';
	is_str(list(f), "5.0.1", "a viewer who sees only own attempts");
	f = period(0, INT64_MAX / 2);
	f.newest_first = true;
	f.limit = 2;
	is_str(list(f), "6.0.1 5.0.1", "the newest two");
	f.newest_first = false;
	f.limit = 3;
	f.has_after = true;
	f.after_end_us = BASE + 2 * HOUR;
	f.after_job = 2;
	f.after_attempt = 1;
	is_str(list(f), "3.0.1 3.0.2 4.0.1", "the next page");
}

static void test_stop(void)
{
	struct armada_attempt_filter f = period(0, INT64_MAX / 2);
	int asked = 0;

	f.stop = always;
	f.stop_arg = &asked;
	for (uint64_t job = 1000; job < 2500; job++) {
		struct armada_attempt a = attempt(job, "zoe", BASE - 90 * DAY);

		if (ops->accounting_put(handle, &a, 1, &err))
			bail("%s", err.text);
	}
	is_int(ops->accounting_sum(handle, &f, ARMADA_SUM_USER, NULL, 0, NULL, NULL, &err),
	       -ECANCELED, "a sum is stopped");
	ok(asked > 0, "the filter was asked");
}

/* Cpu-hours and the like as text. */
static char summed[4096];

static int on_sum(void *arg, const struct armada_attempt_sum *s)
{
	const double unit = 1000.0 * (double)HOUR;
	size_t n = strlen(summed);

	if (strcmp(s->key, "zoe") == 0)
		return 0;
	snprintf(summed + n, sizeof(summed) - n,
		 "%s%s:%d %.2f used %.2f idle %.2f lost %.2f %.2f gpu %.2f", n ? "; " : "",
		 arg ? "" : s->key, (int)s->attempts, s->cpu / unit, s->cpu_used / unit,
		 s->cpu_idle / unit, s->cpu_lost_preempted / unit, s->cpu_lost_node / unit,
		 s->gpu / (double)HOUR);
	return 0;
}

static const char *sum(struct armada_attempt_filter f, enum armada_sum_by by)
{
	summed[0] = '\0';
	if (ops->accounting_sum(handle, &f, by, NULL, 0, on_sum, NULL, &err))
		bail("accounting_sum: %s", err.text);
	return summed;
}

static int on_waits(void *arg, const struct armada_attempt_sum *s)
{
	if (strcmp(s->key, "ann") == 0)
		*(struct armada_attempt_sum *)arg = *s;
	return 0;
}

static void test_sums(void)
{
	const int64_t hours[] = {BASE, BASE + HOUR / 2, BASE + HOUR, BASE + 90 * HOUR / 60};
	struct armada_attempt_filter f = period(BASE, BASE + 10 * HOUR);
	struct armada_attempt_sum ann = {0};

	/* ann: three hours with 2 cpus, and ten hours of the long one, which used one of its two cpus */
	is_str(sum(f, ARMADA_SUM_USER),
	       "ann:4 26.00 used 13.00 idle 13.00 lost 2.00 0.00 gpu 0.00; "
	       "bob:2 4.00 used 1.00 idle 1.00 lost 0.00 2.00 gpu 1.00",
	       "sums by user");
	is_str(sum(period(BASE - 2 * DAY, BASE - DAY), ARMADA_SUM_QUEUE),
	       "main:1 48.00 used 24.00 idle 24.00 lost 0.00 0.00 gpu 0.00",
	       "a day in the past, of which one attempt has a part");
	ops->accounting_sum(handle, &f, ARMADA_SUM_USER, NULL, 0, on_waits, &ann, &err);
	is_int((long long)ann.waits, 3, "three attempts of ann started in the period");
	is_int(ann.wait_p50_us / S, 30, "half of them waited 30 s at most");
	is_int(ann.wait_p95_us / S, 3600, "the longest waited an hour, from the preemption on");
	summed[0] = '\0';
	is_int(ops->accounting_sum(handle, &f, ARMADA_SUM_TIME, hours, 4, on_sum, &f, &err), 0,
	       "sums of three intervals");
	is_str(summed,
	       ":2 2.00 used 1.00 idle 1.00 lost 0.00 0.00 gpu 0.00; "
	       ":2 2.00 used 1.00 idle 1.00 lost 0.00 0.00 gpu 0.00; "
	       ":2 2.00 used 1.00 idle 1.00 lost 0.00 0.00 gpu 0.50",
	       "an attempt is divided among them");
	is_int(ops->accounting_sum(handle, &f, ARMADA_SUM_TIME, hours, 1, on_sum, &f, &err),
	       -EINVAL, "one bound is no interval");
	is_int(ops->accounting_sum(handle, &f, (enum armada_sum_by)9, NULL, 0, on_sum, &f, &err),
	       -EINVAL, "by something unknown");
}

static int64_t query(const char *dir, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (sqlite3_open_v2(harness_path(dir, "history.db"), &db, SQLITE_OPEN_READWRITE, NULL) ==
		    SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK) {
		int rc = sqlite3_step(st);

		n = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : rc == SQLITE_DONE ? 0 : -2;
	} else {
		diag("%s: %s", sql, sqlite3_errmsg(db));
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void test_views(const char *dir)
{
	is_int(query(dir, "SELECT count(*) FROM attempts WHERE user <> 'zoe'"), 7,
	       "the view attempts");
	is_int(query(dir, "SELECT count(*) FROM jobs WHERE job_id = 3"), 1,
	       "the view jobs has ends only");
	is_int(query(dir, "SELECT sum(lost = 'preemption' AND state = 'PREEMPTED') FROM attempts"),
	       1, "states in words");
	is_int(query(dir, "SELECT round(sum(cpu_hours_lost_node) * 100) FROM usage_by_day"), 200,
	       "the view usage_by_day");
	is_int(query(dir, "SELECT 1000 * cpus + elapsed_s FROM attempts WHERE job_id = 1"), 5600,
	       "units");
	is_int(query(dir, "SELECT version FROM history_schema"), 1, "the version of the views");
}

/* Makes an attempt of the text that row_of() made. */
static int attempt_of(void *arg, const void *row, size_t len, struct armada_attempt *ret)
{
	int job;
	unsigned element, number;

	(void)len;
	if (sscanf(row, "%d.%u.%u", &job, &element, &number) != 3)
		return -EBADMSG;
	*ret = attempt((uint64_t)job, "ancient", *(int64_t *)arg);
	ret->first_element = ret->last_element = element;
	ret->attempt = number;
	ret->requeued = job == 3 && number == 1;
	return 0;
}

static int tidy(int64_t now_us)
{
	int64_t start_us = BASE;
	int steps = 0, rc;

	while ((rc = ops->history_tidy(handle, now_us, attempt_of, &start_us, &err)) > 0)
		if (++steps > 1000)
			bail("history_tidy never ends");
	if (rc)
		bail("history_tidy: %s", err.text);
	return steps;
}

static void reopen(const char *dir)
{
	if (handle)
		ops->close(handle);
	if (state_open(dir, &handle, NULL))
		bail("%s", err.text);
}

/* A history of a release without attempts: they are made of its rows, in steps. */
static void test_import(const char *dir)
{
	struct armada_history_space space;

	ops->close(handle);
	handle = NULL;
	query(dir, "DROP VIEW attempts");
	query(dir, "DROP VIEW jobs");
	query(dir, "DROP VIEW usage_by_day");
	query(dir, "DROP TABLE accounting");
	query(dir, "DROP TABLE imported");
	query(dir, "DROP TABLE blob_used");
	reopen(dir);
	is_str(harness_logged(), "", "such a history is opened silently");
	is_str(list(period(0, INT64_MAX / 2)), "", "at first there are no attempts");
	ok(tidy(BASE) >= 3, "they are imported in steps");
	is_str(list(period(0, INT64_MAX / 2)), "1.0.1 2.0.1 3.0.1 3.0.2 4.0.1 5.0.1 6.0.1",
	       "then all are there");
	is_int(query(dir, "SELECT count(*) FROM blob_used"), 6, "the use of scripts, too");
	ops->history_space(handle, &space, &err);
	ok(!space.incomplete && space.used_bytes > 4096 && space.oldest_us == BASE + HOUR,
	   "the space is known, and that nothing is missing");
	reopen(dir);
	is_int(tidy(BASE), 1, "another start imports nothing again");
}

/* More events than a step deletes, a second apart, of two sets. */
static void put_events(int64_t last_us, size_t count)
{
	struct armada_history_event *list = calloc(2 * count, sizeof(*list));

	for (size_t i = 0; i < 2 * count; i++)
		list[i] = (struct armada_history_event){
			.seq = 1,
			.queue = "q",
			.job_set = i < count ? "gone" : "kept",
			.number = i % count + 1,
			.time_us = last_us - (i < count ? 100 * DAY : 0) -
				   (int64_t)(count - i % count) * S,
			.job = 1,
			.kind = 1,
			.body = "",
		};
	if (ops->events_put(handle, list, 2 * count, &err) < 0)
		bail("events_put: %s", err.text);
	list[0].number = count + 1;
	list[0].time_us = last_us;
	if (ops->events_put(handle, list, 1, &err) < 0)
		bail("events_put: %s", err.text);
	free(list);
}

static void test_age(const char *dir)
{
	int64_t now_us = BASE + 100 * DAY;
	void *detail, *script, *env;
	size_t len, script_len, env_len;
	struct armada_history_space space;
	struct armada_attempt a = attempt(9, "ann", now_us - 10 * DAY);

	put(&a);
	put_events(now_us - 5 * DAY, 1200);
	tidy(now_us);
	is_int(query(dir, "SELECT count(*) FROM event"), 2401, "no event is deleted either");
	is_int(query(dir, "SELECT count(*) FROM row"), 7, "without an option nothing is deleted");
	harness_option(KEEP, 30 * DAY);
	reopen(dir);
	tidy(BASE + 3000 * DAY);
	is_int(query(dir, "SELECT count(*) FROM row"), 1,
	       "old rows are deleted, but not those that only a wrong clock makes old");
	is_int(query(dir, "SELECT count(*) FROM accounting"), 1, "as attempts, too");
	is_int(query(dir, "SELECT count(*) FROM event"), 1201,
	       "old events are deleted in steps, and the later one of the same set is kept");
	is_int(query(dir, "SELECT count(*) FROM attempt"), 0, "also those that were requeued");
	is_int(query(dir, "SELECT count(*) FROM account"), 1, "the accounts of the others stay");
	is_int(query(dir, "SELECT count(*) FROM blob"), 1, "scripts go with their jobs");
	is_int(ops->history_job(handle, 1, &detail, &len, &script, &script_len, &env, &env_len,
				&err),
	       -ENOENT, "the job is gone");
	ops->history_space(handle, &space, &err);
	is_int((long long)space.pruned, 7, "the number is told");
	is_int(space.keep_us / DAY, 30, "and the option");
	harness_option(KEEP, 0);
}

static void test_size(const char *dir)
{
	static char text[4000];
	struct armada_history_space space;

	harness_option(SIZE, 1 << 20);
	reopen(dir);
	memset(text, 'x', sizeof(text) - 1);
	for (uint64_t job = 100; job < 600; job++) {
		struct armada_attempt a = attempt(job, "ann", BASE + (int64_t)job * S);

		a.reason = text;
		put(&a);
	}
	tidy(BASE + DAY);
	ops->history_space(handle, &space, &err);
	ok(space.used_bytes <= 1 << 20, "the history is as small as it must be: %lld",
	   (long long)space.used_bytes);
	ok(query(dir, "SELECT count(*) FROM job_label WHERE job = 599") == 2 &&
		   query(dir, "SELECT count(*) FROM job_label WHERE job = 100") == 0,
	   "labels of jobs that are not kept went, others not");
	ok(query(dir, "SELECT count(*) FROM accounting WHERE job = 599") == 1 &&
		   query(dir, "SELECT count(*) FROM accounting WHERE job = 100") == 0,
	   "the oldest went");
	harness_option(SIZE, 0);
}

static void test_labels(void)
{
	struct armada_attempt_filter f = period(BASE, BASE + 10 * HOUR);

	f.sum_label = "project";
	is_str(sum(f, ARMADA_SUM_LABEL),
	       "alpha:4 26.00 used 13.00 idle 13.00 lost 2.00 0.00 gpu 0.00; "
	       ":2 4.00 used 1.00 idle 1.00 lost 0.00 2.00 gpu 1.00",
	       "sums by the values of a label");
	f.users = (const char *const[]){"ann"};
	f.user_count = 1;
	f.sum_label = "nothing";
	is_str(sum(f, ARMADA_SUM_LABEL), ":4 26.00 used 13.00 idle 13.00 lost 2.00 0.00 gpu 0.00",
	       "of a user, by a label that no job has");
	f.sum_label = "";
	is_int(ops->accounting_sum(handle, &f, ARMADA_SUM_LABEL, NULL, 0, on_sum, NULL, &err),
	       -EINVAL, "without a key");
}

/* A foreign view may do anything when it is read. */
static void test_strange(const char *dir)
{
	struct armada_attempt a = attempt(7, "ann", BASE);

	ops->close(handle);
	handle = NULL;
	query(dir, "DROP VIEW jobs");
	query(dir, "CREATE VIEW jobs AS SELECT 7 AS mine");
	reopen(dir);
	is_str(harness_logged(), "", "a view of another release is made again");
	ok(query(dir, "SELECT count(job_id) FROM jobs") > 0, "as it has to be");
	ops->close(handle);
	handle = NULL;
	query(dir, "CREATE VIEW strange AS SELECT 7 AS mine");
	reopen(dir);
	ok(strstr(harness_logged(), "holds view strange") &&
		   strstr(harness_logged(), "was set aside"),
	   "a foreign view: the file is set aside, and that is logged");
	put(&a);
	is_str(list(period(0, INT64_MAX / 2)), "7.0.1", "the new history has attempts");
	is_int(query(dir, "SELECT count(*) FROM attempts"), 1, "and views");
}

int main(void)
{
	const char *dir;

	harness_load();
	dir = harness_dir();
	if (state_init(dir) || state_open(dir, &handle, NULL) || state_append(handle, 1, 1))
		bail("%s", err.text);
	put_all();
	put_all();
	test_list();
	test_sums();
	test_labels();
	test_views(dir);
	test_stop();
	test_import(dir);
	test_age(dir);
	test_size(dir);
	test_strange(dir);
	ops->close(handle);
	return harness_done();
}

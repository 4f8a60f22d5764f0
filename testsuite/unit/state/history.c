/*
 * The history of state/sqlite: repeated writes, every filter, pages, jobs with scripts, shares, and
 * use by several threads.
 */
#include "unit/state/harness.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS 10000

static void *handle;

static void row_of(uint64_t job, char text[3][32], struct armada_history_row *ret_row)
{
	snprintf(text[0], 32, "user%d", (int)(job % 7));
	snprintf(text[1], 32, "queue%d", (int)(job % 5));
	snprintf(text[2], 32, "set%d", (int)(job % 11));
	*ret_row = (struct armada_history_row){
		.seq = job,
		.job = job,
		.first_element = 0,
		.last_element = 0,
		.attempt = 1,
		.uid = 1000 + (uint32_t)(job % 7),
		.user = text[0],
		.queue = text[1],
		.job_set = text[2],
		.name = job % 2 ? "odd" : "even",
		.nodes = "n[1-3]",
		.state = (int32_t)(job % 3),
		.submit_us = 1,
		.start_us = 2,
		.end_us = (int64_t)job,
		.row = text[0],
		.row_len = strlen(text[0]),
		.account = job % 6 == 1   ? "a1"
			   : job % 6 == 2 ? "a2"
			   : job % 6 == 3 ? ""
					  : NULL,
	};
}

static int put_jobs(uint64_t first, uint64_t last, uint64_t seq)
{
	static struct armada_history_row rows[JOBS];
	static char texts[JOBS][3][32];
	size_t n = 0;

	for (uint64_t job = first; job <= last; job++, n++)
		row_of(job, texts[n], &rows[n]);
	return ops->history_put(handle, seq, rows, n, NULL, 0, &err);
}

struct found {
	uint64_t rows, wrong, stop_after;
	uint64_t last_job;
	int64_t last_element;
};

static int on_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *row,
		  size_t len)
{
	struct found *f = arg;
	char text[3][32];
	struct armada_history_row want;

	row_of(job, text, &want);
	if (first > last || (job <= JOBS && (len != want.row_len || memcmp(row, want.row, len))))
		f->wrong++;
	if (job < f->last_job || (job == f->last_job && first < f->last_element))
		f->wrong++;
	f->last_job = job;
	f->last_element = first;
	f->rows++;
	return f->stop_after && f->rows == f->stop_after ? 7 : 0;
}

static struct found find(const struct armada_history_filter *filter)
{
	struct found f = {0};

	if (ops->history_find(handle, filter, on_row, &f, &err) != 0)
		bail("history_find does not return 0: %s", err.text);
	return f;
}

static uint64_t count_if(bool (*fn)(uint64_t job))
{
	uint64_t n = 0;

	for (uint64_t job = 1; job <= JOBS; job++)
		n += fn(job);
	return n;
}

static bool if_user3(uint64_t job)
{
	return job % 7 == 3;
}

static bool if_two_users(uint64_t job)
{
	return job % 7 == 3 || job % 7 == 4;
}

static bool if_queue2(uint64_t job)
{
	return job % 5 == 2;
}

static bool if_set10(uint64_t job)
{
	return job % 11 == 10;
}

static bool if_odd(uint64_t job)
{
	return job % 2;
}

static bool if_account1(uint64_t job)
{
	return job % 6 == 1;
}

static bool if_two_accounts(uint64_t job)
{
	return (job % 6 == 1 || job % 6 == 2) && job % 7 == 3;
}

static bool if_account_ids(uint64_t job)
{
	return job % 6 == 1 && ((job >= 5 && job <= 12) || (job >= 100 && job <= 300));
}

static bool if_states(uint64_t job)
{
	return job % 3 != 1;
}

static bool if_all(uint64_t job)
{
	return job % 7 == 3 && job % 5 == 2 && job % 2 && job % 3 != 1;
}

static bool if_ids(uint64_t job)
{
	return (job >= 5 && job <= 12) || (job >= 100 && job <= 300) || job == 9999;
}

static void test_filters(void)
{
	static const char *const user3[] = {"user3"}, *const users[] = {"user3", "user4"};
	static const char *const queue2[] = {"queue2"}, *const set10[] = {"set10"};
	static const char *const odd[] = {"odd"}, *const none[] = {"user", "' OR 1 --", ""};
	static const char *const accounts[] = {"a1", "a2"};
	static const int32_t states[] = {0, 2};
	static const struct armada_history_ids ids[] = {
		{100, 200}, {9999, 9999}, {5, 12}, {7, 8}, {150, 300}, {20000, UINT64_MAX}, {9, 3}};
	const struct {
		const char *name;
		struct armada_history_filter filter;
		bool (*fn)(uint64_t job);
	} tests[] = {
		{"a user", {.users = user3, .user_count = 1}, if_user3},
		{"two users", {.users = users, .user_count = 2}, if_two_users},
		{"a queue", {.queues = queue2, .queue_count = 1}, if_queue2},
		{"a job set", {.job_sets = set10, .job_set_count = 1}, if_set10},
		{"a name", {.names = odd, .name_count = 1}, if_odd},
		{"an account", {.accounts = accounts, .account_count = 1}, if_account1},
		{"two accounts and a user",
		 {.accounts = accounts, .account_count = 2, .users = user3, .user_count = 1},
		 if_two_accounts},
		{"an account and ids",
		 {.accounts = accounts, .account_count = 1, .ids = ids, .id_count = 7},
		 if_account_ids},
		{"states", {.states = states, .state_count = 2}, if_states},
		{"ids, overlapping and in any order", {.ids = ids, .id_count = 7}, if_ids},
		{"all at once",
		 {.users = user3,
		  .user_count = 1,
		  .queues = queue2,
		  .queue_count = 1,
		  .names = odd,
		  .name_count = 1,
		  .states = states,
		  .state_count = 2},
		 if_all},
	};
	struct found f = find(&(struct armada_history_filter){0});

	ok(f.rows == JOBS && !f.wrong, "without a filter every row is found, in order");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		f = find(&tests[i].filter);
		is_int(f.rows, count_if(tests[i].fn), "filtered by %s", tests[i].name);
		is_int(f.wrong, 0, "the rows are in order and unchanged");
	}
	f = find(&(struct armada_history_filter){.users = none, .user_count = 3});
	is_int(f.rows, 0, "a partial name matches no row");
}

static uint64_t page_through(struct armada_history_filter filter, uint32_t limit, int *ret_pages)
{
	struct found f, all = {0};

	filter.limit = limit;
	*ret_pages = 0;
	do {
		f = find(&filter);
		all.rows += f.rows;
		all.wrong += f.wrong;
		filter.after_job = f.last_job;
		filter.after_element = (uint32_t)f.last_element;
		filter.has_after_element = true;
		++*ret_pages;
	} while (f.rows >= limit);
	return all.wrong ? 0 : all.rows;
}

static void test_pages(void)
{
	static const char *const user3[] = {"user3"};
	static const struct armada_history_ids ids[] = {{4000, 6000}, {1, 10}};
	int pages;

	is_int(page_through((struct armada_history_filter){0}, 7, &pages), JOBS,
	       "pages of 7 return every row");
	is_int(pages, JOBS / 7 + 1, "the number of pages is right");
	is_int(page_through((struct armada_history_filter){0}, 1000, &pages), JOBS,
	       "pages of 1000 return every row");
	is_int(page_through((struct armada_history_filter){.users = user3, .user_count = 1}, 13,
			    &pages),
	       count_if(if_user3), "pages of one user return every row");
	is_int(page_through((struct armada_history_filter){.ids = ids, .id_count = 2}, 100, &pages),
	       2011, "pages of ids return every row");
	is_int(find(&(struct armada_history_filter){.after_job = 9990}).rows, 10,
	       "after a job without an element the next jobs follow");
}

static void test_idempotence(void)
{
	struct armada_history_filter all = {0};

	is_int(put_jobs(1, 500, 100), 0, "rows are put again");
	is_int(put_jobs(9000, JOBS, JOBS), 0, "the last row is put again");
	is_int(find(&all).rows, JOBS, "the number of rows is unchanged");
}

static void test_array(void)
{
	struct armada_history_row rows[6];
	struct armada_history_ids id = {JOBS + 1, JOBS + 1};
	struct armada_history_filter filter = {.ids = &id, .id_count = 1};
	char text[3][32];
	int pages;

	for (uint32_t i = 0; i < 6; i++) {
		row_of(JOBS + 1, text, &rows[i]);
		rows[i].first_element = i / 2 * 10;
		rows[i].last_element = i / 2 * 10 + 9;
		rows[i].attempt = 1 + i % 2;
	}
	is_int(ops->history_put(handle, JOBS + 1, rows, 6, NULL, 0, &err), 0, "an array is put");
	is_int(find(&filter).rows, 6, "its ranges and attempts are stored");
	is_int(page_through(filter, 1, &pages), 6, "no attempt is lost between pages");
	filter.after_job = JOBS + 1;
	filter.after_element = 10;
	filter.has_after_element = true;
	is_int(find(&filter).rows, 2, "the cursor can be inside a job");
}

/* The attempts that attempts_find calls for, as the third part of the job, element and attempt. */
struct attempts {
	char text[256];
	uint32_t stop_after, count;
};

static int on_attempt(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *row,
		      size_t len)
{
	struct attempts *a = arg;
	size_t used = strlen(a->text);

	if (first != last)
		return -EINVAL;
	snprintf(a->text + used, sizeof(a->text) - used, "%s%d_%u:%.*s", used ? " " : "", (int)job,
		 first, (int)len, (const char *)row);
	return ++a->count == a->stop_after;
}

static const char *attempts(struct armada_history_filter filter)
{
	static struct attempts a;

	a = (struct attempts){.text = ""};
	if (ops->attempts_find(handle, &filter, on_attempt, &a, &err) < 0)
		bail("attempts_find: %s", err.text);
	return a.text;
}

static void test_attempts(void)
{
	static const struct {
		uint64_t job;
		uint32_t element, attempt;
		int32_t state;
		const char *user, *account, *row;
	} list[] = {
		{20, 3, 2, 9, "ann", "", "b"},   {20, 3, 1, 10, "ann", "", "a"},
		{20, 1, 1, 10, "ann", "", "a"},  {7, 0, 4, 10, "bob", "acme", "d"},
		{7, 0, 10, 9, "bob", NULL, "e"},
	};
	const struct armada_history_ids seven = {7, 7};
	const char *bob = "bob", *acme = "acme";
	const int32_t ten = 10;
	struct armada_history_row rows[5];

	for (size_t i = 0; i < 5; i++)
		rows[i] = (struct armada_history_row){
			.seq = 5,
			.job = list[i].job,
			.first_element = list[i].element,
			.last_element = list[i].element,
			.attempt = list[i].attempt,
			.state = list[i].state,
			.user = list[i].user,
			.queue = "q",
			.job_set = "",
			.name = "x",
			.nodes = "n1",
			.account = list[i].account,
			.row = list[i].row,
			.row_len = 1,
		};
	is_int(ops->attempts_put(handle, rows, 5, &err), 0, "attempts are put");
	rows[0].row = "z";
	is_int(ops->attempts_put(handle, rows, 2, &err), 0, "some of them are put again");
	is_str(attempts((struct armada_history_filter){0}), "7_0:d 7_0:e 20_1:a 20_3:a 20_3:b",
	       "each is there once, in order");
	is_str(attempts((struct armada_history_filter){.users = &bob, .user_count = 1}),
	       "7_0:d 7_0:e", "by user");
	is_str(attempts((struct armada_history_filter){.accounts = &acme, .account_count = 1}),
	       "7_0:d", "by account");
	is_str(attempts((struct armada_history_filter){.ids = &seven, .id_count = 1}),
	       "7_0:d 7_0:e", "by job");
	is_str(attempts((struct armada_history_filter){.states = &ten, .state_count = 1}),
	       "7_0:d 20_1:a 20_3:a", "by state");
	is_str(attempts((struct armada_history_filter){.limit = 1}), "7_0:d",
	       "a page may end between two attempts");
	is_str(attempts((struct armada_history_filter){
		       .after_job = 7, .has_after_element = true, .after_attempt = 4}),
	       "7_0:e 20_1:a 20_3:a 20_3:b", "the next one begins after the attempt");
	is_int(find(&(struct armada_history_filter){0}).rows, JOBS + 6, "they are no ends");
}

/* The numbers and bodies of the events that events_find calls for. */
struct events {
	char text[256];
	uint64_t first, last;
};

static int on_event(void *arg, const struct armada_history_event *e)
{
	struct events *f = arg;
	size_t len = strlen(f->text);

	snprintf(f->text + len, sizeof(f->text) - len, "%s%llu:%.*s", len ? " " : "",
		 (unsigned long long)e->number, (int)e->body_len, (const char *)e->body);
	if (e->time_us != (int64_t)e->number * 1000 || e->job != 7 || e->first_element != 1 ||
	    e->last_element != UINT32_MAX || e->uid != UINT32_MAX - 1 || e->kind != 3)
		ok(false, "event %llu is not as it was put", (unsigned long long)e->number);
	return 0;
}

static const char *events(const char *queue, const char *set, uint64_t from, uint32_t limit,
			  struct events *f)
{
	*f = (struct events){.text = ""};
	if (ops->events_find(handle, queue, set, from, limit, on_event, f, &f->first, &f->last,
			     &err) < 0)
		bail("events_find: %s", err.text);
	return f->text;
}

static void test_events(void)
{
	static const struct {
		const char *queue, *set;
		uint64_t number;
		const char *body;
	} list[] = {{"q", "s", 5, "a"},
		    {"q", "s", 6, ""},
		    {"q", "t", 1, "c"},
		    {"r", "s", 1, "d"},
		    {"q", "s", 7, "e"}};
	struct armada_history_event put[5];
	struct events f;

	for (size_t i = 0; i < 5; i++)
		put[i] = (struct armada_history_event){
			.seq = 5,
			.queue = list[i].queue,
			.job_set = list[i].set,
			.number = list[i].number,
			.time_us = (int64_t)list[i].number * 1000,
			.job = 7,
			.first_element = 1,
			.last_element = UINT32_MAX,
			.uid = UINT32_MAX - 1,
			.kind = 3,
			.body = list[i].body,
			.body_len = strlen(list[i].body),
		};
	is_int(ops->events_put(handle, put, 5, &err), 0, "events are put");
	put[0].body = "z";
	is_int(ops->events_put(handle, put, 2, &err), 0, "some of them are put again");
	is_str(events("q", "s", 0, 10, &f), "5:a 6: 7:e", "those of a set, each once, in order");
	ok(f.first == 5 && f.last == 7, "with the range that is kept");
	is_str(events("q", "s", 6, 1, &f), "6:", "from a number, at most so many");
	is_str(events("q", "s", 8, 10, &f), "", "after the last one there is none");
	ok(f.first == 5 && f.last == 7, "but the range is known");
	is_str(events("r", "s", 0, 10, &f), "1:d", "the same name in another queue is another set");
	is_str(events("q", "none", 0, 10, &f), "", "an unknown set has no events");
	ok(f.first == 0 && f.last == 0, "and no range");
}

static void test_stop(void)
{
	struct armada_history_filter all = {0};
	struct found f = {.stop_after = 5};

	is_int(ops->history_find(handle, &all, on_row, &f, &err), 7, "a reader can stop");
	is_int(f.rows, 5, "the reader stops at its row");
	is_int(find(&all).rows, JOBS + 6, "the next reader starts anew");
}

static void test_jobs(void)
{
	struct armada_history_job job = {
		.seq = 10,
		.job = 42,
		.detail = "first",
		.detail_len = 5,
		.script = {.hash = "h1", .data = "#!/bin/sh", .len = 9},
		.env = {.hash = "h2", .data = "", .len = 0},
	};
	void *detail, *script, *env;
	size_t detail_len, script_len, env_len;

	is_int(ops->history_job(handle, 42, &detail, &detail_len, &script, &script_len, &env,
				&env_len, &err),
	       -ENOENT, "an absent job is not found");
	is_int(ops->history_put(handle, 10, NULL, 0, &job, 1, &err), 0, "a job is put");
	job.seq = 9;
	job.detail = "older";
	ops->history_put(handle, 9, NULL, 0, &job, 1, &err);
	is_int(ops->history_job(handle, 42, &detail, &detail_len, &script, &script_len, &env,
				&env_len, &err),
	       0, "the job is found");
	ok(detail_len == 5 && memcmp(detail, "first", 5) == 0,
	   "older details do not replace newer ones");
	ok(script_len == 9 && memcmp(script, "#!/bin/sh", 9) == 0, "the script is stored");
	ok(env && env_len == 0, "the empty environment is stored");
	free(detail);
	free(script);
	free(env);
	job = (struct armada_history_job){.seq = 11, .job = 42, .detail = "later", .detail_len = 5};
	ops->history_put(handle, 11, NULL, 0, &job, 1, &err);
	ops->history_job(handle, 42, &detail, &detail_len, &script, &script_len, &env, &env_len,
			 &err);
	ok(memcmp(detail, "later", 5) == 0 && !script && !env, "newer details replace older ones");
	free(detail);
	is_int(ops->history_put(handle, UINT64_MAX, NULL, 0, NULL, 0, &err), -EINVAL,
	       "history of absent records is refused");
}

static void *reader(void *arg)
{
	struct armada_history_filter all = {.limit = 500};
	uint64_t *bad = arg;

	for (int i = 0; i < 50; i++) {
		struct found f = {0};
		struct armada_error mine;

		int rc = ops->history_find(handle, &all, on_row, &f, &mine);

		if (rc || f.rows != 500)
			++*bad;
	}
	return NULL;
}

static void test_threads(void)
{
	uint64_t bad[3] = {0};
	pthread_t threads[3];
	int put = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, reader, &bad[i]);
	for (int i = 0; i < 20; i++)
		put |= put_jobs(1, 200, 200);
	put |= state_append(handle, JOBS + 2, JOBS + 20);
	if (put)
		diag("%s", err.text);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ok(!bad[0] && !bad[1] && !bad[2] && !put, "readers, a writer and the log work in parallel");
}

struct shares {
	size_t count;
	struct armada_history_share first;
	char queue[16];
	bool sorted;
	int64_t last_us;
};

static int on_share(void *arg, const struct armada_history_share *h)
{
	struct shares *s = arg;

	if (!s->count++) {
		s->first = *h;
		snprintf(s->queue, sizeof(s->queue), "%s", h->queue);
	} else if (h->time_us > s->last_us) {
		s->sorted = false;
	}
	s->last_us = h->time_us;
	return 0;
}

static struct shares find_shares(const char *queue, int64_t since_us)
{
	struct shares s = {.sorted = true};

	if (ops->shares_find(handle, &queue, queue ? 1 : 0, since_us, INT64_MAX, on_share, &s,
			     &err))
		bail("shares_find: %s", err.text);
	return s;
}

static int put_share(int64_t time_us, const char *queue, double cost)
{
	struct armada_history_share h = {
		.seq = 1, .time_us = time_us, .queue = queue, .fairness = "drf", .cost = cost};

	return ops->shares_put(handle, &h, 1, &err);
}

/*
 * A repeated put of shares is stored once; old shares are removed; a value that is not a number is
 * stored as 0.
 */
static void test_shares(void)
{
	const int64_t day_us = INT64_C(86400000000), now_us = 1000 * day_us;

	is_int(put_share(now_us, "a", 0.5), 0, "a share is put");
	is_int(put_share(now_us, "a", 0.7), 0, "the share is put again");
	is_int(put_share(now_us, "b", 1.0 / 0.0 - 1.0 / 0.0), 0,
	       "a share that is no number is put");
	is_int(put_share(now_us - day_us, "a", 0.25), 0, "an older share is put");
	is_int((long long)find_shares(NULL, 0).count, 3, "each share is stored once");
	ok(find_shares(NULL, 0).sorted, "the newest share comes first");
	is_int((long long)find_shares("a", 0).count, 2, "the shares of one queue are found");
	ok(find_shares("a", 0).first.cost == 0.5, "the first put is kept");
	is_int((long long)find_shares("a", now_us).count, 1, "the shares since a time are found");
	is_str(find_shares("b", 0).queue, "b", "the share of another queue is found");
	ok(find_shares("b", 0).first.cost == 0, "a value that is no number is stored as 0");
	is_int(put_share(now_us + 90 * day_us - day_us / 2, "c", 1), 0,
	       "a much later share is put");
	is_int((long long)find_shares(NULL, 0).count, 3, "the oldest shares are removed");
}

int main(void)
{
	struct armada_state_info info;
	const char *dir;

	harness_load();
	dir = harness_dir();
	if (state_init(dir) || state_open(dir, &handle, NULL) ||
	    state_append_by(handle, 1, JOBS + 1, 1000))
		bail("%s", err.text);
	is_int(put_jobs(1, JOBS, JOBS), 0, "ten thousand rows are put");
	test_filters();
	test_pages();
	test_idempotence();
	test_array();
	test_attempts();
	test_events();
	test_stop();
	test_jobs();
	test_threads();
	test_shares();
	ops->close(handle);
	is_int(state_open(dir, &handle, &info), 0, "the history is opened again");
	is_int(info.history_seq, JOBS + 1, "the history knows its last record");
	is_int(find(&(struct armada_history_filter){0}).rows, JOBS + 6,
	       "the history has every row");
	is_str(attempts((struct armada_history_filter){0}), "7_0:d 7_0:e 20_1:a 20_3:a 20_3:b",
	       "and every attempt");
	ops->close(handle);
	return harness_done();
}

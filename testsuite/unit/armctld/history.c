/*
 * Queries of the history. Rows are written with a delay, but a query finds a job that has just
 * ended.
 */
#include "armctld/history.h"
#include "armctld/disk.h"
#include "tap/tap.h"
#include "util/mem.h"
#include "util/shared.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 16 };

/* A history database in memory. */
static struct {
	pthread_mutex_t lock;
	struct stored {
		uint64_t job;
		uint8_t bytes[512];
		size_t len;
	} rows[ROWS];
	size_t count;
	uint64_t seq;
	uint8_t detail[512];
	size_t detail_len;
	bool broken;
} store = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int fake_put(void *handle, uint64_t seq, const struct armada_history_row *rows,
		    size_t row_count, const struct armada_history_job *jobs, size_t job_count,
		    struct armada_error *err)
{
	(void)handle, (void)err;
	pthread_mutex_lock(&store.lock);
	for (size_t i = 0; i < row_count; i++) {
		struct stored *to = &store.rows[store.count++ % ROWS];

		to->job = rows[i].job;
		to->len = rows[i].row_len;
		memcpy(to->bytes, rows[i].row, rows[i].row_len);
	}
	if (job_count) {
		memcpy(store.detail, jobs[0].detail, jobs[0].detail_len);
		store.detail_len = jobs[0].detail_len;
	}
	store.seq = seq;
	pthread_mutex_unlock(&store.lock);
	return 0;
}

static int fake_find(void *handle, const struct armada_history_filter *f, armada_state_row_fn *fn,
		     void *arg, struct armada_error *err)
{
	int rc = 0;

	(void)handle;
	if (store.broken) {
		snprintf(err->text, sizeof(err->text), "history.db is not there");
		return -EIO;
	}
	pthread_mutex_lock(&store.lock);
	for (size_t i = 0; i < store.count && rc == 0; i++) {
		const struct stored *row = &store.rows[i];

		if (f->id_count && (row->job < f->ids[0].first || row->job > f->ids[0].last))
			continue;
		rc = fn(arg, row->job, 0, 0, row->bytes, row->len);
	}
	pthread_mutex_unlock(&store.lock);
	return rc;
}

static int fake_job(void *handle, uint64_t job, void **ret_detail, size_t *ret_detail_len,
		    void **ret_script, size_t *ret_script_len, void **ret_env, size_t *ret_env_len,
		    struct armada_error *err)
{
	(void)handle, (void)err;
	if (job != 1)
		return -ENOENT;
	*ret_detail = xmemdup(store.detail, store.detail_len);
	*ret_detail_len = store.detail_len;
	*ret_script = xstrdup("#!/bin/sh");
	*ret_script_len = 9;
	*ret_env = xstrdup("A=1");
	*ret_env_len = 4;
	return 0;
}

static const struct armada_state_ops state = {
	.history_put = fake_put, .history_find = fake_find, .history_job = fake_job};

static struct {
	unsigned count;
	enum msg_type type;
	struct buf body;
} heard;

static void reply(void *arg, const struct effect *e, const struct history_answer *a)
{
	(void)arg;
	is_int((int64_t)e->conn, 5, "the reply goes to the caller's connection");
	is_int(e->request, 9, "the reply has the number of the request");
	heard.count++;
	heard.type = a->type;
	buf_clear(&heard.body);
	buf_add(&heard.body, a->body.data, a->body.len);
}

static void end_element(struct history *h, uint64_t job, Armada__JobState job_state, int code,
			const char *node)
{
	Armada__JobRow row = ARMADA__JOB_ROW__INIT;
	CLEANUP_BUF struct buf packed = {0};
	struct armada_history_row r = {.job = job};
	struct effect e = {.kind = EFFECT_HISTORY, .row = &r};
	char *nodes[] = {(char *)node};

	row.job = job;
	row.state = job_state;
	row.exit_code = code;
	row.nodes = nodes;
	row.n_nodes = 1;
	row.reason = code ? (char *)"it failed" : (char *)"";
	msg_pack(&row, &packed);
	r.row = packed.data;
	r.row_len = packed.len;
	history_add(h, &e);
}

static void leave_memory(struct history *h, uint64_t job, uint32_t uid)
{
	Armada__ShowJobReply detail = ARMADA__SHOW_JOB_REPLY__INIT;
	CLEANUP_BUF struct buf packed = {0};
	struct armada_history_job j = {.job = job};
	struct effect e = {.kind = EFFECT_HISTORY, .history_job = &j};

	detail.uid = uid;
	detail.user = (char *)"ada";
	msg_pack(&detail, &packed);
	j.detail = packed.data;
	j.detail_len = packed.len;
	history_add(h, &e);
}

static void *ask(struct event_base *base, struct history *h, struct effect *e, struct arena *arena)
{
	unsigned before = heard.count;

	e->conn = 5;
	e->request = 9;
	history_ask(h, e);
	while (heard.count == before)
		event_base_loop(base, EVLOOP_ONCE);
	return msg_unpack(msg_find(heard.type), heard.body.data, heard.body.len, arena, NULL);
}

static void test_show(struct event_base *base, struct history *h, struct arena *arena)
{
	struct effect e = {.kind = EFFECT_SHOW,
			   .job = 1,
			   .with_script = true,
			   .with_env = true,
			   .viewer_uid = 1000};
	Armada__ShowJobReply *r = ask(base, h, &e, arena);

	is_int(heard.type, MSG_SHOW_JOB_REPLY, "a finished job is shown");
	is_int(r->n_rows, 2, "it has its elements");
	is_int(r->script.len, 9, "the owner of the job sees the script");
	e.viewer_uid = 1001;
	r = ask(base, h, &e, arena);
	is_int(r->script.len + r->env.len, 0, "another user sees neither script nor environment");
	e.viewer_admin = true;
	e.with_env = false;
	r = ask(base, h, &e, arena);
	ok(r->script.len && !r->env.len, "an administrator sees the requested part");
	e.job = 77;
	ask(base, h, &e, arena);
	is_int(heard.type, MSG_ERROR, "an unknown job gives an error");
}

static void test_find(struct event_base *base, struct history *h, struct arena *arena)
{
	Armada__HistoryRequest req = ARMADA__HISTORY_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	CLEANUP_BUF struct buf packed = {0};
	char *nodes[] = {(char *)"n2"};
	struct effect e = {.kind = EFFECT_FIND};
	Armada__ListJobsReply *r;

	req.filter = &filter;
	req.limit = 1;
	msg_pack(&req, &packed);
	e.body = packed.data;
	e.len = packed.len;
	r = ask(base, h, &e, arena);
	is_int(r->n_rows, 1, "the reply has as many rows as requested");
	ok(r->more && r->next_after_id == 1, "the reply has the place to continue");
	filter.nodes = nodes;
	filter.n_nodes = 1;
	req.limit = 0;
	buf_clear(&packed);
	msg_pack(&req, &packed);
	e.body = packed.data;
	e.len = packed.len;
	r = ask(base, h, &e, arena);
	is_int(r->n_rows, 1, "filters that the plugin does not know are applied");
	is_str(r->rows[0]->nodes[0], "n2", "the reply has the matching row");
	store.broken = true;
	ask(base, h, &e, arena);
	is_int(heard.type, MSG_ERROR, "a history that cannot be read gives an error");
	store.broken = false;
}

/* Many requests with a body of a megabyte arrive while the first one is being processed. */
static void test_flood(struct event_base *base, struct history *h)
{
	struct effect e = {.kind = EFFECT_SHOW,
			   .conn = 5,
			   .request = 9,
			   .job = 1,
			   .wait = true,
			   .len = 1 << 20};
	unsigned before = heard.count, refused;

	e.body = xcalloc(1, e.len);
	pthread_mutex_lock(&store.lock);
	for (int i = 0; i < 100; i++)
		history_ask(h, &e);
	pthread_mutex_unlock(&store.lock);
	refused = heard.count - before;
	ok(refused >= 60, "%u of 100 requests are told to try again", refused);
	while (heard.count < before + 100)
		event_base_loop(base, EVLOOP_ONCE);
	is_int(heard.count - before, 100, "each request has a reply");
	free((void *)e.body);
}

static int refused_put(void *handle, uint64_t seq, const struct armada_history_row *rows,
		       size_t row_count, const struct armada_history_job *jobs, size_t job_count,
		       struct armada_error *err)
{
	(void)handle, (void)seq, (void)rows, (void)row_count, (void)jobs, (void)job_count;
	snprintf(err->text, sizeof(err->text), "history.db is locked");
	return -EBUSY;
}

/* A script that many ended jobs share is kept once, after the core has forgotten it. */
static void test_backlog(struct event_base *base)
{
	static const struct armada_state_ops refusing = {.history_put = refused_put};
	enum { SCRIPT = 1 << 20, JOBS = 1000 };
	struct shared *script;
	struct history *h = history_new(base, &refusing, NULL, 40, reply, NULL, NULL);
	uint8_t *bytes = xcalloc(1, SCRIPT);
	struct history_backlog b;
	struct history_lag lag;
	struct effect e = {.kind = EFFECT_HISTORY};
	struct armada_history_job job = {.detail = "detail", .detail_len = 6};

	script = shared_new(bytes, SCRIPT);
	free(bytes);
	e.script = script;
	e.history_job = &job;
	job.script.data = script->data;
	job.script.len = script->len;
	for (int i = 0; i < JOBS; i++)
		history_add(h, &e);
	shared_drop(script);
	history_backlog(h, &b);
	ok(b.bytes >= SCRIPT && b.bytes < 2 * SCRIPT, "a script of %d jobs is kept once: %" PRIu64,
	   JOBS, b.bytes);
	history_mark(h, 41);
	do {
		history_backlog(h, &b);
		sched_yield();
	} while (!b.why[0]);
	is_str(b.why, "history.db is locked", "the backlog says why it waits");
	ok(b.bytes >= SCRIPT, "... and still counts");
	history_mark(h, 45);
	history_lag(h, &lag);
	is_int(lag.records, 5, "the history is five records behind the log");
	ok(lag.us > 0, "... for some time");
	history_lacks(h, true, 30);
	history_lag(h, &lag);
	is_int(lag.records, 15, "a history that lacks rows is behind from there on");
	history_free(h);
}

static void test_disk(void)
{
	static const struct armada_state_ops none = {0};
	struct history_backlog b = {.bytes = 11 << 20, .why = "history.db is locked"};
	struct disk d = {0};

	disk_look(&d, &none, NULL, "/nowhere");
	disk_look_history(&d, &b, 10 << 20);
	ok(disk_refuses(&d, MSG_SUBMIT) && disk_refuses(&d, MSG_UPDATE_JOB),
	   "beyond the bound submissions and updates are refused");
	ok(!disk_refuses(&d, MSG_CANCEL) && !d.starved, "... and nothing else");
	has_str(d.text, "11 MiB of ended jobs wait", "the text says what waits");
	has_str(d.text, "limits.history_backlog (10 MiB)", "... what is allowed");
	has_str(d.text, "written: history.db is locked", "... and why");
	b.bytes = 21 << 20;
	disk_look(&d, &none, NULL, "/nowhere");
	disk_look_history(&d, &b, 10 << 20);
	ok(d.starved, "beyond twice the bound no job is started");
	b.bytes = 1 << 20;
	disk_look(&d, &none, NULL, "/nowhere");
	disk_look_history(&d, &b, 10 << 20);
	ok(!disk_refuses(&d, MSG_SUBMIT) && !d.starved, "below the bound everything is accepted");
	is_str(d.text,
	       "the history cannot be written, ended jobs wait in memory: history.db is locked",
	       "... and the text says what will come");
	b.why[0] = '\0';
	disk_look(&d, &none, NULL, "/nowhere");
	disk_look_history(&d, &b, 10 << 20);
	is_str(d.text, "", "when the rows are written, there is no text");
}

int main(void)
{
	struct event_base *base = event_base_new();
	struct history *h = history_new(base, &state, NULL, 40, reply, NULL, NULL);
	struct arena *arena = arena_new(0);
	struct effect wait = {.kind = EFFECT_SHOW, .job = 1, .wait = true};
	Armada__WaitJobReply *w;
	struct history_lag lag;

	end_element(h, 1, ARMADA__JOB_STATE__JOB_COMPLETED, 0, "n1");
	end_element(h, 1, ARMADA__JOB_STATE__JOB_FAILED, 3, "n2");
	leave_memory(h, 1, 1000);
	history_mark(h, 41);
	w = ask(base, h, &wait, arena);
	is_int(heard.type, MSG_WAIT_JOB_REPLY, "a job that ended a moment ago is found");
	is_int(w->state, ARMADA__JOB_STATE__JOB_FAILED,
	       "the reply has the worst state of the elements");
	is_int(w->exit_code, 3, "the reply has the highest exit code");
	is_str(w->reason, "it failed", "the reply has the reason");
	is_int(store.seq, 41, "all rows up to the mark are written");
	do {
		history_lag(h, &lag);
		sched_yield();
	} while (lag.records);
	ok(lag.us == 0, "then the history is not behind the log");
	test_backlog(base);
	test_disk();
	test_show(base, h, arena);
	test_find(base, h, arena);
	test_flood(base, h);
	end_element(h, 2, ARMADA__JOB_STATE__JOB_COMPLETED, 0, "n1");
	history_mark(h, 42);
	history_free(h);
	is_int(store.seq, 42, "pending rows are written at the end");
	is_int(store.count, 3, "all rows are written");
	buf_done(&heard.body);
	arena_free(arena);
	event_base_free(base);
	return done();
}

/*
 * The history of a controller is copied to another one in pages: what arrives is compared with what was
 * there, also after a cut, for a part of the records, and with scripts of many jobs. Pages that are not
 * whole are refused. The file of the gap survives a restart.
 */
#include "armctld/history.h"
#include "armctld/history_gap.h"
#include "armctld/history_items.h"
#include "armctld/history_page.h"
#include "unit/state/harness.h"
#include "util/mem.h"
#include "util/shared.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { JOBS = 1500, RECORDS = JOBS + 10, PAGE_MAX = 1 << 20 };

static void no_reply(void *arg, const struct effect *e, const struct history_answer *a)
{
	(void)arg, (void)e, (void)a;
}

static void no_jobs(void *arg, const struct effect *e, const struct core_finished_job *f, size_t n)
{
	(void)arg, (void)e, (void)f, (void)n;
}

struct side {
	const char *dir;
	void *handle;
	struct event_base *base;
	struct history *history;
};

static void begin(struct side *s)
{
	s->dir = harness_dir();
	if (state_init(s->dir) || state_open(s->dir, &s->handle, NULL) ||
	    state_append_by(s->handle, 1, RECORDS, 500))
		bail("%s", err.text);
	s->base = event_base_new();
	s->history = history_new(s->base, ops, s->handle, 0, no_reply, no_jobs, NULL);
}

static void end(struct side *s)
{
	history_free(s->history);
	event_base_free(s->base);
	ops->close(s->handle);
}

/* ---- a history to be copied ---- */

static void add_row(struct history *h, uint64_t job, uint32_t attempt, bool start, bool requeued)
{
	Armada__JobRow row = ARMADA__JOB_ROW__INIT;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	CLEANUP_BUF struct buf packed = {0};
	char *nodes[] = {(char *)"n1", (char *)"n2"};
	struct armada_history_row r;
	struct effect e = {.kind = EFFECT_HISTORY};

	range.first = job % 3 ? 0 : 4;
	range.last = job % 3 ? 0 : 9;
	row.job = job;
	row.elements = ranges;
	row.n_elements = 1;
	row.state = ARMADA__JOB_STATE__JOB_COMPLETED;
	row.user = job % 2 ? (char *)"anna" : (char *)"ben";
	row.uid = 1000 + job % 2;
	row.queue = (char *)"main";
	row.job_set = (char *)"set";
	row.name = (char *)"name";
	row.account = job % 5 ? (char *)"" : (char *)"physics";
	row.nodes = nodes;
	row.n_nodes = 2;
	row.attempt = attempt;
	row.requeued = requeued;
	row.submit_us = 1000;
	row.start_us = 2000;
	row.end_us = INT64_C(1700000000000000) + (int64_t)job;
	msg_pack(&row, &packed);
	r = (struct armada_history_row){
		.seq = job,
		.job = job,
		.first_element = range.first,
		.last_element = range.last,
		.attempt = attempt,
		.uid = row.uid,
		.user = row.user,
		.queue = row.queue,
		.job_set = row.job_set,
		.name = row.name,
		.nodes = "n1,n2",
		.account = row.account,
		.state = row.state,
		.submit_us = row.submit_us,
		.start_us = row.start_us,
		.end_us = row.end_us,
		.row = packed.data,
		.row_len = packed.len,
		.start = start,
	};
	*(start || requeued ? &e.attempt : &e.row) = &r;
	history_add(h, &e);
}

/* One script of many jobs, and every tenth job has one of its own. */
static struct shared *script_of(uint64_t job)
{
	char text[20000];

	memset(text, 'x', sizeof(text));
	snprintf(text, 40, "#!/bin/sh\n# %" PRIu64 "\n", job % 10 ? UINT64_C(0) : job);
	return shared_new(text, job % 10 ? 30 : sizeof(text));
}

static void add_job(struct history *h, uint64_t job)
{
	Armada__ShowJobReply detail = ARMADA__SHOW_JOB_REPLY__INIT;
	CLEANUP_BUF struct buf packed = {0};
	struct armada_history_job j = {.seq = job, .job = job};
	struct effect e = {.kind = EFFECT_HISTORY, .history_job = &j};

	msg_pack(&detail, &packed);
	buf_addstr(&packed, ""); /* an empty message has no bytes */
	j.detail = packed.data ? packed.data : (const uint8_t *)"";
	j.detail_len = packed.len;
	if (job % 4) {
		e.script = script_of(job);
		crypto_generichash(j.script.hash, 32, e.script->data, e.script->len, NULL, 0);
		j.script.data = e.script->data;
		j.script.len = e.script->len;
	}
	history_add(h, &e);
	shared_drop(e.script);
}

static void add_event(struct history *h, const char *set, uint64_t number, uint64_t job)
{
	Armada__JobEvent event = ARMADA__JOB_EVENT__INIT;
	CLEANUP_BUF struct buf packed = {0};
	struct armada_history_event v = {.seq = job,
					 .queue = "main",
					 .job_set = set,
					 .number = number,
					 .time_us = (int64_t)job,
					 .job = job,
					 .uid = 1000,
					 .kind = 2};
	struct effect e = {.kind = EFFECT_JOB_EVENTS, .events = &v, .event_count = 1};

	event.reason = (char *)"because";
	msg_pack(&event, &packed);
	v.body = packed.data;
	v.body_len = packed.len;
	history_add(h, &e);
}

static void add_shares(struct history *h, uint64_t seq)
{
	struct armada_history_share s[2] = {
		{.seq = seq,
		 .time_us = (int64_t)seq * 10,
		 .queue = "a",
		 .fairness = "drf",
		 .cost = 1},
		{.seq = seq,
		 .time_us = (int64_t)seq * 10,
		 .queue = "b",
		 .fairness = "drf",
		 .level = 3},
	};
	struct effect e = {.kind = EFFECT_HISTORY, .shares = s, .share_count = 2};

	history_add(h, &e);
}

static void fill(struct side *s)
{
	char set[32];

	for (uint64_t job = 1; job <= JOBS; job++) {
		if (job % 7 == 0)
			add_row(s->history, job, 0, true, false);
		if (job % 6 == 0)
			add_row(s->history, job, 1, false, true);
		add_row(s->history, job, 2, false, false);
		add_job(s->history, job);
		snprintf(set, sizeof(set), "set%d", (int)(job % 3));
		add_event(s->history, set, job / 3 + 1, job);
		if (job % 50 == 0)
			add_shares(s->history, job);
	}
	history_mark(s->history, RECORDS);
	ok(history_settle(s->history), "a history is written");
}

/* ---- what a history has, as text ---- */

struct listing {
	struct side *side;
	struct buf text;
	uint64_t jobs[JOBS];
	size_t job_count;
};

static void add_hash(struct buf *to, const void *data, size_t len)
{
	uint8_t hash[16];
	char hex[33];

	crypto_generichash(hash, sizeof(hash), data ? data : "", data ? len : 0, NULL, 0);
	buf_addf(to, " %zu:%s", data ? len : 0, sodium_bin2hex(hex, sizeof(hex), hash, 16));
}

static int list_end(void *arg, const struct armada_history_place *p, const void *data, size_t len)
{
	struct listing *l = arg;

	buf_addf(&l->text, "row %" PRIu64 " %" PRIu64 " %u %u", p->seq, p->job, p->first_element,
		 p->attempt);
	add_hash(&l->text, data, len);
	buf_addc(&l->text, '\n');
	return 0;
}

static int list_job(void *arg, const struct armada_history_place *p, const void *data, size_t len)
{
	struct listing *l = arg;

	(void)data, (void)len;
	l->jobs[l->job_count++] = p->job;
	return 0;
}

static int list_event(void *arg, const struct armada_history_event *e)
{
	struct listing *l = arg;

	buf_addf(&l->text, "event %s %s %" PRIu64 " %" PRIu64 " %d", e->queue, e->job_set,
		 e->number, e->job, e->kind);
	add_hash(&l->text, e->body, e->body_len);
	buf_addc(&l->text, '\n');
	return 0;
}

static int list_share(void *arg, const struct armada_history_share *s)
{
	struct listing *l = arg;

	buf_addf(&l->text, "share %" PRId64 " %s %" PRIu64 " %f %f\n", s->time_us, s->queue, s->seq,
		 s->cost, s->level);
	return 0;
}

static int list_attempt(void *arg, const void *row, size_t len)
{
	struct listing *l = arg;

	add_hash(&l->text, row, len);
	return 0;
}

static char *list(struct side *s)
{
	static struct listing l;
	static const struct armada_history_place none = {0, 0, 0, 0};
	const struct armada_attempt_filter all = {.limit = UINT32_MAX};
	uint64_t behind;
	int rc;

	l = (struct listing){.side = s};
	rc = ops->ends_find(s->handle, &none, ARMADA_ENDS_ALL, UINT32_MAX, list_end, &l, &behind,
			    &err);
	rc |= ops->ends_find(s->handle, &none, ARMADA_ENDS_JOBS, JOBS, list_job, &l, &behind, &err);
	for (size_t i = 0; i < l.job_count; i++) {
		void *detail = NULL, *script = NULL, *env = NULL;
		size_t detail_len = 0, script_len = 0, env_len = 0;

		rc |= ops->history_job(s->handle, l.jobs[i], &detail, &detail_len, &script,
				       &script_len, &env, &env_len, &err);
		buf_addf(&l.text, "job %" PRIu64, l.jobs[i]);
		add_hash(&l.text, detail, detail_len);
		add_hash(&l.text, script, script_len);
		buf_addc(&l.text, '\n');
		free(detail);
		free(script);
		free(env);
	}
	rc |= ops->events_after(s->handle, "", "", 0, list_event, &l, &err);
	rc |= ops->shares_find(s->handle, NULL, 0, 0, INT64_MAX, list_share, &l, &err);
	rc |= ops->accounting_list(s->handle, &all, list_attempt, &l, &err);
	if (rc)
		bail("a history cannot be listed: %s", err.text);
	buf_addc(&l.text, '\0');
	return (char *)l.text.data;
}

/* ---- copying ---- */

struct copying {
	struct side *from, *to;
	struct history_gap gap;
	struct history_blobs blobs;
	uint64_t complete;
	size_t pages, largest, bytes;
};

/* A page of the other history, decoded. */
static const Armada__CopyHistoryReply *page_of(struct copying *c, struct arena *arena)
{
	Armada__CopyHistoryRequest q = ARMADA__COPY_HISTORY_REQUEST__INIT;
	struct history_answer answer = {.type = MSG_ERROR};
	const struct history_extent extent = {c->complete, false};
	ProtobufCBinaryData known[HISTORY_BLOBS];
	CLEANUP_BUF struct buf packed = {0};
	struct err why;
	void *m;

	for (size_t i = 0; i < c->blobs.count; i++)
		known[i] = (ProtobufCBinaryData){32, c->blobs.list[i].hash};
	q.known = known;
	q.n_known = c->blobs.count;
	q.after = c->gap.after;
	q.upto = c->gap.target;
	q.place = &c->gap.place;
	msg_pack(&q, &packed);
	history_page(ops, c->from->handle, packed.data, packed.len, &extent, &answer);
	if (answer.type != MSG_COPY_HISTORY_REPLY)
		bail("a page cannot be read");
	c->pages++;
	c->bytes += answer.body.len;
	c->largest = answer.body.len > c->largest ? answer.body.len : c->largest;
	m = msg_unpack(msg_find(MSG_COPY_HISTORY_REPLY), answer.body.data, answer.body.len, arena,
		       &why);
	buf_done(&answer.body);
	if (!m)
		bail("%s", why.text);
	return m;
}

static bool copy_page(struct copying *c)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__CopyHistoryReply *m = page_of(c, arena);
	struct effect *items;
	struct err why;
	size_t count;

	if (history_items_read(m, &c->blobs, arena, &items, &count, &why) < 0)
		bail("%s", why.text);
	for (size_t i = 0; i < count; i++)
		history_add(c->to->history, &items[i]);
	if (!history_settle(c->to->history))
		bail("a page cannot be written");
	return history_gap_move(&c->gap, m->place);
}

/* The first line that differs. */
static void show_difference(const char *wanted, const char *got)
{
	size_t same = 0;

	while (wanted[same] && wanted[same] == got[same])
		same++;
	if (!wanted[same] && !got[same])
		return;
	while (same && wanted[same - 1] != '\n')
		same--;
	diag("wanted %.90s", wanted + same);
	diag("got %.90s", got + same);
}

static void test_copy(struct side *from, const char *wanted)
{
	struct side to;
	struct copying c = {.from = from, .to = &to, .complete = RECORDS};
	bool damaged, whole = false;
	struct err why;
	char *got;

	begin(&to);
	is_int(history_gap_read(to.dir, &c.gap, &damaged, &why), 0, "there is no gap at first");
	ok(!history_gap_is_open(&c.gap) && !damaged, "... and no file of one");
	history_gap_add(&c.gap, 0, RECORDS);
	ok(history_gap_begin(&c.gap, RECORDS), "a pass begins");
	for (int i = 0; i < 5; i++)
		whole = copy_page(&c);
	ok(!whole, "after five pages it is not at its end");
	is_int(history_gap_write(to.dir, &c.gap, &why), 0, "it is cut, with the place in the file");
	history_gap_done(&c.gap);
	history_blobs_done(&c.blobs);
	is_int(history_gap_read(to.dir, &c.gap, &damaged, &why), 0, "the place is read again");
	ok(history_gap_begin(&c.gap, RECORDS), "the pass goes on");
	while (!copy_page(&c))
		;
	ok(!history_gap_is_open(&c.gap), "it ends, and nothing is missing");
	is_int(history_gap_write(to.dir, &c.gap, &why), 0, "the file goes");
	ok(c.largest <= PAGE_MAX && c.pages > 8, "pages are bounded: %zu of at most %zu bytes",
	   c.pages, c.largest);
	ok(c.bytes < 8 << 20, "a script of many jobs is sent once in a while: %zu bytes", c.bytes);
	history_mark(to.history, RECORDS);
	history_settle(to.history);
	got = list(&to);
	ok(strcmp(got, wanted) == 0,
	   "rows, jobs, scripts, events, shares and accounting are the same");
	show_difference(wanted, got);
	free(got);
	history_gap_done(&c.gap);
	history_blobs_done(&c.blobs);
	end(&to);
}

static size_t count_of(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

/* Only what is missing, from a history that has only a part of it. */
static void test_part(struct side *from)
{
	struct side to;
	struct copying c = {.from = from, .to = &to, .complete = 200};
	const Armada__HistoryPlace none = ARMADA__HISTORY_PLACE__INIT;
	char *got;

	begin(&to);
	history_gap_add(&c.gap, 100, 300);
	ok(!history_gap_begin(&c.gap, 100), "a history without these records has nothing to give");
	ok(history_gap_begin(&c.gap, 200), "one with a part of them has");
	c.gap.place = none;
	while (!copy_page(&c))
		;
	history_mark(to.history, RECORDS);
	history_settle(to.history);
	ok(c.gap.after == 200 && history_gap_is_open(&c.gap), "then the rest is missing");
	got = list(&to);
	is_int((int64_t)count_of(got, "\njob "), 100, "jobs of these records are there");
	is_int((int64_t)count_of(got, "share "), 4, "and their shares");
	ok(!strstr(got, "row 100 ") && strstr(got, "row 101 ") && strstr(got, "row 200 ") &&
		   !strstr(got, "row 201 "),
	   "no rows of others");
	free(got);
	history_gap_done(&c.gap);
	history_blobs_done(&c.blobs);
	end(&to);
}

/* ---- the gap ---- */

static void test_gap(void)
{
	const char *dir = harness_dir();
	struct history_gap g = {.after = 0};
	Armada__HistoryPlace place = ARMADA__HISTORY_PLACE__INIT;
	bool damaged;
	struct err why;
	size_t len;
	char *bytes;

	state_init(dir);
	history_gap_add(&g, 10, 20);
	history_gap_begin(&g, 20);
	place.part = ARMADA__HISTORY_PART__HISTORY_ROWS;
	place.seq = 15;
	history_gap_move(&g, &place);
	history_gap_add(&g, 18, 30);
	ok(g.after == 10 && g.upto == 30 && g.place.seq == 15, "a later gap leaves the pass alone");
	ok(history_gap_begin(&g, 25) && g.target == 20 && g.place.seq == 15, "which goes on");
	ok(history_gap_begin(&g, 17) && g.target == 17 && !g.place.seq,
	   "with a shorter history it begins again");
	history_gap_add(&g, 5, 8);
	ok(g.after == 5 && g.upto == 30 && !g.target, "an earlier gap begins again");
	history_gap_write(dir, &g, &why);
	bytes = read_file(harness_path(dir, "history.gap"), &len);
	bytes[len - 1] ^= 1;
	write_file(harness_path(dir, "history.gap"), bytes, len);
	history_gap_done(&g);
	is_int(history_gap_read(dir, &g, &damaged, &why), 0, "a damaged file is read");
	ok(damaged && !history_gap_is_open(&g), "and said to be damaged");
	write_file(harness_path(dir, "history.gap"), bytes, 10);
	history_gap_done(&g);
	history_gap_read(dir, &g, &damaged, &why);
	ok(damaged, "as is a short one");
	free(bytes);
	history_gap_done(&g);
}

/* ---- refusals ---- */

static void refuse(const Armada__CopyHistoryReply *m, const char *words)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct history_blobs none = {.count = 0};
	struct effect *items = NULL;
	struct err why = {""};
	size_t count = 0;

	is_int(history_items_read(m, &none, arena, &items, &count, &why), -EBADMSG,
	       "a page is refused");
	has_str(why.text, words, "... in words");
	history_blobs_done(&none);
}

static void test_refusals(struct side *from)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct copying c = {.from = from, .complete = RECORDS};
	Armada__CopyHistoryReply *m;

	history_gap_add(&c.gap, 0, RECORDS);
	history_gap_begin(&c.gap, RECORDS);
	c.gap.place.part = ARMADA__HISTORY_PART__HISTORY_JOBS;
	m = (Armada__CopyHistoryReply *)(uintptr_t)page_of(&c, arena);
	m->n_blobs = 0;
	refuse(m, "no script");
	m->jobs[0]->seq = 0;
	refuse(m, "an impossible number");
	c.gap.place.part = ARMADA__HISTORY_PART__HISTORY_ROWS;
	m = (Armada__CopyHistoryReply *)(uintptr_t)page_of(&c, arena);
	m->rows[0]->code += 4;
	refuse(m, "an impossible number");
	m->rows[0]->code = 3 + 4 * 2;
	refuse(m, "unknown kind");
	m->rows[0]->row.len -= 1;
	refuse(m, "a page of the history");
	c.gap.place.part = ARMADA__HISTORY_PART__HISTORY_EVENTS;
	m = (Armada__CopyHistoryReply *)(uintptr_t)page_of(&c, arena);
	m->events[0]->number = 0;
	refuse(m, "an event with an impossible number");
	c.gap.place.part = ARMADA__HISTORY_PART__HISTORY_SHARES;
	m = (Armada__CopyHistoryReply *)(uintptr_t)page_of(&c, arena);
	m->shares[0]->sample = NULL;
	refuse(m, "a share without a queue");
	history_gap_done(&c.gap);
	history_blobs_done(&c.blobs);
}

int main(void)
{
	struct side from;
	char *wanted;

	if (sodium_init() < 0)
		bail("libsodium cannot be used");
	harness_load();
	begin(&from);
	fill(&from);
	wanted = list(&from);
	is_int((int64_t)count_of(wanted, "\njob "), JOBS, "all its jobs are listed");
	test_copy(&from, wanted);
	test_part(&from);
	test_gap();
	test_refusals(&from);
	free(wanted);
	end(&from);
	return harness_done();
}

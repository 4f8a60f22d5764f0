/*
 * Messages that the decoder refuses (invalid strings, structure, sizes, unknown fields), and the
 * limit of the memory that a message may use.
 */
#include "proto/check.h"
#include "proto/msg.h"
#include "tap/tap.h"
#include "unit/wire/fill.h"

#include <stdlib.h>
#include <string.h>

static const struct msg_info *type(uint16_t number)
{
	return msg_find(number);
}

/* A length-delimited field. */
static void field(struct buf *b, unsigned id, const void *data, size_t len)
{
	buf_addc(b, (char)(id << 3 | 2));
	for (; len > 0x7f; len >>= 7)
		abort();
	buf_addc(b, (char)len);
	buf_add(b, data, len);
}

static void refused(uint16_t number, const struct buf *b, const char *words)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct err err = {""};

	ok(!msg_unpack(type(number), b->data, b->len, arena, &err), "the message is refused: %s",
	   words);
	has_str(err.text, words, "the error says so");
	is_int((long long)arena_used(arena), 0, "no memory was allocated before");
}

static void test_strings(void)
{
	static const struct {
		const char *text;
		size_t len;
		const char *words; /* NULL: accepted */
	} rows[] = {
		{"plain", 5, NULL},
		{"", 0, NULL},
		{"h\xc3\xa4user \xe2\x82\xac \xf0\x9f\x9a\x80", 16, NULL},
		{"a\0b", 3, "UserText"},
		{"tab\t", 4, "control"},
		{"new\nline", 8, "control"},
		{"\x1b[2J", 4, "control"},
		{"\x7f", 1, "control"},
		{"\xc2\x9b", 2, "control"},
		{"\xff", 1, "UTF-8"},
		{"\xc0\x80", 2, "UTF-8"},
		{"\xe0\x80\x80", 3, "UTF-8"},
		{"\xed\xa0\x80", 3, "UTF-8"},
		{"\xf4\x90\x80\x80", 4, "UTF-8"},
		{"\xe2\x82", 2, "UTF-8"},
		{"\x80", 1, "UTF-8"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena CLEANUP_ARENA = arena_new(0);
		struct buf b CLEANUP_BUF = {0};
		struct err err = {""};
		void *m;

		field(&b, 1, rows[i].text, rows[i].len); /* ListQueuesRequest.names */
		m = msg_unpack(type(MSG_LIST_QUEUES), b.data, b.len, arena, &err);
		is_int(m != NULL, rows[i].words == NULL, "string %zu of the table", i);
		if (!m)
			has_str(err.text, "ListQueuesRequest.names: ", "the error names the field");
	}
}

/*
 * The table allows more for some fields: an argument may contain any byte except NUL, a text may
 * have lines.
 */
static void test_rules(void)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__JobSpec job = ARMADA__JOB_SPEC__INIT, *jobs[] = {&job};
	Armada__SubmitRequest submit = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__ErrorReply error = ARMADA__ERROR_REPLY__INIT;
	char *args[] = {(char *)"a\x1b[2J\n"};
	struct buf b CLEANUP_BUF = {0};
	struct err err = {""};

	submit.jobs = jobs;
	submit.n_jobs = 1;
	job.args = args;
	job.n_args = 1;
	msg_pack(&submit, &b);
	ok(msg_unpack(type(MSG_SUBMIT), b.data, b.len, arena, &err),
	   "an argument with escape sequences is accepted");
	job.name = (char *)"a\n";
	buf_clear(&b);
	msg_pack(&submit, &b);
	refused(MSG_SUBMIT, &b, "JobSpec.name: contains control characters");
	error.text = (char *)"two\nlines\tof it";
	buf_clear(&b);
	msg_pack(&error, &b);
	ok(msg_unpack(type(MSG_ERROR), b.data, b.len, arena, &err),
	   "an error text of two lines is accepted");
	error.text = (char *)"\x1b[2J";
	buf_clear(&b);
	msg_pack(&error, &b);
	refused(MSG_ERROR, &b, "ErrorReply.text: contains control characters");
}

/* Texts that are stored already, or that a node sends, still reach a client, which shows their bytes. */
static void test_hidden(void)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__JobSpec job = ARMADA__JOB_SPEC__INIT, *jobs[] = {&job};
	Armada__SubmitRequest submit = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__ShowJobReply reply = ARMADA__SHOW_JOB_REPLY__INIT, *got;
	char *args[] = {(char *)"\xe2\x80\xae"};
	struct buf b CLEANUP_BUF = {0};
	struct err err = {""};

	submit.jobs = jobs;
	submit.n_jobs = 1;
	job.name = (char *)"a\xe2\x80\xaetxt.b";
	job.comment = (char *)"two\nlines\xef\xbb\xbf";
	job.args = args;
	job.n_args = 1;
	msg_pack(&submit, &b);
	refused(MSG_SUBMIT, &b, "JobSpec.name: contains the invisible character U+202E");
	reply.spec = &job;
	buf_clear(&b);
	msg_pack(&reply, &b);
	got = msg_unpack(type(MSG_SHOW_JOB_REPLY), b.data, b.len, arena, &err);
	ok(got, "a reply may contain it");
	if (!got)
		return;
	message_show(&got->base, arena);
	is_str(got->spec->name, "a\\xe2\\x80\\xaetxt.b", "the client shows its bytes");
	is_str(got->spec->comment, "two\nlines\\xef\\xbb\\xbf", "a paragraph keeps its lines");
	is_str(got->spec->args[0], args[0], "arguments stay as they are");
	job.name = job.comment = (char *)"";
	buf_clear(&b);
	msg_pack(&submit, &b);
	ok(msg_unpack(type(MSG_SUBMIT), b.data, b.len, arena, &err), "an argument may contain it");
}

static void test_structure(void)
{
	struct buf b CLEANUP_BUF = {0};

	buf_add(&b, "\x08", 1);
	refused(MSG_SHOW_JOB, &b, "ShowJobRequest: cut short");
	buf_clear(&b);
	buf_add(&b, "\x0a\x01x", 3); /* job as a string */
	refused(MSG_SHOW_JOB, &b, "ShowJobRequest.job: not encoded as its type");
	buf_clear(&b);
	buf_add(&b, "\x08\x01\x08\x02", 4);
	refused(MSG_SHOW_JOB, &b, "ShowJobRequest.job: given twice");
	buf_clear(&b);
	buf_add(&b, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11);
	refused(MSG_SHOW_JOB, &b, "cut short or garbled");
	buf_clear(&b);
	buf_add(&b, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11); /* length 2^64 - 1 */
	refused(MSG_LIST_QUEUES, &b, "cut short or garbled");
	buf_clear(&b);
	buf_add(&b, "\x0b", 1); /* a group */
	refused(MSG_SHOW_JOB, &b, "garbled");
	buf_clear(&b);
	buf_add(&b, "\x00\x00", 2); /* field 0 */
	refused(MSG_SHOW_JOB, &b, "garbled");
	buf_clear(&b);
	memset(buf_reserve(&b, 1025), 0, 1025);
	b.len = 1025;
	refused(MSG_PING, &b, "PING: 1025 bytes, at most 1024");
}

/* Unknown fields of a newer release are accepted up to a maximum. */
static void test_unknown(void)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct buf b CLEANUP_BUF = {0};
	struct err err = {""};

	for (int i = 0; i < CHECK_UNKNOWN; i++)
		buf_add(&b, "\x78\x01", 2);
	ok(msg_unpack(type(MSG_SHOW_JOB), b.data, b.len, arena, &err),
	   "64 unknown fields are accepted");
	buf_add(&b, "\x78\x01", 2);
	refused(MSG_SHOW_JOB, &b, "more than 64 unknown fields");
}

static void test_memory(void)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct buf b CLEANUP_BUF = {0};
	struct err err = {""};

	/* 2 MiB of empty jobs would need 200 MiB of memory */
	for (size_t i = 0; i < 60000; i++)
		buf_add(&b, "\x12\x00", 2);
	ok(!msg_unpack(type(MSG_SUBMIT), b.data, b.len, arena, &err),
	   "a message of many empty messages is refused");
	has_str(err.text, "takes more memory", "the error names the memory");
	ok(arena_used(arena) <= MSG_GROWTH * b.len + MSG_MEMORY_MIN,
	   "the memory stays within the budget");
	for (size_t i = 0; i < 10000; i++)
		buf_add(&b, "\x12\x00", 2);
	arena_clear(arena);
	refused(MSG_SUBMIT, &b, "SubmitRequest.jobs: more than 65536 values");
}

/* Valid messages of many small parts are accepted. */
static void test_honest(void)
{
	enum { COUNT = 5000 };
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__ReportAck ack = ARMADA__REPORT_ACK__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT, *jobs[100];
	Armada__SubmitRequest submit = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__TaskGroup group = ARMADA__TASK_GROUP__INIT, *groups[] = {&group};
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *resources[] = {&cpu};
	Armada__TaskKey *keys[COUNT];
	struct buf b CLEANUP_BUF = {0};
	struct err err = {""};
	char *args[2000];

	ack.ended = keys;
	ack.n_ended = COUNT;
	for (unsigned i = 0; i < COUNT; i++) {
		keys[i] = arena_alloc(arena, sizeof(*keys[i]));
		armada__task_key__init(keys[i]);
		keys[i]->job = i;
		keys[i]->attempt = 1;
	}
	msg_pack(&ack, &b);
	ok(msg_unpack(type(MSG_REPORT_ACK), b.data, b.len, arena, &err), "%d keys are accepted: %s",
	   COUNT, err.text);
	for (size_t i = 0; i < 2000; i++)
		args[i] = (char *)"a";
	spec.args = args;
	spec.n_args = 2000;
	spec.groups = groups;
	spec.n_groups = 1;
	group.resources = resources;
	group.n_resources = 1;
	cpu.name = (char *)"cpu";
	cpu.amount = 1000;
	for (size_t i = 0; i < 100; i++)
		jobs[i] = &spec;
	submit.jobs = jobs;
	submit.n_jobs = 100;
	buf_clear(&b);
	msg_pack(&submit, &b);
	ok(msg_unpack(type(MSG_SUBMIT), b.data, b.len, arena, &err),
	   "2000 short arguments for each job are accepted: %s", err.text);
	spec.n_args = 0;
	buf_clear(&b);
	msg_pack(&submit, &b);
	ok(msg_unpack(type(MSG_SUBMIT), b.data, b.len, arena, &err),
	   "100 small jobs (%zu bytes) are accepted: %s", b.len, err.text);
}

/*
 * Every type of message: numbers and limits are valid, and the schema nests no deeper than the
 * decoder checks.
 */
static void test_table(void)
{
	size_t count;
	const struct msg_info *rows = msg_rows(&count);

	for (size_t i = 0; i < count; i++) {
		struct arena *arena CLEANUP_ARENA = arena_new(0);
		struct buf b CLEANUP_BUF = {0};
		struct err err = {""};

		msg_pack(fill_message(rows[i].schema, 0, arena), &b);
		ok(msg_find(rows[i].type) == &rows[i] && rows[i].body_max <= 16 << 20 &&
			   (!i || rows[i].type > rows[i - 1].type) &&
			   msg_unpack(&rows[i], b.data, b.len, arena, &err),
		   "%s: %s", rows[i].name, err.text);
	}
	ok(!msg_find(0) && !msg_find(99) && !msg_find(999) && !msg_find(UINT16_MAX),
	   "other numbers are no message");
}

int main(void)
{
	test_strings();
	test_rules();
	test_hidden();
	test_structure();
	test_unknown();
	test_memory();
	test_honest();
	test_table();
	return done();
}

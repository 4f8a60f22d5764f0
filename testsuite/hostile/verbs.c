/*
 * The table of attacks, and the requests that each sends. Input: a connection with its session. Output:
 * requests packed into the session, or bytes that are none. Caveat: jobs are held and in the job set
 * "hostile", so that the end of an attack can cancel them.
 */
#include "hostile/attack.h"

#include "util/mem.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_SIZE = 1000000, ARRAY = 5000, ROWS = 4999, ENDS = 1000, ASK_MS = 30000 };

static void pack_script(struct attack *a)
{
	static const char head[] = "#!/bin/sh\n#";

	if (a->script.len)
		return;
	buf_add(&a->script, head, sizeof(head) - 1);
	memset(buf_reserve(&a->script, SCRIPT_SIZE - a->script.len), 'x',
	       SCRIPT_SIZE - a->script.len);
	a->script.len = SCRIPT_SIZE;
}

/* A held job. with_script: of 1 MB, that no other job has. array: its elements; 0: none. */
static Armada__SubmitRequest *held_job(struct attack *a, bool with_script, uint32_t array)
{
	static Armada__SubmitRequest request;
	static Armada__JobSpec spec, *specs[] = {&spec};
	static Armada__TaskGroup group, *groups[] = {&group};
	static Armada__IndexRange range, *ranges[] = {&range};
	static char *argv[] = {(char *)"/bin/true"};
	static ProtobufCBinaryData blob;
	static uint8_t key[16];

	armada__submit_request__init(&request);
	armada__job_spec__init(&spec);
	armada__task_group__init(&group);
	armada__index_range__init(&range);
	randombytes_buf(key, sizeof(key));
	group.replicas = 1;
	spec.name = spec.job_set = (char *)"hostile";
	spec.hold = true;
	spec.chdir = spec.submit_dir = (char *)"/";
	spec.n_groups = 1;
	spec.groups = groups;
	request.key = (ProtobufCBinaryData){sizeof(key), key};
	request.n_jobs = 1;
	request.jobs = specs;
	if (array) {
		range = (Armada__IndexRange){range.base, .first = 1, .last = array, .step = 1};
		spec.n_array = 1;
		spec.array = ranges;
	}
	if (with_script) {
		pack_script(a);
		sodium_bin2hex((char *)a->script.data + 11, 33, key, sizeof(key));
		a->script.data[11 + 32] = '\n';
		blob = (ProtobufCBinaryData){a->script.len, a->script.data};
		spec.script_blob = 1;
		request.n_blobs = 1;
		request.blobs = &blob;
	} else {
		group.n_argv = 1;
		group.argv = argv;
	}
	return &request;
}

/* Submits before the attack begins; a refusal ends the program, as no attack would follow. */
static void submit(struct attack *a, bool with_script, uint32_t array)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct err err = {""};
	struct call *c = target_call(a->target, ASK_MS, &err);
	enum msg_type type = MSG_OK;
	void *m = NULL;

	if (c &&
	    !call_ask(c, MSG_SUBMIT, held_job(a, with_script, array), arena, ASK_MS, &type, &m,
		      &err) &&
	    type == MSG_SUBMIT_REPLY && ((Armada__SubmitReply *)m)->n_ids == 1) {
		a->job = ((Armada__SubmitReply *)m)->ids[0];
		call_close(c);
		return;
	}
	fprintf(stderr, "hostile: %s: the job of the attack is not accepted: %s\n", a->verb->name,
		type == MSG_ERROR ? ((Armada__ErrorReply *)m)->text : err.text);
	exit(1);
}

static void setup_script(struct attack *a)
{
	submit(a, true, 0);
}

static void setup_array(struct attack *a)
{
	submit(a, false, ARRAY);
}

static void setup_job(struct attack *a)
{
	submit(a, false, 0);
}

static void send_submit(struct peer *p, const Armada__SubmitRequest *request)
{
	session_send(p->session, MSG_SUBMIT, (uint32_t)p->made, request);
}

static void next_show(struct attack *a, struct peer *p)
{
	Armada__ShowJobRequest r = ARMADA__SHOW_JOB_REQUEST__INIT;

	r.job = a->job;
	r.with_script = true;
	session_send(p->session, MSG_SHOW_JOB, (uint32_t)p->made, &r);
}

static void next_list(struct attack *a, struct peer *p)
{
	Armada__ListJobsRequest r = ARMADA__LIST_JOBS_REQUEST__INIT;

	(void)a;
	r.limit = ROWS;
	r.expand_arrays = true;
	session_send(p->session, MSG_LIST_JOBS, (uint32_t)p->made, &r);
}

/* Every 500 requests a submission: what follows it waits for its commit. */
static void next_pipeline(struct attack *a, struct peer *p)
{
	if (p->made % 500 == 0)
		send_submit(p, held_job(a, false, 0));
	else
		next_show(a, p);
}

static void next_pipeline_list(struct attack *a, struct peer *p)
{
	if (p->made % 500 == 0)
		send_submit(p, held_job(a, false, 0));
	else
		next_list(a, p);
}

static void next_wait(struct attack *a, struct peer *p)
{
	Armada__WaitJobRequest r = ARMADA__WAIT_JOB_REQUEST__INIT;

	r.job = a->job;
	session_send(p->session, MSG_WAIT_JOB, (uint32_t)p->made, &r);
}

static void next_history(struct attack *a, struct peer *p)
{
	Armada__HistoryRequest r = ARMADA__HISTORY_REQUEST__INIT;

	(void)a;
	r.limit = ROWS;
	session_send(p->session, MSG_HISTORY, (uint32_t)p->made, &r);
}

static void next_store(struct attack *a, struct peer *p)
{
	send_submit(p, held_job(a, true, 0));
}

/* Many jobs with one script, and their ends: what is kept of each may not have the script again. */
static void next_ends(struct attack *a, struct peer *p)
{
	static Armada__JobSpec *specs[ENDS];
	static char *sets[] = {(char *)"hostile"};
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__CancelRequest cancel = ARMADA__CANCEL_REQUEST__INIT;
	Armada__SubmitRequest *request;

	if (p->made % 2 == 0) {
		request = held_job(a, true, 0);
		for (size_t i = 0; i < ENDS; i++)
			specs[i] = request->jobs[0];
		request->n_jobs = ENDS;
		request->jobs = specs;
		send_submit(p, request);
		return;
	}
	filter.job_sets = sets;
	filter.n_job_sets = 1;
	cancel.filter = &filter;
	session_send(p->session, MSG_CANCEL, (uint32_t)p->made, &cancel);
}

static void next_garbled(struct attack *a, struct peer *p)
{
	uint8_t body[64];

	(void)a;
	memset(body, 0xff, sizeof(body));
	session_send_packed(p->session, MSG_SHOW_JOB, (uint32_t)p->made, body, sizeof(body));
}

/* The kinds of bytes that are no message; those from FIRST_OPEN on follow a handshake. */
enum {
	RANDOM,
	HALF_HEADER,
	HUGE_HELLO,
	FIRST_OPEN,
	NOT_SEALED = FIRST_OPEN,
	HUGE,
	BEGUN,
	GARBLED,
	AGENTS,
	KINDS
};

static bool opens_frames(const struct peer *p)
{
	return p->index % KINDS >= FIRST_OPEN;
}

static void add_header(struct buf *out, uint32_t len, uint16_t type)
{
	const uint8_t h[12] = {(uint8_t)len,         (uint8_t)(len >> 8), (uint8_t)(len >> 16),
			       (uint8_t)(len >> 24), (uint8_t)type,       (uint8_t)(type >> 8)};

	buf_add(out, h, sizeof(h));
}

static void add_random(struct buf *out, size_t len)
{
	randombytes_buf(buf_reserve(out, len), len);
	out->len += len;
}

static void next_frame(struct attack *a, struct peer *p)
{
	struct buf *out = session_out(p->session);

	switch (p->index % KINDS) {
	case RANDOM:
		add_random(out, 8192);
		break;
	case HALF_HEADER:
		add_random(out, 6);
		break;
	case HUGE_HELLO:
		add_header(out, UINT32_MAX, MSG_CLIENT_HELLO);
		break;
	case NOT_SEALED:
		add_header(out, 65536, MSG_SUBMIT);
		add_random(out, 2 * 65536);
		break;
	case HUGE:
		add_header(out, UINT32_MAX, MSG_SUBMIT);
		break;
	case BEGUN:
		add_header(out, 4 << 20, MSG_SUBMIT);
		add_random(out, (4 << 20) - 1);
		break;
	case GARBLED:
		next_garbled(a, p);
		break;
	case AGENTS:
		add_header(out, 100, MSG_REPORTS);
		add_random(out, 200);
		break;
	}
}

static bool opens_never(const struct peer *p)
{
	(void)p;
	return false;
}

/* clang-format off */
const struct verb verbs[] = {
	{"pipeline", "a SUBMIT, then SHOW_JOB of a 1 MB script; reads nothing",
	 5, 1000, setup_script, next_pipeline,
	 .reading = READ_NOTHING},
	{"lists", "a SUBMIT, then LIST_JOBS of 4,999 rows; reads nothing",
	 5, 1000, setup_array, next_pipeline_list,
	 .reading = READ_NOTHING},
	{"unread", "SHOW_JOB of a 1 MB script; reads nothing",
	 50, 60, setup_script, next_show, .reading = READ_NOTHING},
	{"slow", "LIST_JOBS of 4,999 rows; reads a byte a second",
	 200, 10, setup_array, next_list,
	 .reading = READ_SLOWLY},
	{"wait", "WAIT_JOB of a held job",
	 10, 200000, setup_job, next_wait, .reading = READ_ALL},
	{"history", "HISTORY; the honest client asks for history, too",
	 200, 5000, setup_job, next_history,
	 .reading = READ_ALL, .asks_history = true},
	{"store", "held jobs with different scripts of 1 MB",
	 1, 2000, NULL, next_store, .reading = READ_ALL},
	{"ends", "1,000 held jobs with one script of 1 MB, then their cancellation",
	 1, 20, NULL, next_ends, .reading = READ_ALL},
	{"silent", "connections without a word, each replaced when it is closed",
	 100, 0, NULL, NULL, opens_never,
	 .reading = READ_ALL, .again = true},
	{"frames", "bytes that are no message, half frames, huge headers, messages begun",
	 64, 1, NULL, next_frame,
	 opens_frames, .reading = READ_ALL},
	{"garbage", "messages that cannot be decoded, each on a connection of its own",
	 10, 1, NULL, next_garbled,
	 .reading = READ_ALL, .again = true},
	{"flood", "connect and close",
	 1, 20000, NULL, NULL, opens_never, .hangs_up = true},
	{0},
};
/* clang-format on */

/*
 * The commit queue: no effect is carried out before its record is durable, and all effects are
 * carried out in order.
 */
#include "armctld/commit.h"
#include "tap/tap.h"
#include "util/mem.h"
#include "util/shared.h"

#include <errno.h>
#include <event2/event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A state plugin whose appends wait until the test permits them. */
static struct fake {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned begun, allowed, ended;
	size_t counts[64];
	uint64_t last_seq, snapshot_seq, snapshot_after;
	unsigned parts_begun, parts_allowed;
	size_t parts_written;
	bool broken, no_space, failed;
	unsigned tidied;
	char sentence[128];
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static char letters[256]; /* the effects that were carried out */
static uint64_t durable_seq;

static int fake_append(void *handle, const struct armada_state_record *records, size_t count,
		       struct armada_error *err)
{
	(void)handle;
	pthread_mutex_lock(&fake.lock);
	if (fake.no_space) {
		fake.no_space = false;
		snprintf(err->text, sizeof(err->text), "the disk is full");
		pthread_mutex_unlock(&fake.lock);
		return -ENOSPC;
	}
	fake.counts[fake.begun % 64] = count;
	fake.begun++;
	pthread_cond_broadcast(&fake.changed);
	while (fake.ended >= fake.allowed)
		pthread_cond_wait(&fake.changed, &fake.lock);
	fake.ended++;
	fake.last_seq = records[count - 1].seq;
	if (fake.broken)
		snprintf(err->text, sizeof(err->text), "the disk is gone");
	pthread_mutex_unlock(&fake.lock);
	return fake.broken ? -5 : 0;
}

static int fake_snapshot(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
			 size_t count, struct armada_error *err)
{
	(void)handle, (void)chunks, (void)count, (void)err;
	pthread_mutex_lock(&fake.lock);
	fake.snapshot_seq = seq;
	fake.snapshot_after = fake.last_seq;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

enum { PART = 4 << 20, PARTS = 3 };

/* Each part waits until the test allows it. */
static int fake_part(void *handle, const struct armada_state_part *p, struct armada_error *err)
{
	(void)handle, (void)err;
	pthread_mutex_lock(&fake.lock);
	fake.parts_begun++;
	pthread_cond_broadcast(&fake.changed);
	while (fake.parts_begun > fake.parts_allowed)
		pthread_cond_wait(&fake.changed, &fake.lock);
	if (p->total == PARTS && p->chunks[0].len == PART && p->first == fake.parts_written)
		fake.parts_written += p->count;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static void allow_part(void)
{
	pthread_mutex_lock(&fake.lock);
	fake.parts_allowed++;
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
}

static void wait_part(unsigned n)
{
	pthread_mutex_lock(&fake.lock);
	while (fake.parts_begun < n)
		pthread_cond_wait(&fake.changed, &fake.lock);
	pthread_mutex_unlock(&fake.lock);
}

/* Three steps in all. */
static int fake_tidy(void *handle, struct armada_error *err)
{
	int rc;

	(void)handle, (void)err;
	pthread_mutex_lock(&fake.lock);
	rc = fake.tidied < 3 && ++fake.tidied < 3;
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
	return rc;
}

static const struct armada_state_ops state = {
	.append = fake_append, .snapshot = fake_snapshot, .tidy = fake_tidy};

static void send_effects(void *arg, const struct effect *effects, size_t count)
{
	(void)arg;
	for (size_t i = 0; i < count; i++) {
		strcat(letters, effects[i].text);
		if (effects[i].viewer)
			strcat(letters, effects[i].viewer->user);
		for (size_t k = 0; effects[i].viewer && k < effects[i].viewer->queue_count; k++)
			strcat(letters, effects[i].viewer->queues[k]);
	}
}

static int64_t writing_bytes, waiting_bytes; /* of connection 7 */

static void writing(void *arg, uint64_t conn, int64_t bytes)
{
	(void)arg;
	if (conn == 7)
		writing_bytes += bytes;
}

static void waiting(void *arg, uint64_t conn, int64_t bytes)
{
	(void)arg;
	if (conn == 7)
		waiting_bytes += bytes;
}

static void durable(void *arg, uint64_t seq)
{
	(void)arg;
	durable_seq = seq;
}

static void failed(void *arg, int code, const char *sentence)
{
	(void)code;
	(void)arg;
	pthread_mutex_lock(&fake.lock);
	fake.failed = true;
	snprintf(fake.sentence, sizeof(fake.sentence), "%s", sentence);
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
}

static const struct commit_ops ops = {send_effects, writing, waiting, durable, failed};

static void wait_begun(unsigned n)
{
	pthread_mutex_lock(&fake.lock);
	while (fake.begun < n)
		pthread_cond_wait(&fake.changed, &fake.lock);
	pthread_mutex_unlock(&fake.lock);
}

static void allow(unsigned more)
{
	pthread_mutex_lock(&fake.lock);
	fake.allowed += more;
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
}

/* seq 0: without a record. */
static void give(struct commit *c, uint64_t seq, const char *letter)
{
	struct effect e = {.kind = EFFECT_LOG, .text = letter};
	struct output out = {.effects = &e, .effect_count = 1};

	if (seq) {
		out.record = (const uint8_t *)"record";
		out.record_len = 6;
		out.seq = seq;
	}
	commit_output(c, 0, &out);
}

/* An effect without a record that needs the records up to `needs`. */
static void give_old(struct commit *c, uint64_t needs, const char *letter)
{
	struct effect e = {.kind = EFFECT_LOG, .text = letter};
	struct output out = {.effects = &e, .effect_count = 1, .needs = needs};

	commit_output(c, 0, &out);
}

static void loop_until_idle(struct event_base *base, struct commit *c)
{
	while (!commit_idle(c))
		event_base_loop(base, EVLOOP_ONCE);
}

static void test_order(struct event_base *base, struct commit *c)
{
	give(c, 0, "a");
	is_str(letters, "a", "an effect without a record leaves at once");
	ok(commit_idle(c), "the commit is idle");

	give(c, 1, "b");
	wait_begun(1);
	give(c, 0, "c");
	give(c, 2, "d");
	give(c, 0, "e");
	event_base_loop(base, EVLOOP_NONBLOCK);
	is_str(letters, "a", "no effect leaves while its record is being written");
	allow(1);
	wait_begun(2);
	while (strlen(letters) < 3)
		event_base_loop(base, EVLOOP_ONCE);
	is_str(letters, "abc", "effects that waited for the record leave");
	is_int(durable_seq, 1, "the first record is durable");
	event_base_loop(base, EVLOOP_NONBLOCK);
	is_str(letters, "abc", "an effect after the second record waits for it");
	give_old(c, 2, "g");
	is_str(letters, "abc", "an effect that depends on it waits");
	give_old(c, 1, "f");
	is_str(letters, "abcf", "an effect that depends on the first record leaves");
	allow(1);
	loop_until_idle(base, c);
	is_str(letters, "abcfdeg", "the effects leave in order");
	is_int(durable_seq, 2, "both records are durable");
}

static void test_groups(struct event_base *base, struct commit *c)
{
	letters[0] = 0;
	give(c, 3, "x");
	wait_begun(3);
	for (int i = 0; i < 100; i++)
		give(c, 4 + i, "y");
	allow(2);
	loop_until_idle(base, c);
	is_int(fake.begun, 4, "records that arrive during an append go in one further append");
	is_int(fake.counts[3], 100, "the append has all records");
	is_int(strlen(letters), 101, "every effect left");
}

/* The data of the core is freed after the next input: waiting effects are copies. */
static void test_copies(struct event_base *base, struct commit *c)
{
	char user[] = "u", queue[] = "q";
	const char *queues[] = {queue};
	struct core_viewer viewer = {.user = user, .queues = queues, .queue_count = 1};
	struct effect e = {.kind = EFFECT_FIND, .text = "f", .viewer = &viewer};
	struct output out = {.effects = &e, .effect_count = 1};

	letters[0] = 0;
	give(c, 104, "w");
	wait_begun(5);
	commit_output(c, 0, &out);
	user[0] = queue[0] = '?';
	queues[0] = "gone";
	viewer = (struct core_viewer){.user = "nobody"};
	allow(1);
	loop_until_idle(base, c);
	is_str(letters, "wfuq", "waiting effects are delivered unchanged");
}

/* A connection's records count until they are durable, and its answers until they leave. */
static void test_bytes(struct event_base *base, struct commit *c)
{
	struct effect e = {.kind = EFFECT_LOG,
			   .text = "v",
			   .conn = 7,
			   .len = 3,
			   .body = (const uint8_t *)"abc"};
	struct output out = {.record = (const uint8_t *)"record",
			     .record_len = 6,
			     .seq = 105,
			     .effects = &e,
			     .effect_count = 1};

	commit_output(c, 7, &out);
	wait_begun(6);
	is_int(writing_bytes, 6, "the record of a connection counts while it is written");
	is_int(waiting_bytes, 3, "its answer counts, too");
	allow(1);
	loop_until_idle(base, c);
	is_int(writing_bytes, 0, "a durable record no longer counts");
	is_int(waiting_bytes, 0, "nor does an answer that left");
}

static void test_snapshot(struct event_base *base, struct commit *c)
{
	struct snapshot *s = snapshot_new(106);

	snapshot_add(s, "chunk", 5, NULL);
	give(c, 106, "z");
	commit_snapshot(c, s);
	allow(2); /* the record may have been appended alone */
	loop_until_idle(base, c);
	is_int(fake.snapshot_seq, 106, "the snapshot reaches the plugin");
	ok(fake.snapshot_after >= 106, "the snapshot follows its records");
}

/* A record does not wait for a large snapshot, but for one part of it. */
static void test_parts(struct event_base *base)
{
	static const struct armada_state_ops by_parts = {.append = fake_append,
							 .snapshot_part = fake_part};
	struct commit *c = commit_new(base, &by_parts, NULL, &ops, NULL);
	struct snapshot *s = snapshot_new(105);
	struct shared *bytes;
	uint8_t *data = xcalloc(1, PART - 1);

	letters[0] = 0;
	bytes = shared_new(data, PART - 1);
	free(data);
	for (int i = 0; i < PARTS; i++)
		snapshot_add(s, "h", 1, bytes);
	shared_drop(bytes);
	is_int(s->bytes, PARTS * PART, "the snapshot has the shared bytes");
	commit_snapshot(c, s);
	wait_part(1);
	ok(commit_writes_snapshot(c) && !commit_idle(c), "a snapshot is being written");
	give(c, 0, "p");
	is_str(letters, "p", "an effect without a record does not wait for it");
	allow(1);
	give(c, 106, "q");
	allow_part();
	while (strlen(letters) < 2)
		event_base_loop(base, EVLOOP_ONCE);
	is_str(letters, "pq", "a record is appended between its parts");
	ok(fake.parts_written < PARTS && commit_writes_snapshot(c), "... before the last of them");
	allow_part();
	allow_part();
	loop_until_idle(base, c);
	is_int(fake.parts_written, PARTS, "each chunk is written once, with what it shares");
	ok(!commit_writes_snapshot(c), "the snapshot is written");
	commit_free(c);
}

static void test_no_space(struct event_base *base, struct commit *c)
{
	letters[0] = 0;
	fake.no_space = true;
	allow(1);
	give(c, 106, "s");
	loop_until_idle(base, c);
	is_str(letters, "s", "an append that lacked space is repeated, then its effects leave");
	ok(!fake.no_space && !fake.failed, "it is no failure");
	pthread_mutex_lock(&fake.lock);
	while (fake.tidied < 3)
		pthread_cond_wait(&fake.changed, &fake.lock);
	pthread_mutex_unlock(&fake.lock);
	is_int(fake.tidied, 3, "while no record waits, the plugin tidies up until it is done");
}

static void test_failure(struct event_base *base, struct commit *c)
{
	letters[0] = 0;
	fake.broken = true;
	allow(1);
	give(c, 107, "n");
	pthread_mutex_lock(&fake.lock);
	while (!fake.failed)
		pthread_cond_wait(&fake.changed, &fake.lock);
	pthread_mutex_unlock(&fake.lock);
	event_base_loop(base, EVLOOP_NONBLOCK);
	is_str(fake.sentence, "the disk is gone", "a failed append is reported with its message");
	is_str(letters, "", "no effect leaves after it");
	ok(!commit_idle(c), "the failed append is kept");
}

int main(void)
{
	struct event_base *base = event_base_new();
	struct commit *c = commit_new(base, &state, NULL, &ops, NULL);

	test_order(base, c);
	test_groups(base, c);
	test_copies(base, c);
	test_bytes(base, c);
	test_snapshot(base, c);
	test_parts(base);
	test_no_space(base, c);
	test_failure(base, c);
	commit_free(c);
	event_base_free(base);
	return done();
}

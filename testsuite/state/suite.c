/*
 * What every engine promises, with the same tests for each: durability, order, fencing, unknown outcome,
 * replay, snapshots in slices, following, and a large history. state/redis is skipped where redis-server is
 * missing.
 */
#include "state/engine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLS = 8, CHUNKS = 60, HISTORY = 20000, HISTORY_BATCH = 500 };
static const char *name;

static _Noreturn void victim(const char *dir, unsigned seed, int fd)
{
	void *h = engine_reopen(dir);
	struct replayed seen;
	uint64_t seq;

	if (state_replay(h, &seen))
		_exit(1);
	seq = seen.last ? seen.last : seen.snapshot_seq;
	for (;;) {
		uint64_t n = 1 + (uint64_t)rand_r(&seed) % 40;

		if (engine_append(h, seq + 1, seq + n))
			_exit(2);
		seq += n;
		if (write(fd, &seq, sizeof(seq)) != sizeof(seq))
			_exit(3);
		if (rand_r(&seed) % 16 == 0 && state_snapshot_at(h, seq - n / 2, 20))
			_exit(4);
	}
}

/* The last record that was acknowledged before the controller, and then the engine, were killed. */
static uint64_t run_victim(const char *dir, unsigned seed, int acks)
{
	uint64_t seq = 0, acked = 0;
	int fds[2], status;
	pid_t pid;

	if (pipe(fds))
		bail("pipe");
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		victim(dir, seed, fds[1]);
	}
	close(fds[1]);
	while (read(fds[0], &seq, sizeof(seq)) == sizeof(seq)) {
		acked = seq;
		if (acks-- == 0) {
			usleep(seed % 700);
			engine_crash();
			kill(pid, SIGKILL);
		}
	}
	close(fds[0]);
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status))
		diag("the controller ended by itself with %d", WEXITSTATUS(status));
	return acked;
}

static void test_durability(void)
{
	const char *dir;
	void *h = engine_fresh(&dir);
	unsigned seed = 4711;
	uint64_t acked = 0;
	int lost = 0, wrong = 0;

	ops->close(h);
	for (int i = 0; i < KILLS; i++) {
		uint64_t got = run_victim(dir, (unsigned)rand_r(&seed), 5 + rand_r(&seed) % 30);
		struct replayed seen;

		acked = got ? got : acked;
		h = engine_reopen(dir);
		wrong += engine_replay(h, &seen) || seen.wrong;
		lost += (seen.last ? seen.last : seen.snapshot_seq) < acked;
		acked = seen.last > acked ? seen.last : acked;
		ops->close(h);
	}
	is_int(lost, 0, "%s: no acknowledged record is lost in %d kills", name, KILLS);
	is_int(wrong, 0, "%s: no record is changed", name);
	ok(acked > KILLS, "%s: records were acknowledged", name);
}

static void test_order(void)
{
	const char *dir;
	void *h = engine_fresh(&dir);
	struct replayed seen;

	is_int(state_replay(h, &seen), 0, "%s: an empty state is replayed", name);
	is_int(engine_append(h, 1, 300), 0, "%s: a batch is appended", name);
	is_int(engine_append(h, 301, 301), 0, "%s: one record is appended", name);
	is_int(ops->append(h, NULL, 0, &err), 0, "%s: an empty batch is accepted", name);
	is_int(state_replay(h, &seen), 0, "%s: the state is replayed", name);
	ok(seen.first == 1 && seen.last == 301 && !seen.wrong, "%s: every record is unchanged",
	   name);
	is_int(state_append(h, 303, 304), -EINVAL, "%s: a gap is refused", name);
	has_str(err.text, "record 303 does not follow record 301", "%s: in words", name);
	ops->close(h);
	h = engine_reopen(dir);
	state_replay(h, &seen);
	ok(seen.first == 1 && seen.last == 301 && !seen.wrong, "%s: also after a new open", name);
	ops->close(h);
}

/* Parts of a snapshot, with records between them. */
static void test_slices(void)
{
	static char text[CHUNKS][2000];
	struct armada_state_chunk chunks[CHUNKS];
	struct armada_state_info info;
	const char *dir;
	void *h = engine_fresh(&dir);
	uint64_t seq = 5000;
	int rc = 0, steps = 0;

	for (int i = 0; i < CHUNKS; i++) {
		memset(text[i], 'a' + i % 26, sizeof(text[i]));
		chunks[i] = (struct armada_state_chunk){text[i], sizeof(text[i])};
	}
	for (uint64_t first = 1; first <= seq; first += 250)
		rc = rc ? rc : engine_append(h, first, first + 249);
	ops->history_put(h, seq, NULL, 0, NULL, 0, &err);
	for (size_t at = 0; at < CHUNKS && !rc; at += 20) {
		struct armada_state_part part = {5000, at, CHUNKS, sizeof(text), chunks + at, 20};

		rc = ops->snapshot_part(h, &part, &err);
		if (!rc)
			rc = engine_append(h, seq + 1, seq + 10);
		seq += 10;
	}
	is_int(rc, 0, "%s: a snapshot is written in slices, with records between them (%s)", name,
	       rc ? err.text : "");
	ops->history_put(h, seq, NULL, 0, NULL, 0, &err);
	is_int(state_snapshot_at(h, seq, 3), 0, "%s: and a second one", name);
	while (ops->tidy(h, &err) == 1 && steps < 100)
		steps++;
	ok(!ops->replica || steps >= 5, "%s: old records go in slices (%d steps)", name, steps);
	ops->close(h);
	if (state_open(dir, &h, &info))
		bail("%s", err.text);
	is_int(info.snapshot_seq, (long long)seq, "%s: the newest snapshot is found", name);
	ops->close(h);
}

static int count_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *row,
		     size_t len)
{
	(void)first, (void)last, (void)row, (void)len;
	*(uint64_t *)arg += job;
	return 0;
}

static void test_history(void)
{
	static struct armada_history_row rows[HISTORY_BATCH];
	struct armada_history_filter all = {0};
	uint64_t sum = 0, want = 0;
	const char *dir;
	void *h = engine_fresh(&dir);
	int rc = engine_append(h, 1, 1);

	for (uint64_t job = 1; job <= HISTORY && !rc; job += HISTORY_BATCH) {
		for (uint64_t i = 0; i < HISTORY_BATCH; i++) {
			rows[i] = (struct armada_history_row){.seq = 1,
							      .job = job + i,
							      .attempt = 1,
							      .user = "alice",
							      .queue = "q",
							      .job_set = "",
							      .name = "n",
							      .nodes = "n1",
							      .end_us = (int64_t)(job + i),
							      .row = "row",
							      .row_len = 3};
			want += job + i;
		}
		rc = ops->history_put(h, 1, rows, HISTORY_BATCH, NULL, 0, &err);
	}
	is_int(rc, 0, "%s: a large history is written", name);
	is_int(ops->history_find(h, &all, count_row, &sum, &err), 0, "%s: and read", name);
	is_int((long long)sum, (long long)want, "%s: with all its rows", name);
	ops->close(h);
}

static void test_fencing_local(void)
{
	const char *dir;
	void *h = engine_fresh(&dir), *other;

	is_int(state_open(dir, &other, NULL), -EBUSY, "%s: a second controller is refused", name);
	ops->close(h);
}

static void test_fencing(void)
{
	struct armada_replica_lead lead;
	struct armada_state_info info;
	const char *dir, *second = harness_dir();
	void *h = engine_fresh(&dir), *other = NULL;
	struct replayed seen;

	engine_append(h, 1, 10);
	is_int(state_open(second, &other, &info), 0, "%s: a second controller opens the state",
	       name);
	is_int(info.last_seq, 10, "%s: and sees its end", name);
	is_int(ops->replica->lead(other, 1, &lead, &err), -EBUSY,
	       "%s: it does not lead while the lease may be valid", name);
	ok(ops->replica->lease_until(h) > 0 && ops->replica->lease_until(other) == 0,
	   "%s: one of them leads", name);
	is_int(state_append(other, 11, 11), -ESTALE, "%s: a standby cannot append", name);
	is_int(engine_lead(other, &lead), 0, "%s: it leads when the lease has run out", name);
	is_int((long long)lead.epoch, 2, "%s: with the next epoch", name);
	is_int((long long)lead.last_seq, 10, "%s: and the end of the log", name);
	is_int(state_append(h, 11, 11), -ESTALE, "%s: the first one is refused", name);
	is_int(ops->replica->renew(h, &err), -ESTALE, "%s: and cannot renew", name);
	is_int(ops->replica->lease_until(h), 0, "%s: it does not lead any more", name);
	is_int(state_replay(other, &seen), 0, "%s: the new leader replays", name);
	is_int(engine_append(other, 11, 12), 0, "%s: and appends", name);
	is_int(ops->replica->resign(other, NULL, &err), 0, "%s: it resigns", name);
	is_int(ops->replica->lead(h, 9, &lead, &err), 0, "%s: then no lease has to end", name);
	is_int((long long)lead.epoch, 9, "%s: an epoch is at least what the host wants", name);
	is_int(ops->replica->resign(h, "b", &err), 0, "%s: a leader names an heir", name);
	is_int(ops->replica->lead(other, 1, &lead, &err), -EBUSY, "%s: another one waits", name);
	ops->close(other);
	ops->close(h);
}

/* What another controller knows is compared as the own mark is, and then kept. */
static void test_marks(void)
{
	struct armada_replica_mark own, more;
	const char *dir;
	void *h = engine_fresh(&dir), *again = NULL;

	engine_append(h, 1, 10);
	ops->replica->mark(h, &own);
	is_int((long long)own.seq, 10, "%s: a leader knows its last record", name);
	is_int(ops->replica->check_mark(h, &own, &err), 0, "%s: the log has it", name);
	more = own;
	more.len = 1;
	is_int(ops->replica->check_mark(h, &more, &err), -EBADMSG,
	       "%s: a mark with a short hash cannot be compared", name);
	has_str(err.text, "has a hash of 1 bytes", "%s: in words", name);
	is_int(engine_append(h, 11, 11), 0, "%s: and is no reason to stop", name);
	ops->replica->mark(h, &own);
	more = own;
	more.seq = 13;
	is_int(ops->replica->check_mark(h, &more, &err), -EUCLEAN,
	       "%s: another controller knows a record that the log lacks", name);
	has_str(err.text, "ends at record 11, but record 13 was acknowledged",
		"%s: the message has both positions", name);
	is_int(state_append(h, 12, 12), -EUCLEAN, "%s: then nothing is written", name);
	ops->close(h);
	is_int(state_open(dir, &again, NULL), -EUCLEAN, "%s: and it is not forgotten", name);

	h = engine_fresh(&dir);
	engine_append(h, 1, 10);
	ops->replica->mark(h, &more);
	more.hash[0] ^= 1;
	is_int(ops->replica->check_mark(h, &more, &err), -EUCLEAN,
	       "%s: another record in its place is noticed", name);
	ops->close(h);
}

/* A leader that was killed starts again: its lease is nobody's, and the directory says whose it was. */
static void test_lead_again(void)
{
	struct armada_replica_lead lead;
	const char *dir, *second = harness_dir();
	void *h = engine_fresh(&dir), *other = NULL;

	engine_append(h, 1, 10);
	ops->close(h);
	is_int(state_open(second, &other, NULL), 0, "%s: another controller opens the state", name);
	is_int(ops->replica->lead(other, 1, &lead, &err), -EBUSY,
	       "%s: it waits for the end of the lease of a leader that was killed", name);
	is_int(state_open(dir, &h, NULL), 0, "%s: the killed one starts again", name);
	is_int(ops->replica->lead(h, 1, &lead, &err), 0, "%s: and leads at once", name);
	is_int((long long)lead.epoch, 2, "%s: with the next epoch", name);
	ops->close(other);
	ops->close(h);
}

static void test_unknown_outcome(void)
{
	const char *dir;
	void *h = engine_fresh(&dir);
	struct replayed seen;

	engine_append(h, 1, 10);
	server_pause(1, true);
	is_int(state_append(h, 11, 20), -EAGAIN, "%s: with a copy away records wait", name);
	has_str(err.text, server_names[1], "%s: the message names the copy", name);
	is_int(state_append(h, 11, 30), -EAGAIN, "%s: more records may join", name);
	server_pause(1, false);
	is_int(engine_append(h, 11, 30), 0, "%s: then all are acknowledged", name);
	server_kill(0);
	state_append(h, 31, 40);
	server_start(0, NULL);
	is_int(engine_append(h, 31, 40), 0, "%s: also after the primary was away", name);
	is_int(state_replay(h, &seen), 0, "%s: the log is replayed", name);
	ok(seen.first == 1 && seen.last == 40 && !seen.wrong, "%s: each record is there once",
	   name);
	ops->close(h);
}

static int follow_one(void *arg, uint64_t seq, const void *data, size_t len)
{
	char text[RECORD_MAX];
	uint64_t *last = arg;

	if (seq != *last + 1 || record_text(seq, text) != len || memcmp(text, data, len) != 0)
		return -EILSEQ;
	*last = seq;
	return 0;
}

static void test_follow(void)
{
	const char *dir, *second = harness_dir();
	void *h = engine_fresh(&dir), *other = NULL;
	uint64_t last = 0, seq = 0, acked = 0;
	struct replayed seen;
	int rc = 0;

	if (state_open(second, &other, NULL) || state_replay(other, &seen))
		bail("%s", err.text);
	is_int(ops->replica->follow(other, 0, 50, follow_one, &last, &seq, &acked, &err), 0,
	       "%s: a standby waits for records", name);
	is_int((long long)seq, 0, "%s: and there are none", name);
	for (uint64_t first = 1; first <= 3000 && !rc; first += 100) {
		rc = engine_append(h, first, first + 99);
		if (!rc)
			rc = ops->replica->renew(h, &err);
		if (!rc)
			rc = ops->replica->follow(other, last, 1000, follow_one, &last, &seq,
						  &acked, &err);
	}
	for (int i = 0; i < 100 && !rc && last < 3000; i++)
		rc = ops->replica->follow(other, last, 100, follow_one, &last, &seq, &acked, &err);
	is_int(rc, 0, "%s: it follows the leader (%s)", name, rc ? err.text : "");
	is_int((long long)last, 3000, "%s: up to the last record", name);
	ops->replica->interrupt(other, true);
	is_int(ops->replica->follow(other, last, 10000, follow_one, &last, &seq, &acked, &err),
	       -EINTR, "%s: waiting can be interrupted", name);
	ops->replica->interrupt(other, false);
	/* the leader goes on while the standby is away, and snapshots replace what it has not read */
	rc = engine_append(h, 3001, 3100);
	ops->history_put(h, 3100, NULL, 0, NULL, 0, &err);
	if (rc || state_snapshot_at(h, 3050, 3) || state_snapshot_at(h, 3100, 3) ||
	    ops->replica->renew(h, &err))
		bail("%s", err.text);
	while (ops->tidy(h, &err) == 1)
		;
	is_int(ops->replica->follow(other, last, 1000, follow_one, &last, &seq, &acked, &err),
	       -ESTALE, "%s: a standby that lacks deleted records replays", name);
	is_int(state_replay(other, &seen), 0, "%s: which succeeds (%s)", name, err.text);
	ops->close(other);
	ops->close(h);
}

static int see_controller(void *arg, const struct armada_replica_controller *c)
{
	char *text = arg;
	size_t len = strlen(text);

	snprintf(text + len, 200 - len, "%s=%s%s@%s:%.*s;", c->name,
		 c->leads ? "leads" : "stands by", c->age_us > 5000000 ? "(old)" : "", c->address,
		 (int)c->len, (const char *)c->data);
	return 0;
}

static void test_controllers(void)
{
	const char *dir, *second = harness_dir();
	void *h = engine_fresh(&dir), *other = NULL;
	struct armada_replica_controller a = {.name = "a",
					      .address = "host1:6817",
					      .leads = true,
					      .epoch = 1,
					      .seq = 4,
					      .data = "conf",
					      .len = 4};
	struct armada_replica_controller b = {.name = "b", .address = "host2:6817"};
	char text[200] = "";

	if (state_open(second, &other, NULL))
		bail("%s", err.text);
	is_int(ops->replica->announce(h, &a, &err), 0, "%s: a controller announces itself", name);
	is_int(ops->replica->announce(other, &b, &err), 0, "%s: and another one", name);
	is_int(ops->replica->controllers(other, see_controller, text, &err), 0,
	       "%s: they are listed", name);
	is_str(text, "a=leads@host1:6817:conf;b=stands by@host2:6817:;", "%s: with what they say",
	       name);
	is_int(ops->replica->announce(other, &a, &err), -EEXIST, "%s: a name is used once", name);
	has_str(err.text, "'a' (at host1:6817)", "%s: the message says by whom", name);
	ops->close(other);
	ops->close(h);
}

/* The leader writes a stream for each job set; what a standby has in its history follows when it leads. */
static void test_streams(void)
{
	struct armada_history_event e[3] = {{.queue = "q", .job_set = "s"},
					    {.queue = "q", .job_set = "s"},
					    {.queue = "q", .job_set = "t"}};
	const char *dir, *prefix;
	void *h = engine_fresh(&dir);

	prefix = engine_prefix();
	for (uint64_t i = 0; i < 3; i++) {
		e[i].number = i < 2 ? i + 1 : 1;
		e[i].job = 7;
		e[i].body = "body";
		e[i].body_len = 4;
	}
	is_int(ops->events_put(h, e, 1, &err), 0, "%s: an event is stored", name);
	is_str(server_ask(0, "XLEN %s:set:q:s", prefix), "1",
	       "%s: and is in the stream of its job set", name);
	is_int(ops->events_put(h, e, 3, &err), 0, "%s: it may be stored again", name);
	is_str(server_ask(0, "XLEN %s:set:q:s", prefix), "2", "%s: it is there once", name);
	is_str(server_ask(0, "XLEN %s:set:q:t", prefix), "1", "%s: another set has another stream",
	       name);
	ops->replica->resign(h, NULL, &err);
	e[0].number = 3;
	ops->events_put(h, e, 1, &err);
	is_str(server_ask(0, "XLEN %s:set:q:s", prefix), "2", "%s: a standby writes none", name);
	engine_lead(h, NULL);
	e[0].number = 4;
	ops->events_put(h, e, 1, &err);
	is_str(server_ask(0, "XLEN %s:set:q:s", prefix), "4",
	       "%s: a new leader writes what is missing", name);
	ops->close(h);
}

enum { BESIDE = 3000 };

struct beside {
	void *handle;
	atomic_bool done;
	int first, looks; /* the first answer that is neither 0 nor -EAGAIN */
	struct armada_error why;
};

/* The thread of the announcer: it reads the head all the time. */
static void *look_beside(void *arg)
{
	struct beside *b = arg;

	while (!atomic_load(&b->done)) {
		struct armada_replica_copies c;
		struct armada_error e = {""};
		int rc = ops->replica->copies(b->handle, &c, &e);

		b->looks++;
		if (!rc || rc == -EAGAIN || b->first)
			continue;
		b->first = rc;
		b->why = e;
	}
	return NULL;
}

/* A record that is acknowledged while another thread reads the head is no loss. */
static void test_look_beside(void)
{
	const char *dir;
	struct beside b = {.handle = engine_fresh(&dir)};
	pthread_t thread;
	int rc = 0;

	if (pthread_create(&thread, NULL, look_beside, &b))
		bail("pthread_create");
	for (uint64_t i = 1; i <= BESIDE && !rc; i++)
		rc = engine_append(b.handle, i, i);
	atomic_store(&b.done, true);
	pthread_join(thread, NULL);
	is_int(rc, 0, "%s: records are written while another thread looks at the copies", name);
	is_int(b.first, 0, "%s: which never misses a record that is just acknowledged", name);
	is_str(b.why.text, "", "%s: nor says so", name);
	ok(b.looks > 10, "%s: it has looked often", name);
	ops->close(b.handle);
}

static void run(void)
{
	test_order();
	test_slices();
	test_history();
	test_durability();
	if (!ops->replica) {
		test_fencing_local();
		return;
	}
	test_fencing();
	test_lead_again();
	test_marks();
	test_unknown_outcome();
	test_follow();
	test_controllers();
	test_streams();
	test_look_beside();
}

int main(void)
{
	name = "sqlite";
	harness_load();
	run();
	name = "redis";
	if (!servers_exist()) {
		skip("redis: redis-server is not installed");
		return harness_done();
	}
	servers_start();
	engine_load_redis(false);
	run();
	servers_stop();
	return harness_done();
}

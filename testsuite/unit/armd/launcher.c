/*
 * The launcher as a whole: orders that it accepts and refuses, and the recovery of running tasks
 * after a crash.
 */
#include "rig.h"

#include "armd/pipe/body.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct box box;
static struct rig rig;

static void is_ended(const Armada__TaskBody *body, Armada__EndCause cause, const char *what)
{
	const Armada__Report *r = rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_ENDED);

	is_int(r && r->end ? (int)r->end->cause : -1, cause, "%s", what);
	if (r && r->end && r->end->cause != cause)
		diag("%s", r->end->text);
}

static void has_problem(const char *part)
{
	ok(rig_expect(&rig, PIPE_PROBLEM), "a problem is reported");
	has_str(rig.msg.type == PIPE_PROBLEM ? rig.msg.problem.text : "", part,
		"the text contains: %s", part);
}

static void test_controller(void)
{
	const uint8_t other[16] = "another cluster";

	memcpy(rig.node_id, rig.msg.hello.node_id, 16);
	rig_launch(&rig, box_body(&box, 1, "true", NULL));
	has_problem("the controller's order key is not known yet");
	rig_controller(&rig, RIG_CONTROLLER + 1, rig_cluster, rig_cluster);
	has_problem("made by uid 4712, but the controller is uid 4711");
	rig_controller(&rig, RIG_CONTROLLER, rig_cluster, other);
	has_problem("another cluster");
	rig_controller(&rig, RIG_CONTROLLER, rig_cluster, rig_cluster);
	ok(rig_expect(&rig, PIPE_HELLO),
	   "the first contact with a controller changes the identity of the node");
	ok(memcmp(rig.msg.hello.cluster_id, rig_cluster, 16) == 0,
	   "the node belongs to the cluster");
	ok(rig.msg.hello.epoch == 0 && rig.msg.hello.floor == 0,
	   "its epoch and floor are not set by the network process");
	rig_controller(&rig, RIG_CONTROLLER, other, other);
	has_problem("another cluster");
}

/*
 * A hostile network process wants the node to refuse all orders to come: it sends the greatest epoch and
 * floor, unsigned or in an order for another node. The tests that follow launch tasks.
 */
static void test_epoch_and_floor(void)
{
	struct order genuine = rig_floor(&rig, 10), forged = genuine, foreign;

	forged.epoch = forged.seq = forged.floor = UINT64_MAX;
	foreign = forged;
	foreign.node_id[0] ^= 1;
	rig_send_order(&rig, &forged, NULL, true, true);
	has_problem("signature is not the controller's");
	rig_send_order(&rig, &foreign, NULL, false, true);
	has_problem("stale or for another node");
	rig_send_order(&rig, &genuine, NULL, false, true);
	ok(rig_expect(&rig, PIPE_HELLO), "the controller's lease order changes the epoch");
	is_int(rig.msg.hello.epoch, rig.epoch, "it is the epoch of the order");
	is_int(rig.msg.hello.floor, 10, "so is the floor");
	genuine.seq = genuine.floor = 9;
	rig_send_order(&rig, &genuine, NULL, false, true);
	has_problem("stale");
}

static void test_forgeries(void)
{
	Armada__TaskBody *body = box_body(&box, 10, "touch", "forged", NULL);
	CLEANUP_BUF struct buf packed = box_pack(body);
	struct order o = rig_order(&rig, body, ORDER_LAUNCH);
	char path[400];

	order_digest(packed.data, packed.len, o.digest);
	rig_send_order(&rig, &o, &packed, true, true);
	has_problem("signature is not the controller's");
	rig_send_order(&rig, &o, &packed, false, false);
	has_problem("not sealed");
	rig_send_order(&rig, &o, NULL, false, true);
	has_problem("it has no body");
	packed.data[packed.len - 1] ^= 1;
	rig_send_order(&rig, &o, &packed, false, true);
	has_problem("does not match the signed digest");
	packed.data[packed.len - 1] ^= 1;
	o.node_id[0] ^= 1;
	rig_send_order(&rig, &o, &packed, false, true);
	has_problem("stale or for another node");
	o.node_id[0] ^= 1;
	o.epoch--;
	rig_send_order(&rig, &o, &packed, false, true);
	has_problem("stale");
	o.epoch++;
	o.seq = 9;
	rig_send_order(&rig, &o, &packed, false, true);
	has_problem("stale");
	snprintf(path, sizeof(path), "%s/forged", box.out);
	is_int(access(path, F_OK), -1, "none of the forged orders ran");
}

static void test_run(void)
{
	Armada__TaskBody *body =
		box_body(&box, 20, "/bin/sh", "-c",
			 "echo once >> runs; until [ -e on ]; do sleep 0.02; done", NULL);
	char path[400];
	int fd;

	rig_launch(&rig, body);
	ok(rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_ACCEPTED),
	   "an order is accepted");
	ok(rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_STARTED),
	   "the task is started");
	/* a task that had ended by now would be reported as ended only */
	snprintf(path, sizeof(path), "%s/on", box.out);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	ok(fd >= 0 && close(fd) == 0, "the task is allowed to end");
	is_ended(body, ARMADA__END_CAUSE__END_EXITED, "it ends");
	rig_launch(&rig, body);
	is_ended(body, ARMADA__END_CAUSE__END_EXITED, "a repeated order is answered with the end");
	memset(&rig.msg, 0, sizeof(rig.msg));
	rig.msg.type = PIPE_ACKED;
	rig.msg.acked.keys[0] = box_key(body);
	rig.msg.acked.count = 1;
	rig_say(&rig);
	rig_launch(&rig, body);
	has_problem("stale");
	snprintf(path, sizeof(path), "%s/runs", box.out);
	is_str(box_read(&box, path), "once\n", "the task does not run again");
}

static void test_refusals(void)
{
	Armada__TaskBody *body = box_body(&box, 30, "touch", "refused", NULL);
	struct order o;
	char path[400];

	if (geteuid() == 0)
		body->uid = 0;
	else
		body->uid++;
	rig_launch(&rig, body);
	is_ended(body, ARMADA__END_CAUSE__END_ACCOUNT, "a user that may not run here is refused");
	body = box_body(&box, 31, "touch", "refused", NULL);
	o = rig_order(&rig, body, ORDER_KILL);
	rig_send_order(&rig, &o, NULL, false, true);
	is_ended(body, ARMADA__END_CAUSE__END_REFUSED,
		 "a kill order before the launch order refuses the task");
	rig_launch(&rig, body);
	is_ended(body, ARMADA__END_CAUSE__END_REFUSED, "the launch order does not start it");
	snprintf(path, sizeof(path), "%s/refused", box.out);
	is_int(access(path, F_OK), -1, "neither task ran");
	body = box_body(&box, 32, "true", NULL);
	body->output = arena_strdup(box.arena, "/proc/none/x");
	rig_launch(&rig, body);
	is_ended(body, ARMADA__END_CAUSE__END_LAUNCH_FAILED,
		 "a task without its output file does not start");
}

static void test_kill(void)
{
	Armada__TaskBody *body = box_body(&box, 40, "/bin/sh", "-c", "echo up; sleep 100", NULL);
	struct order o = rig_order(&rig, body, ORDER_KILL);

	rig_launch(&rig, body);
	box_wait_file(body->output);
	rig_send_order(&rig, &o, NULL, false, true);
	is_ended(body, ARMADA__END_CAUSE__END_CANCELLED, "a running task is cancelled");
}

/* Orders with a text: the text is shown if it is as signed, and the task ends in any case. */
static void test_kill_text(void)
{
	CLEANUP_BUF struct buf text = {0}, other = {0};
	static const char *const ends[] = {": made room\n", "up\n", "up\n"};

	buf_addstr(&text, "made room");
	buf_addstr(&other, "made up");
	for (uint64_t i = 0; i < ARRAY_SIZE(ends); i++) {
		Armada__TaskBody *body =
			box_body(&box, 41 + i, "/bin/sh", "-c", "echo up; sleep 100", NULL);
		struct order o = rig_order(&rig, body, ORDER_KILL);
		const char *out;

		rig_launch(&rig, body);
		box_wait_file(body->output);
		order_digest(text.data, text.len, o.digest);
		rig_send_order(&rig, &o, i == 0 ? &text : i == 1 ? &other : NULL, false, true);
		is_ended(body, ARMADA__END_CAUSE__END_CANCELLED, "a task is ended with a text");
		out = box_read(&box, body->output);
		ok(strlen(out) >= strlen(ends[i]) &&
			   strcmp(out + strlen(out) - strlen(ends[i]), ends[i]) == 0,
		   "its output ends as it should: %s", out);
	}
}

/* A gated task waits for its release, across a restart of the launcher; then steps run in it. */
static void test_gate(void)
{
	Armada__TaskBody *body =
		box_body(&box, 45, "/bin/sh", "-c",
			 "echo up; while ! [ -s step2 ]; do sleep 0.01; done", NULL);
	CLEANUP_BUF struct buf payload = {0};
	struct order o = rig_order(&rig, body, ORDER_STEP);
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/arun-io", box.dir);
	f = fopen(path, "w");
	fputs("#!/bin/sh\nread -r line <&3\neval \"$line\"\n", f);
	fchmod(fileno(f), 0755);
	fclose(f);
	body->gated = true;
	rig_launch(&rig, body);
	ok(rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_READY),
	   "a gated task is ready");
	rig_stop(&rig, SIGKILL);
	ok(rig_start(&rig), "a killed launcher restarts");
	rig_controller(&rig, RIG_CONTROLLER, rig_cluster, rig_cluster);
	memset(&rig.msg, 0, sizeof(rig.msg));
	rig.msg.type = PIPE_INVENTORY;
	rig_say(&rig);
	ok(rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_READY),
	   "it finds the waiting task");
	is_str(box_read(&box, body->output), "", "the task has not run");
	buf_addstr(&payload, "echo one > step1\n");
	order_digest(payload.data, payload.len, o.digest);
	rig_send_order(&rig, &o, &payload, false, true);
	has_problem("stale");
	o = rig_order(&rig, body, ORDER_RELEASE);
	rig_send_order(&rig, &o, NULL, false, true);
	ok(rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_STARTED),
	   "it starts after its release");
	rig_send_order(&rig, &o, NULL, false, true);
	ok(rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_STARTED),
	   "a second release is answered with the current state");
	o = rig_order(&rig, body, ORDER_STEP);
	rig_send_order(&rig, &o, NULL, false, true);
	has_problem("it has no body");
	order_digest(payload.data, payload.len - 1, o.digest);
	rig_send_order(&rig, &o, &payload, false, true);
	has_problem("does not match the signed digest");
	order_digest(payload.data, payload.len, o.digest);
	rig_send_order(&rig, &o, &payload, false, true);
	snprintf(path, sizeof(path), "%s/step1", box.out);
	ok(box_wait_file(path), "a step runs in the task");
	buf_clear(&payload);
	buf_addstr(&payload, "echo two > step2\n");
	order_digest(payload.data, payload.len, o.digest);
	rig_send_order(&rig, &o, &payload, false, true);
	is_ended(body, ARMADA__END_CAUSE__END_EXITED, "another step runs, and the task ends");
}

/* What the launcher sends for an output order of this number; in the arena of the box. */
static const Armada__OutputRead *expect_output(uint64_t number)
{
	CLEANUP_FREE uint8_t *packed = NULL;
	const Armada__OutputRead *r = NULL;
	struct err err = {{0}};
	size_t len;

	if (!rig_expect(&rig, PIPE_OUTPUT) || rig.msg.number != number)
		return NULL;
	if (pipe_body_read(rig.msg.output.body_fd, &packed, &len, &err) == 0)
		r = msg_unpack_as(&armada__output_read__descriptor, packed, len, box.arena, &err);
	close(rig.msg.output.body_fd);
	if (!r)
		diag("%s", err.text);
	return r;
}

/* Orders a read; the user is that of the body, or of the order alone. */
static const Armada__OutputRead *read_output(Armada__OutputOrder *m, uint32_t uid)
{
	static uint64_t number;
	const Armada__TaskBody *body = box_body(&box, 46, "/bin/true", NULL);
	struct order o = rig_order(&rig, body, ORDER_OUTPUT);
	CLEANUP_BUF struct buf packed = {0};

	o.uid = uid;
	o.number = ++number;
	msg_pack(m, &packed);
	order_digest(packed.data, packed.len, o.digest);
	rig_send_order(&rig, &o, &packed, false, true);
	return expect_output(number);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fchmod(fileno(f), mode) < 0)
		bail("%s", path);
	fclose(f);
}

/* The files of the test; the order is that of the user of tasks. */
static void make_output_files(Armada__OutputOrder *m, char secret[400])
{
	const Armada__TaskBody *body = box_body(&box, 46, "/bin/true", NULL);
	char path[400];

	snprintf(path, sizeof(path), "%s/file", box.out);
	write_file(path, "0123456789", 0644);
	snprintf(path, sizeof(path), "%s/empty", box.out);
	write_file(path, "", 0644);
	snprintf(path, sizeof(path), "%s/pipe", box.out);
	mkfifo(path, 0666);
	snprintf(path, sizeof(path), "%s/link", box.out);
	if (symlink("file", path) < 0)
		bail("symlink");
	snprintf(secret, 400, "%s/secret", box.dir);
	write_file(secret, "secret", 0600);
	m->user = body->user;
	m->uid = body->uid;
	m->gid = body->gid;
	m->gids = body->gids;
	m->n_gids = body->n_gids;
	m->chdir = box.out;
}

/* Parts of files, and what is refused, each in words. */
static void test_output_files(Armada__OutputOrder *m)
{
	static const struct {
		const char *path;
		bool tail;
		uint64_t offset;
		uint32_t limit;
		const char *data, *problem;
		int code;
	} rows[] = {
		{"file", true, 0, 100, "0123456789", "", 0},
		{"file", true, 0, 3, "789", "", 0},
		{"file", false, 2, 3, "234", "", 0},
		{"file", false, 9, 100, "9", "", 0},
		{"file", false, 10, 100, "", "", 0},
		{"file", false, UINT64_C(1) << 62, 100, "", "", 0},
		{"link", false, 0, 100, "0123456789", "", 0},
		{"empty", true, 0, 100, "", "", 0},
		{"none", true, 0, 100, "", "there is no file none", 3},
		{"file/none", true, 0, 100, "", "there is no file file/none", 3},
		{"pipe", true, 0, 100, "", "pipe is not a regular file", 1},
		{".", true, 0, 100, "", ". is not a regular file", 1},
		{"/dev/zero", true, 0, 100, "", "/dev/zero is not a regular file", 1},
		{"/proc/self/mem", false, 4096, 100, "", "/proc/self/mem", 1},
		{"/proc/self/environ", true, 0, 100, "", "/proc/self/environ", 1},
	};
	const Armada__OutputRead *r;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		m->path = (char *)rows[i].path;
		m->tail = rows[i].tail;
		m->offset = rows[i].offset;
		m->limit = rows[i].limit;
		r = read_output(m, m->uid);
		ok(r && r->data.len == strlen(rows[i].data) &&
			   (r->data.len == 0 ||
			    memcmp(r->data.data, rows[i].data, r->data.len) == 0),
		   "output %zu, %s: what is read", i, rows[i].path);
		has_str(r ? r->problem : "-", rows[i].problem, "... and its problem");
		is_int(r ? r->code : -1, rows[i].code, "... with its code");
	}
}

static void test_output(void)
{
	Armada__OutputOrder m = ARMADA__OUTPUT_ORDER__INIT;
	const Armada__OutputRead *r;
	char secret[400];

	make_output_files(&m, secret);
	test_output_files(&m);
	m.path = secret;
	r = read_output(&m, m.uid);
	if (geteuid() == 0)
		has_str(r ? r->problem : "-", "Permission denied", "a file of root stays closed");
	else
		ok(r && r->data.len == 0, "nothing is left at the end of that file");
	m.path = (char *)"file";
	r = read_output(&m, m.uid + 1);
	ok(r && r->problem[0] && !r->data.len, "another user in the order than in its body: %s",
	   r ? r->problem : "-");
	r = read_output(&m, RIG_CONTROLLER);
	ok(r && r->problem[0] && !r->data.len, "a user of the cluster's daemons: %s",
	   r ? r->problem : "-");
	m.tail = true;
	r = read_output(&m, m.uid);
	is_int(r ? (long long)r->size : -1, 10, "the launcher goes on");
}

static bool gone(const char *path)
{
	pid_t pid = atoi(box_read(&box, path));

	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

/* $PPID of the task is its shepherd. */
static void test_shepherd_killed(void)
{
	Armada__TaskBody *body = box_body(
		&box, 50, "/bin/sh", "-c",
		"setsid sh -c 'trap \"\" TERM; echo $$ > escaped; while :; do sleep 9; done' & "
		"while ! [ -s escaped ]; do :; done; echo $PPID > shepherd; sleep 100",
		NULL);
	char shepherd[400], escaped[400];

	snprintf(shepherd, sizeof(shepherd), "%s/shepherd", box.out);
	snprintf(escaped, sizeof(escaped), "%s/escaped", box.out);
	rig_launch(&rig, body);
	box_wait_file(shepherd);
	kill(atoi(box_read(&box, shepherd)), SIGKILL);
	is_ended(body, ARMADA__END_CAUSE__END_LOST, "a task is lost when its shepherd is killed");
	ok(gone(escaped), "none of its processes is left by then");
}

static void reconnect(void)
{
	memset(&rig.msg, 0, sizeof(rig.msg));
	rig.msg.type = PIPE_INVENTORY;
	rig.msg.number = 77;
	rig_say(&rig);
}

static void test_restart(void)
{
	Armada__TaskBody *slow =
		box_body(&box, 60, "/bin/sh", "-c",
			 "echo up; while ! [ -e go ]; do sleep .01; done; exit 6", NULL);
	Armada__TaskBody *dead = box_body(&box, 61, "/bin/sh", "-c", "echo $PPID; sleep 100", NULL);
	Armada__TaskBody *quick = box_body(&box, 62, "/bin/sh", "-c",
					   "echo up; while ! [ -e go2 ]; do sleep .01; done", NULL);
	Armada__TaskBody *limit = box_body(&box, 63, "/bin/sh", "-c", "echo up; sleep 100", NULL);
	const Armada__Report *r;
	char path[400];

	limit->time_limit_ms = 6000;
	rig_launch(&rig, slow);
	rig_launch(&rig, dead);
	rig_launch(&rig, quick);
	rig_launch(&rig, limit);
	box_wait_file(slow->output);
	box_wait_file(dead->output);
	box_wait_file(quick->output);
	box_wait_file(limit->output);
	rig_stop(&rig, SIGKILL);
	kill(atoi(box_read(&box, dead->output)), SIGKILL);
	snprintf(path, sizeof(path), "%s/go2", box.out);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	poll(NULL, 0, 6600); /* the time limit is reached while no launcher runs */
	ok(rig_start(&rig), "the launcher sends hello");
	ok(memcmp(rig.msg.hello.node_id, rig.node_id, 16) == 0 && rig.msg.hello.epoch == rig.epoch,
	   "a new launcher has the same node id");
	reconnect();
	ok(rig_expect_report(&rig, slow, ARMADA__REPORT__KIND__REPORT_STARTED),
	   "it finds the running task");
	ok(rig_expect(&rig, PIPE_INVENTORY_END) && rig.msg.number == 77,
	   "it marks the end of the inventory");
	reconnect();
	is_ended(dead, ARMADA__END_CAUSE__END_LOST, "a task whose shepherd died meanwhile is lost");
	reconnect();
	is_ended(quick, ARMADA__END_CAUSE__END_EXITED, "a task that ended meanwhile is reported");
	reconnect();
	is_ended(limit, ARMADA__END_CAUSE__END_TIME_LIMIT,
		 "a time limit is enforced without a launcher");
	snprintf(path, sizeof(path), "%s/go", box.out);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	r = rig_expect_report(&rig, slow, ARMADA__REPORT__KIND__REPORT_ENDED);
	is_int(r && r->end ? r->end->exit_code : -1, 6, "the end of an adopted task is reported");
}

static void test_one_owner(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		rig_be_launcher(&rig);
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 1, "a second launcher exits with status 1");
}

static void test_orderly_end(void)
{
	int status = rig_stop(&rig, SIGTERM);

	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "SIGTERM ends the launcher with status 0");
}

int main(void)
{
	box_open(&box);
	rig_init(&rig, &box);
	ok(rig_start(&rig), "the launcher sends hello");
	test_controller();
	test_epoch_and_floor();
	test_forgeries();
	test_run();
	test_refusals();
	test_kill();
	test_kill_text();
	test_gate();
	test_output();
	test_shepherd_killed();
	test_restart();
	test_one_owner();
	test_orderly_end();
	box_close(&box);
	return done();
}

/* The launcher, whole: the test is its network process, and the controller that signs. */
#include "box.h"

#include "armd/launcher.h"
#include "armd/pipe.h"
#include "tap/tap.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTROLLER_UID = 4711, NETWORKS = 2, WAIT_MS = 10000 };

static struct box box;
static uint8_t public_key[32], secret_key[64];
static const uint8_t cluster[16] = "the cluster";
static uint8_t node_id[16];
static struct pipe *network;
static int launcher_ends[NETWORKS], networks_started;
static pid_t launcher;
static struct pipe_msg msg;
static uint64_t next_seq = 100, epoch = 5;

/* "UID HEX": made by UID, carries HEX. */
static int fake_decode(void *handle, const char *cred, void *buf, size_t cap, size_t *ret_len,
		       uint32_t *ret_uid, uint32_t *ret_gid, struct armada_error *err)
{
	char *hex;

	(void)handle;
	*ret_gid = 0;
	*ret_uid = (uint32_t)strtoul(cred, &hex, 10);
	if (*hex == ' ' &&
	    sodium_hex2bin(buf, cap, hex + 1, strlen(hex + 1), NULL, ret_len, NULL) == 0)
		return 0;
	snprintf(err->text, sizeof(err->text), "this is no credential");
	return -EINVAL;
}

static pid_t start_network(void *arg, int *ret_fd, struct err *err)
{
	pid_t pid;

	(void)arg;
	if (networks_started == NETWORKS)
		return err_set(err, -EAGAIN, "no more networks in this test");
	*ret_fd = dup(launcher_ends[networks_started++]);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static _Noreturn void be_launcher(void)
{
	static const struct armada_auth_ops auth_ops = {.decode = fake_decode};
	struct plugin auth = {.ops = &auth_ops};
	struct plugin contain = {.ops = box_contain(), .values = box_contain_values};
	char spool[300];
	struct launcher_config config = {
		.spool_dir = spool,
		.node_name = "n1",
		.controller_uid = CONTROLLER_UID,
		.min_uid = 1,
		.allow_root_jobs = false,
		.auth = &auth,
		.contain = &contain,
		.start_network = start_network,
		.respawn_max_us = 1000000,
	};

	snprintf(spool, sizeof(spool), "%s/node", box.dir);
	if (!getenv("LAUNCHER_LOG"))
		log_set_level(LOG_ERROR - 1);
	_exit(launcher_main(&config));
}

static bool expect(enum pipe_type type)
{
	int64_t until_us = box_now_us() + (int64_t)WAIT_MS * 1000;

	while (box_now_us() < until_us) {
		struct pollfd p = {.fd = pipe_fd(network), .events = POLLIN};
		int rc = pipe_receive(network, &msg);

		if (rc < 0)
			return false;
		if (rc > 0 && msg.type == type)
			return true;
		if (rc == 0)
			poll(&p, 1, 100);
	}
	return false;
}

static void start(void)
{
	int ends[NETWORKS][2];
	struct err err;

	for (int i = 0; i < NETWORKS; i++) {
		if (pipe_pair(ends[i], &err) < 0)
			bail("%s", err.text);
		launcher_ends[i] = ends[i][0];
	}
	launcher = fork();
	if (launcher == 0) {
		for (int i = 0; i < NETWORKS; i++)
			close(ends[i][1]);
		be_launcher();
	}
	for (int i = 0; i < NETWORKS; i++)
		close(ends[i][0]);
	close(ends[1][1]);
	network = pipe_new(ends[0][1], false);
	ok(expect(PIPE_HELLO), "the launcher says hello");
}

static int stop(int sig)
{
	int status;

	kill(launcher, sig);
	waitpid(launcher, &status, 0);
	pipe_free(network);
	return status;
}

static void say(struct pipe_msg *m)
{
	if (pipe_send(network, m) < 0)
		bail("the launcher is gone");
}

static void say_controller(uint32_t uid, const uint8_t id[16], const uint8_t credential_id[16],
			   uint64_t floor)
{
	uint8_t payload[64] = "armada-order-key";
	char hex[129];

	memcpy(payload + 16, credential_id, 16);
	memcpy(payload + 32, public_key, 32);
	memset(&msg, 0, sizeof(msg));
	msg.type = PIPE_CONTROLLER;
	memcpy(msg.controller.cluster_id, id, 16);
	msg.controller.epoch = epoch;
	msg.controller.floor = floor;
	snprintf(msg.controller.credential, PIPE_CREDENTIAL, "%u %s", uid,
		 sodium_bin2hex(hex, sizeof(hex), payload, sizeof(payload)));
	say(&msg);
}

static struct order order_of(const Armada__TaskBody *body, enum order_kind kind)
{
	struct order o = {.kind = kind,
			  .epoch = epoch,
			  .seq = next_seq++,
			  .key = box_key(body),
			  .uid = body->uid,
			  .gid = body->gid,
			  .cause = ARMADA__END_CAUSE__END_CANCELLED,
			  .grace_ms = 5000};

	memcpy(o.cluster_id, cluster, 16);
	memcpy(o.node_id, node_id, 16);
	return o;
}

/* Send an order; spoil: flip a bit of the signature. seal: as pipe_body_new does. */
static void send_order(struct order *o, const struct buf *body, bool spoil, bool seal)
{
	CLEANUP_CLOSE int fd = -1;

	memset(&msg, 0, sizeof(msg));
	msg.type = PIPE_ORDER;
	order_encode(o, msg.order.bytes);
	order_sign(msg.order.bytes, secret_key);
	if (spoil)
		msg.order.bytes[ORDER_SIZE - 1] ^= 1;
	if (body && seal) {
		fd = pipe_body_new(body->data, body->len, NULL);
	} else if (body) {
		fd = memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (write(fd, body->data, body->len) < 0)
			bail("memfd");
	}
	msg.order.body_fd = fd;
	say(&msg);
}

static void launch(const Armada__TaskBody *body)
{
	CLEANUP_BUF struct buf packed = box_pack(body);
	struct order o = order_of(body, ORDER_LAUNCH);

	order_digest(packed.data, packed.len, o.digest);
	send_order(&o, &packed, false, true);
}

/* The next report of this kind, of this body's key. */
static const Armada__Report *expect_report(const Armada__TaskBody *body, Armada__Report__Kind kind)
{
	while (expect(PIPE_REPORT)) {
		Armada__Report *r = msg_unpack_as(&armada__report__descriptor, msg.report.packed,
						  msg.report.len, box.arena, NULL);

		if (r && r->kind == kind && r->key->job == body->key->job)
			return r;
	}
	return NULL;
}

static void is_ended(const Armada__TaskBody *body, Armada__EndCause cause, const char *what)
{
	const Armada__Report *r = expect_report(body, ARMADA__REPORT__KIND__REPORT_ENDED);

	is_int(r && r->end ? (int)r->end->cause : -1, cause, "%s", what);
	if (r && r->end && r->end->cause != cause)
		diag("%s", r->end->text);
}

static void has_problem(const char *part)
{
	ok(expect(PIPE_PROBLEM), "a problem is told");
	has_str(msg.type == PIPE_PROBLEM ? msg.problem.text : "", part, "it says: %s", part);
}

static void test_controller(void)
{
	const uint8_t other[16] = "another cluster";

	memcpy(node_id, msg.hello.node_id, 16);
	launch(box_body(&box, 1, "true", NULL));
	has_problem("key of the controller's orders is not known yet");
	say_controller(CONTROLLER_UID + 1, cluster, cluster, 0);
	has_problem("made by uid 4712, the controller is uid 4711");
	say_controller(CONTROLLER_UID, cluster, other, 0);
	has_problem("of another cluster");
	say_controller(CONTROLLER_UID, cluster, cluster, 10);
	ok(expect(PIPE_HELLO), "the first contact changes who we are");
	ok(memcmp(msg.hello.cluster_id, cluster, 16) == 0 && msg.hello.epoch == epoch,
	   "to a node of the cluster");
	say_controller(CONTROLLER_UID, other, other, 10);
	has_problem("another cluster");
}

static void test_forgeries(void)
{
	Armada__TaskBody *body = box_body(&box, 10, "touch", "forged", NULL);
	CLEANUP_BUF struct buf packed = box_pack(body);
	struct order o = order_of(body, ORDER_LAUNCH);
	char path[400];

	order_digest(packed.data, packed.len, o.digest);
	send_order(&o, &packed, true, true);
	has_problem("signature is not the controller's");
	send_order(&o, &packed, false, false);
	has_problem("not sealed");
	send_order(&o, NULL, false, true);
	has_problem("without its body");
	packed.data[packed.len - 1] ^= 1;
	send_order(&o, &packed, false, true);
	has_problem("not the one that was signed");
	packed.data[packed.len - 1] ^= 1;
	o.node_id[0] ^= 1;
	send_order(&o, &packed, false, true);
	has_problem("stale or for another node");
	o.node_id[0] ^= 1;
	o.epoch--;
	send_order(&o, &packed, false, true);
	has_problem("stale");
	o.epoch++;
	o.seq = 9;
	send_order(&o, &packed, false, true);
	has_problem("stale");
	snprintf(path, sizeof(path), "%s/forged", box.out);
	is_int(access(path, F_OK), -1, "none of them ran");
}

static void test_run(void)
{
	Armada__TaskBody *body = box_body(&box, 20, "/bin/sh", "-c", "echo once >> runs", NULL);
	char path[400];

	snprintf(path, sizeof(path), "%s/runs", box.out);
	launch(body);
	ok(expect_report(body, ARMADA__REPORT__KIND__REPORT_ACCEPTED), "an order is accepted");
	ok(expect_report(body, ARMADA__REPORT__KIND__REPORT_STARTED), "started");
	is_ended(body, ARMADA__END_CAUSE__END_EXITED, "and ends");
	launch(body);
	is_ended(body, ARMADA__END_CAUSE__END_EXITED, "a repeated order is answered with its end");
	memset(&msg, 0, sizeof(msg));
	msg.type = PIPE_ACKED;
	msg.acked.keys[0] = box_key(body);
	msg.acked.count = 1;
	say(&msg);
	launch(body);
	has_problem("stale");
	is_str(box_read(&box, path), "once\n", "and never runs again");
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
	launch(body);
	is_ended(body, ARMADA__END_CAUSE__END_REFUSED, "a user that may not run is refused");
	body = box_body(&box, 31, "touch", "refused", NULL);
	o = order_of(body, ORDER_KILL);
	send_order(&o, NULL, false, true);
	is_ended(body, ARMADA__END_CAUSE__END_REFUSED, "what is killed before it came is refused");
	launch(body);
	is_ended(body, ARMADA__END_CAUSE__END_REFUSED, "and does not run when it comes");
	snprintf(path, sizeof(path), "%s/refused", box.out);
	is_int(access(path, F_OK), -1, "neither ran");
	body = box_body(&box, 32, "true", NULL);
	body->output = arena_strdup(box.arena, "/proc/none/x");
	launch(body);
	is_ended(body, ARMADA__END_CAUSE__END_LAUNCH_FAILED, "no output, no task");
}

static void test_kill(void)
{
	Armada__TaskBody *body = box_body(&box, 40, "/bin/sh", "-c", "echo up; sleep 100", NULL);
	struct order o = order_of(body, ORDER_KILL);

	launch(body);
	box_wait_file(body->output);
	send_order(&o, NULL, false, true);
	is_ended(body, ARMADA__END_CAUSE__END_CANCELLED, "a running task is cancelled");
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
	launch(body);
	box_wait_file(shepherd);
	kill(atoi(box_read(&box, shepherd)), SIGKILL);
	is_ended(body, ARMADA__END_CAUSE__END_LOST, "a task whose shepherd is killed is lost");
	ok(gone(escaped), "and nothing of it is left by then");
}

static void reconnect(void)
{
	memset(&msg, 0, sizeof(msg));
	msg.type = PIPE_INVENTORY;
	msg.number = 77;
	say(&msg);
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

	limit->time_limit_ms = 300;
	launch(slow);
	launch(dead);
	launch(quick);
	launch(limit);
	box_wait_file(slow->output);
	box_wait_file(dead->output);
	box_wait_file(quick->output);
	box_wait_file(limit->output);
	stop(SIGKILL);
	kill(atoi(box_read(&box, dead->output)), SIGKILL);
	snprintf(path, sizeof(path), "%s/go2", box.out);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	poll(NULL, 0, 600); /* nobody is there to tell us: the limit passes meanwhile */
	start();
	ok(memcmp(msg.hello.node_id, node_id, 16) == 0 && msg.hello.epoch == epoch,
	   "a new launcher is the same node");
	reconnect();
	ok(expect_report(slow, ARMADA__REPORT__KIND__REPORT_STARTED), "it finds what runs");
	ok(expect(PIPE_INVENTORY_END) && msg.number == 77, "and says that this is all");
	reconnect();
	is_ended(dead, ARMADA__END_CAUSE__END_LOST, "whose shepherd died meanwhile is lost");
	reconnect();
	is_ended(quick, ARMADA__END_CAUSE__END_EXITED, "what ended meanwhile is told");
	reconnect();
	is_ended(limit, ARMADA__END_CAUSE__END_TIME_LIMIT,
		 "a time limit is kept with the launcher dead");
	snprintf(path, sizeof(path), "%s/go", box.out);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	r = expect_report(slow, ARMADA__REPORT__KIND__REPORT_ENDED);
	is_int(r && r->end ? r->end->exit_code : -1, 6, "the end of an adopted task is told");
}

static void test_one_owner(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		be_launcher();
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 1, "a second launcher ends with status 1");
}

static void test_orderly_end(void)
{
	int status = stop(SIGTERM);

	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "SIGTERM ends the launcher with status 0");
}

int main(void)
{
	if (sodium_init() < 0)
		bail("libsodium cannot start");
	crypto_sign_keypair(public_key, secret_key);
	box_open(&box);
	start();
	test_controller();
	test_forgeries();
	test_run();
	test_refusals();
	test_kill();
	test_shepherd_killed();
	test_restart();
	test_one_owner();
	test_orderly_end();
	box_close(&box);
	return done();
}

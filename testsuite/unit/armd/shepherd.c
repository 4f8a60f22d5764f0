/* The shepherd: how tasks run, what they are given, how they end, and that nothing is left of them. */
#include "box.h"

#include "armd/control.h"
#include "armd/lease.h"
#include "armd/pipe.h"
#include "armd/shepherd.h"
#include "armd/shepherd_phase.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct box box;
static char stub[400];
static const struct armada_contain_ops *contain;
static int64_t stuck_ms;
static const uint8_t stamp_key[STAMP_KEY];
static int64_t ordered_ago_us;
static const struct hooks *hooks;

/* Fork the shepherd of a body, as the launcher does. */
static pid_t begin(const Armada__TaskBody *body)
{
	struct task_key key = box_key(body);
	struct shepherd_task t = {.spool = &box.spool,
				  .stub = stub,
				  .stuck_ms = stuck_ms,
				  .hooks = hooks,
				  .node_name = "n1",
				  .contain = contain,
				  .contain_values = box_contain_values};
	CLEANUP_BUF struct buf packed = box_pack(body);
	uint8_t bytes[ORDER_SIZE] = {0};
	struct err err;
	pid_t pid;

	attempt_remove(&box.spool, &key, NULL);
	t.order = (struct order){
		.kind = ORDER_LAUNCH, .key = key, .uid = body->uid, .gid = body->gid};
	stamp_make(stamp_key, boottime_us() - ordered_ago_us, t.order.stamp);
	t.body = packed.data;
	t.body_len = packed.len;
	if (attempt_create(&box.spool, &key, 1, bytes, packed.data, packed.len, &err) < 0 ||
	    attempt_open(&box.spool, &key, &t.attempt_fd, &err) < 0 || !attempt_lock(t.attempt_fd))
		bail("%s", err.text);
	t.control_fd = control_bind(&box.spool, &key, &err);
	pid = shepherd_start(&t, &err);
	if (pid < 0)
		bail("%s", err.text);
	close(t.attempt_fd);
	close(t.control_fd);
	return pid;
}

static const Armada__TaskEnd *end_of(const Armada__TaskBody *body)
{
	static const Armada__TaskEnd none = ARMADA__TASK_END__INIT;
	struct task_key key = box_key(body);
	const Armada__TaskEnd *end;
	int fd;

	if (attempt_open(&box.spool, &key, &fd, NULL) < 0)
		return &none;
	end = attempt_read_end(fd, box.arena);
	close(fd);
	return end ? end : &none;
}

static const Armada__TaskEnd *run(const Armada__TaskBody *body)
{
	pid_t pid = begin(body);

	waitpid(pid, NULL, 0);
	return end_of(body);
}

static void is_end(const Armada__TaskEnd *end, Armada__EndCause cause, int code, int sig,
		   const char *what)
{
	is_int(end->cause, cause, "%s: cause", what);
	is_int(end->exit_code, code, "%s: exit code", what);
	is_int(end->signal, sig, "%s: signal", what);
}

static void kill_task(const Armada__TaskBody *body, Armada__EndCause cause, int64_t grace_ms)
{
	struct control_order k = {.kind = CONTROL_KILL, .cause = cause, .grace_ms = grace_ms};
	struct task_key key = box_key(body);

	is_int(control_send(&box.spool, &key, &k, -1), 0, "a kill order is sent");
}

static void test_exits(void)
{
	const Armada__TaskEnd *end;

	end = run(box_body(&box, 1, "true", NULL));
	is_end(end, ARMADA__END_CAUSE__END_EXITED, 0, 0, "true");
	ok(end->start_us > 0 && end->end_us >= end->start_us, "with its times");
	ok(end->usage && end->usage->max_rss_bytes > 0, "and what it used");
	is_end(run(box_body(&box, 2, "/bin/sh", "-c", "exit 17", NULL)),
	       ARMADA__END_CAUSE__END_EXITED, 17, 0, "exit 17");
	is_end(run(box_body(&box, 3, "/bin/sh", "-c", "kill -9 $$", NULL)),
	       ARMADA__END_CAUSE__END_SIGNALED, 0, SIGKILL, "kill -9 of itself");
}

static void test_output(void)
{
	Armada__TaskBody *body =
		box_body(&box, 10, "/bin/sh", "-c", "echo out; echo err >&2", NULL);
	char path[400];
	struct stat st;

	run(body);
	is_str(box_read(&box, body->output), "out\nerr\n", "both streams are in the output file");
	run(body);
	is_str(box_read(&box, body->output), "out\nerr\n", "which is emptied first");
	body->key->attempt = 2;
	run(body);
	is_str(box_read(&box, body->output), "out\nerr\nout\nerr\n", "a later attempt appends");
	stat(body->output, &st);
	is_int(st.st_uid, box.uid, "the file is the user's");
	is_int(st.st_mode & 0777, 0644, "with the umask of the job");
	body = box_body(&box, 11, "/bin/sh", "-c", "echo out; echo err >&2; cat", NULL);
	snprintf(path, sizeof(path), "%s/a/b/c.err", box.out);
	body->error = path;
	body->input = box_body(&box, 10, "x", NULL)->output;
	run(body);
	is_str(box_read(&box, path), "err\n", "a directory that is missing is made");
	is_str(box_read(&box, body->output), "out\nout\nerr\nout\nerr\n", "input is read");
}

static void test_launch_failures(void)
{
	Armada__TaskBody *body = box_body(&box, 20, "true", NULL);
	const Armada__TaskEnd *end;

	body->output = box.dir; /* a directory */
	end = run(body);
	is_end(end, ARMADA__END_CAUSE__END_LAUNCH_FAILED, 0, 0, "output is a directory");
	has_str(end->text, "cannot open output file", "says what");
	has_str(end->text, "Is a directory", "and why");
	is_int(end->start_us, 0, "it never ran");
	body = box_body(&box, 21, "true", NULL);
	body->chdir = arena_strdup(box.arena, "/nowhere/at/all");
	end = run(body);
	is_str(end->text, "cannot change to directory /nowhere/at/all: No such file or directory",
	       "no such directory");
	end = run(box_body(&box, 22, "no-such-program", NULL));
	is_str(end->text, "cannot run no-such-program: No such file or directory",
	       "no such program");
	body = box_body(&box, 23, "true", NULL);
	body->input = arena_strdup(box.arena, "/no/input");
	has_str(run(body)->text, "cannot open input file /no/input", "no such input");
	body = box_body(&box, 24, "true", NULL);
	body->gid++;
	body->uid++;
	if (geteuid() != 0) {
		ok(run(body)->cause != ARMADA__END_CAUSE__END_EXITED,
		   "another user's does not run");
		return;
	}
	has_str(run(body)->text, "is not known on this node", "a user who is not there");
	body = box_body(&box, 25, "true", NULL);
	body->output = arena_strdup(box.arena, "/root/armada-test/x");
	has_str(run(body)->text, "Permission denied", "files are not opened as root");
}

static void test_script(void)
{
	static const char text[] = "#!/bin/sh\necho \"$# $1\"; echo \"$0\"\n";
	Armada__TaskBody *body = box_body(&box, 30, NULL);
	char *args[] = {box.out};
	struct stat st;

	body->script.data = (uint8_t *)arena_strdup(box.arena, text);
	body->script.len = strlen(text);
	body->args = args;
	body->n_args = 1;
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "a script");
	has_str(box_read(&box, body->output), "1 /", "gets its arguments");
	has_str(box_read(&box, body->output), "scripts/30_0.0.1", "and a name");
	is_int(fstatat(box.spool.scripts, "30_0.0.1", &st, 0), -1, "its copy is removed");
	body->script.data = (uint8_t *)arena_strdup(box.arena, "#!/no/such/sh -e\n");
	body->script.len = strlen((char *)body->script.data);
	has_str(run(body)->text, "interpreter /no/such/sh: No such file", "a missing interpreter");
}

static void test_identity(void)
{
	static char env[] = "HOME=/h\0ARMADA_JOB_ID=wrong\0broken\0PATH=/bin\0";
	char *task_env[] = {(char[]){"ARMADA_JOB_ID=40"}};
	char report[400], want[1024];
	Armada__TaskBody *body;

	snprintf(report, sizeof(report), "%s/report", box.out);
	body = box_body(&box, 40, box.probe, "probe", report, NULL);
	body->umask = 027;
	body->env.data = (uint8_t *)env;
	body->env.len = sizeof(env) - 1;
	body->task_env = task_env;
	body->n_task_env = 1;
	setenv("SECRET_OF_THE_DAEMON", "1", 1);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "the probe");
	snprintf(want, sizeof(want), "uid %u %u %u\n", box.uid, box.uid, box.uid);
	has_str(box_read(&box, report), want, "the task is its user");
	has_str(box_read(&box, report), "fds 0 1 2\n", "with exactly three descriptors");
	has_str(box_read(&box, report), "umask 027\nnnp 1\nsession 1\n",
		"umask, no new privileges");
	snprintf(want, sizeof(want), "cwd %s\nenv HOME=/h\nenv PATH=/bin\nenv ARMADA_JOB_ID=40\n",
		 box.out);
	has_str(box_read(&box, report), want, "directory, and the environment in order");
	ok(!strstr(box_read(&box, report), "SECRET"), "nothing of the daemon's");
	snprintf(want, sizeof(want), "gid %u %u %u\ngroups %u\n", box.gid, box.gid, box.gid,
		 box.gid);
	if (geteuid() == 0)
		has_str(box_read(&box, report), want, "and exactly the groups of the order");
	else
		skip("groups: only root gives them");
}

static void test_kill(void)
{
	Armada__TaskBody *body = box_body(&box, 50, "/bin/sh", "-c", "echo up; sleep 100", NULL);
	pid_t pid = begin(body);
	int64_t from_us;

	ok(box_wait_file(body->output), "a task runs");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 0, SIGTERM, "cancelled");

	body = box_body(&box, 51, "/bin/sh", "-c",
			"trap '' TERM; echo up; while :; do sleep 100; done", NULL);
	pid = begin(body);
	box_wait_file(body->output);
	from_us = box_now_us();
	kill_task(body, ARMADA__END_CAUSE__END_PREEMPTED, 300);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_PREEMPTED, 0, SIGKILL,
	       "one that ignores SIGTERM");
	ok(box_now_us() - from_us >= 300000, "is killed, after its grace");
}

static void test_time_limit(void)
{
	Armada__TaskBody *body = box_body(&box, 60, "sleep", "100", NULL);

	body->time_limit_ms = 100;
	is_end(run(body), ARMADA__END_CAUSE__END_TIME_LIMIT, 0, SIGTERM, "over its time limit");
	body = box_body(&box, 61, "sleep", "100", NULL);
	body->lease_ms = 200;
	is_end(run(body), ARMADA__END_CAUSE__END_LEASE, 0, SIGTERM, "past its lease");
}

static void order_signal(const Armada__TaskBody *body, uint32_t wish)
{
	struct control_order o = {.kind = CONTROL_SIGNAL, .cause = wish};
	struct task_key key = box_key(body);

	is_int(control_send(&box.spool, &key, &o, -1), 0, "a signal is ordered");
}

/* Until the output holds the words; they must come. */
static bool says(const Armada__TaskBody *body, const char *words)
{
	for (int i = 0; i < 2000; i++) {
		if (strstr(box_read(&box, body->output), words))
			return true;
		poll(NULL, 0, 5);
	}
	return false;
}

/*
 * A script with a child of its own, which both say what they are sent. The child is a shell too, and
 * says so only when its trap is set.
 */
static const char hears[] =
	"trap 'echo script USR1' USR1; trap 'echo script TERM; exit 3' TERM\n"
	"sh -c 'trap \"echo child USR1\" USR1; trap \"echo child TERM; exit 0\" TERM; echo up;"
	" while :; do sleep 0.02; done' &\n"
	"while :; do sleep 0.02; done\n";

static void test_signals(void)
{
	Armada__TaskBody *body = box_body(&box, 52, "/bin/sh", "-c", hears, NULL);
	pid_t pid = begin(body);

	ok(says(body, "up"), "a task with a child runs");
	order_signal(body, SIGUSR1 | ORDER_TO_FIRST);
	ok(says(body, "script USR1"), "a signal for the script comes to it");
	ok(!strstr(box_read(&box, body->output), "child USR1"), "and to nobody else");
	order_signal(body, SIGUSR1);
	ok(says(body, "child USR1"), "one for all comes to the child too");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 3, 0, "it lived on until cancelled");
	ok(strstr(box_read(&box, body->output), "child TERM"), "SIGTERM goes to all");
}

static void test_script_alone(void)
{
	static const char text[] =
		"trap 'echo script TERM; kill $!; wait $!; echo child has ended; exit 4' TERM\n"
		"sh -c 'trap \"echo child TERM; exit 0\" TERM; echo up; while :; do sleep 0.02; done' &\n"
		"while :; do sleep 0.02; done\n";
	Armada__TaskBody *body = box_body(&box, 53, "/bin/sh", "-c", text, NULL);
	pid_t pid;

	body->signal_script = true;
	pid = begin(body);
	ok(says(body, "up"), "a task with a child runs");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_str(box_read(&box, body->output), "up\nscript TERM\nchild TERM\nchild has ended\n",
	       "SIGTERM goes to the script alone, which ends its child itself");
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 4, 0, "its own way");

	body = box_body(
		&box, 54, "/bin/sh", "-c",
		"sh -c 'trap \"echo child TERM; exit 0\" TERM; echo up; while :; do sleep 0.02;"
		" done' & while :; do sleep 0.02; done",
		NULL);
	body->signal_script = true;
	pid = begin(body);
	ok(says(body, "up"), "one whose script does nothing about SIGTERM");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 0, SIGTERM, "ends by it");
	has_str(box_read(&box, body->output), "child TERM\n",
		"and then what it left behind gets its own");
}

static void test_warning(void)
{
	Armada__TaskBody *body = box_body(&box, 55, "/bin/sh", "-c", hears, NULL);
	const Armada__TaskEnd *end;
	const char *out;

	body->time_limit_ms = 2000;
	body->signal = SIGUSR1;
	body->signal_before_ms = 1000;
	body->time_limit_text = arena_strdup(box.arena, "00:02 (default of queue short)");
	end = run(body);
	is_end(end, ARMADA__END_CAUSE__END_TIME_LIMIT, 3, 0, "warned, then over its limit");
	is_str(end->text, "it reached its time limit of 00:02 (default of queue short)",
	       "the end says which limit");
	out = box_read(&box, body->output);
	ok(strstr(out, "script USR1") && strstr(out, "child USR1"), "all were warned");
	ok(strstr(out, "script TERM") > strstr(out, "script USR1"), "before SIGTERM");
	ok(end->end_us - end->start_us >= 2000000, "which came at the limit");
}

static void test_shutdown(void)
{
	Armada__TaskBody *body = box_body(&box, 56, "/bin/sh", "-c", hears, NULL);
	char path[400];
	pid_t pid = begin(body);

	ok(says(body, "up"), "a task runs");
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_SHUTDOWN, 3, 0, "SIGTERM to its shepherd");
	body = box_body(&box, 59, "/bin/sh", "-c", "echo $$ > pid; exec sleep 100", NULL);
	snprintf(path, sizeof(path), "%s/pid", box.out);
	unlink(path);
	pid = begin(body);
	box_wait_file(path);
	kill(pid, SIGSTOP); /* so that it hears of both at once */
	kill(atoi(box_read(&box, path)), SIGTERM);
	kill(pid, SIGTERM);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_SHUTDOWN, 0, SIGTERM, "SIGTERM to everybody");
	body = box_body(&box, 57, "/bin/sh", "-c",
			"trap '' TERM; echo up; while :; do sleep 9; done", NULL);
	body->grace_ms = 200;
	pid = begin(body);
	says(body, "up");
	kill_task(body, ARMADA__END_CAUSE__END_SHUTDOWN, -1);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_SHUTDOWN, 0, SIGKILL,
	       "an order without a grace of its own leaves the task's");
}

static int kill_nobody(void *handle, struct armada_error *err)
{
	(void)handle, (void)err;
	return 1;
}

static int signal_nobody(void *handle, int sig, bool leader_only, struct armada_error *err)
{
	(void)handle, (void)sig, (void)leader_only, (void)err;
	return 0;
}

/* As if it were in the kernel for ever, until its end comes from somewhere else. */
static void test_stuck(void)
{
	const struct armada_contain_ops *real = contain;
	struct armada_contain_ops helpless = *real;
	Armada__TaskBody *body =
		box_body(&box, 58, "/bin/sh", "-c", "echo $$ > pid; exec sleep 100", NULL);
	int listen_fd = control_listen(&box.spool, NULL), told = 0;
	struct control_notice n;
	char path[400];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/pid", box.out);
	unlink(path);
	helpless.kill = kill_nobody;
	helpless.signal = signal_nobody;
	contain = &helpless;
	stuck_ms = 50;
	pid = begin(body);
	box_wait_file(path);
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 50);
	for (int i = 0; i < 2000 && told < 2; i++) {
		while (control_receive_notice(listen_fd, &n))
			told += n.news == CONTROL_STUCK;
		poll(NULL, 0, 5);
	}
	is_int(told, 2, "a task that cannot be killed is told of, and again");
	is_int(end_of(body)->cause, ARMADA__END_CAUSE__END_UNSET, "and is not said to have ended");
	kill(atoi(box_read(&box, path)), SIGKILL);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 0, SIGKILL, "until it has");
	has_str(end_of(body)->text, "SIGKILL did not end it for more than", "with a word of it");
	close(listen_fd);
	contain = real;
	stuck_ms = 0;
}

static void test_lease_renewed(void)
{
	Armada__TaskBody *body = box_body(&box, 62, "sleep", "1", NULL);
	pid_t pid;

	body->lease_ms = 800;
	pid = begin(body);
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		lease_renew(box.spool.lease, boottime_us());
		poll(NULL, 0, 20);
	}
	is_end(end_of(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "with its lease renewed");
}

/* What the controller may have given up is not started, whatever was said since. */
static void test_late_order(void)
{
	Armada__TaskBody *body = box_body(&box, 63, "true", NULL);

	body->lease_ms = 60000;
	ordered_ago_us = 61000000;
	lease_renew(box.spool.lease, boottime_us());
	is_end(run(body), ARMADA__END_CAUSE__END_LEASE, 0, 0, "ordered longer ago than its lease");
	ok(!end_of(body)->start_us, "it never ran");
	body = box_body(&box, 64, "true", NULL);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "one without a lease is not late");
	ordered_ago_us = 0;
}

/* Nothing is left when the lease is over, not even who has been given a long time to end. */
/* A prolog that takes longer than the lease: somebody else may run the task by then. */
static void test_lease_over_in_prolog(void)
{
	static const char *const argv[] = {"/bin/sleep", "1"};
	static const struct hooks slow = {.task_prolog = {"task_prolog", argv, 2, 10000000}};
	Armada__TaskBody *body = box_body(&box, 95, "/bin/sh", "-c", "echo ran", NULL);

	unlink(body->output);
	body->lease_ms = 500;
	hooks = &slow;
	is_end(run(body), ARMADA__END_CAUSE__END_LEASE, 0, 0, "a lease that ends in a prolog");
	hooks = NULL;
	is_int(access(body->output, F_OK), -1, "the task was not even begun");
}

static void test_lease_bounds_grace(void)
{
	Armada__TaskBody *body =
		box_body(&box, 65, "/bin/sh", "-c",
			 "trap '' TERM; echo up; while :; do sleep 100; done", NULL);
	int64_t from_us = box_now_us();
	pid_t pid;

	body->lease_ms = 1500;
	pid = begin(body);
	box_wait_file(body->output);
	kill_task(body, ARMADA__END_CAUSE__END_PREEMPTED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_PREEMPTED, 0, SIGKILL,
	       "a grace beyond the lease");
	ok(box_now_us() - from_us < 20000000, "ends with the lease");
}

/* The controller said so: leases hold until then, however silent it is. */
static void test_lease_extended(void)
{
	Armada__TaskBody *body = box_body(&box, 66, "sleep", "1", NULL);

	body->lease_ms = 300;
	lease_extend(box.spool.lease, boottime_us() + 5000000);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "with its lease extended");
}

static bool gone(const char *pid_file)
{
	pid_t pid = atoi(box_read(&box, pid_file));

	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

/* Each leaves a process behind that writes its pid first; nothing of it may survive. */
static void test_left_behind(void)
{
	static const struct {
		const char *what, *script;
	} ways[] = {
		{"a background process", "sleep 100 & echo $! > pid"},
		{"one of another session", "setsid sh -c 'echo $$ > pid; exec sleep 100' &"
					   " while ! [ -s pid ]; do :; done"},
		{"one that forked twice",
		 "(sh -c 'trap \"\" TERM HUP; echo $$ > pid; while :; do sleep 9; done' &) &"
		 " while ! [ -s pid ]; do :; done"},
	};
	char path[400];

	snprintf(path, sizeof(path), "%s/pid", box.out);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		Armada__TaskBody *body =
			box_body(&box, 70 + i, "/bin/sh", "-c", ways[i].script, NULL);

		unlink(path);
		body->grace_ms = 200;
		is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, ways[i].what);
		ok(gone(path), "%s does not survive its task", ways[i].what);
	}
}

static void test_shepherd_killed(void)
{
	Armada__TaskBody *body =
		box_body(&box, 80, "/bin/sh", "-c", "echo $$ > pid; sleep 100", NULL);
	char path[400];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/pid", box.out);
	unlink(path);
	pid = begin(body);
	box_wait_file(path);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 1000 && !gone(path); i++) {
		waitpid(-1, NULL, WNOHANG); /* the test is the subreaper here */
		poll(NULL, 0, 5);
	}
	ok(gone(path), "a task dies with its shepherd");
	is_int(end_of(body)->cause, ARMADA__END_CAUSE__END_UNSET, "and there is no record");
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void test_old_lease(void)
{
	Armada__TaskBody *body = box_body(&box, 90, "true", NULL);
	struct task_key key = box_key(body);

	run(body);
	is_int(control_send(&box.spool, &key, &(struct control_order){.kind = CONTROL_KILL}, -1),
	       -ENOENT, "nobody listens when a task has ended");
}

static void tell(const Armada__TaskBody *body, enum control_kind kind, int fd)
{
	struct control_order o = {.kind = kind};
	struct task_key key = box_key(body);

	is_int(control_send(&box.spool, &key, &o, fd), 0, "its shepherd is told");
}

static struct attempt_start start_of(const Armada__TaskBody *body)
{
	struct attempt_start start = {.forked = false};
	struct task_key key = box_key(body);
	int fd;

	if (attempt_open(&box.spool, &key, &fd, NULL) < 0)
		return start;
	attempt_read_start(fd, &start);
	close(fd);
	return start;
}

static bool wait_until(const Armada__TaskBody *body, bool started)
{
	for (int i = 0; i < 2000; i++) {
		struct attempt_start start = start_of(body);

		if (started ? start.start_us != 0 : start.ready)
			return true;
		poll(NULL, 0, 5);
	}
	return false;
}

static Armada__TaskBody *gated_body(uint64_t job, const char *script)
{
	Armada__TaskBody *body = box_body(&box, job, "/bin/sh", "-c", script, NULL);

	unlink(body->output);
	body->gated = true;
	return body;
}

/* A gang's task is set up in full, and runs nothing before it is released. */
static void test_gate(void)
{
	Armada__TaskBody *body = gated_body(200, "echo ran");
	const Armada__TaskEnd *end;
	pid_t pid;

	body->time_limit_ms = 300;
	pid = begin(body);
	ok(wait_until(body, false), "a gated task says when it is ready");
	is_int(start_of(body).start_us, 0, "which is no start");
	is_int(access(body->output, F_OK), 0, "its output is open by then");
	poll(NULL, 0, 500);
	is_str(box_read(&box, body->output), "", "it runs nothing, however long it waits");
	tell(body, CONTROL_RELEASE, -1);
	tell(body, CONTROL_RELEASE, -1);
	waitpid(pid, NULL, 0);
	end = end_of(body);
	is_end(end, ARMADA__END_CAUSE__END_EXITED, 0, 0, "a released one");
	is_str(box_read(&box, body->output), "ran\n", "ran once, and its time began then");
	ok(end->start_us > 0 && end->usage, "with its times");

	body = gated_body(201, "sleep 100");
	body->time_limit_ms = 100;
	pid = begin(body);
	wait_until(body, false);
	tell(body, CONTROL_RELEASE, -1);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_TIME_LIMIT, 0, SIGTERM,
	       "a limit that it reaches");
}

/* What fails before the gate fails without it; what fails in the exec fails behind it. */
static void test_gate_fails(void)
{
	Armada__TaskBody *body = gated_body(202, "echo ran");
	const Armada__TaskEnd *end;
	pid_t pid;

	body->chdir = arena_strdup(box.arena, "/nowhere/at/all");
	end = run(body);
	is_end(end, ARMADA__END_CAUSE__END_LAUNCH_FAILED, 0, 0, "no directory");
	ok(!start_of(body).ready, "it was never ready");
	body = box_body(&box, 203, "no-such-program", NULL);
	body->gated = true;
	pid = begin(body);
	ok(wait_until(body, false), "a program that is not there is ready");
	tell(body, CONTROL_RELEASE, -1);
	waitpid(pid, NULL, 0);
	has_str(end_of(body)->text, "cannot run no-such-program", "and fails when it is released");
}

static void test_gate_shut(void)
{
	static const struct {
		const char *what;
		Armada__EndCause cause;
		int64_t lease_ms;
	} ways[] = {{"killed while it waits", ARMADA__END_CAUSE__END_GANG, 0},
		    {"past its lease while it waits", ARMADA__END_CAUSE__END_LEASE, 300}};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		Armada__TaskBody *body = gated_body(204 + i, "echo ran");
		const Armada__TaskEnd *end;
		pid_t pid;

		body->lease_ms = ways[i].lease_ms;
		pid = begin(body);
		wait_until(body, false);
		if (!ways[i].lease_ms) {
			kill_task(body, ways[i].cause, 1000);
			/* the socket is gone if it has ended by now */
			control_send(&box.spool, &(struct task_key){204, 0, 0, 1},
				     &(struct control_order){.kind = CONTROL_RELEASE}, -1);
		}
		waitpid(pid, NULL, 0);
		end = end_of(body);
		is_int(end->cause, ways[i].cause, "%s: cause", ways[i].what);
		is_int(end->start_us, 0, "%s: it never ran", ways[i].what);
		is_str(box_read(&box, body->output), "", "%s: nothing of it", ways[i].what);
	}
}

static pid_t child_of(pid_t parent)
{
	char path[64], text[256];
	FILE *f;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	f = fopen(path, "r");
	if (f && fgets(text, sizeof(text), f))
		pid = atoi(text);
	if (f)
		fclose(f);
	return pid;
}

static void test_gate_child_killed(void)
{
	Armada__TaskBody *body = gated_body(206, "echo ran");
	pid_t pid = begin(body);
	const Armada__TaskEnd *end;

	wait_until(body, false);
	kill(child_of(pid), SIGKILL);
	waitpid(pid, NULL, 0);
	end = end_of(body);
	is_int(end->cause, ARMADA__END_CAUSE__END_LOST,
	       "killed by a stranger: neither the job's fault nor the node's");
	has_str(end->text, "while it waited", "and said so");
	is_int(end->start_us, 0, "it never ran");
}

static int payload(const char *text)
{
	struct err err;
	int fd = pipe_body_new(text, strlen(text), &err);

	if (fd < 0)
		bail("%s", err.text);
	return fd;
}

/* The stub of these tests runs its payload with a shell. */
static void make_stub(void)
{
	FILE *f;

	snprintf(stub, sizeof(stub), "%s/arun-io", box.dir);
	f = fopen(stub, "w");
	fputs("#!/bin/sh\nread -r line <&3\nexec 3<&-\neval \"$line\"\n", f);
	fchmod(fileno(f), 0755);
	fclose(f);
}

static void test_steps(void)
{
	Armada__TaskBody *body =
		box_body(&box, 207, "/bin/sh", "-c",
			 "echo up; while ! [ -s done ]; do sleep 0.01; done", NULL);
	static char env[] = "COLOUR=red\0";
	char path[400], probe[1000];
	int fd;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/step", box.out);
	unlink(path);
	snprintf(probe, sizeof(probe), "exec %s probe %s\n", box.probe, path);
	body->env.data = (uint8_t *)env;
	body->env.len = sizeof(env) - 1;
	body->umask = 027;
	pid = begin(body);
	box_wait_file(body->output);
	fd = payload(probe);
	tell(body, CONTROL_STEP, fd);
	close(fd);
	ok(box_wait_file(path), "a step runs");
	for (int i = 0; i < 2000 && !strstr(box_read(&box, path), "COLOUR=red"); i++)
		poll(NULL, 0, 5);
	has_str(box_read(&box, path), "fds 0 1 2\n", "with the descriptors it was left");
	has_str(box_read(&box, path), "umask 027\nnnp 1\nsession 1\n",
		"as the task: umask, privileges");
	has_str(box_read(&box, path), "COLOUR=red", "and environment");
	snprintf(probe, sizeof(probe), "uid %u %u %u\n", box.uid, box.uid, box.uid);
	has_str(box_read(&box, path), probe, "and identity");
	unlink(path);
	fd = payload("trap '' TERM; echo $$ > step; echo now > done; while :; do sleep 9; done\n");
	body->grace_ms = 200;
	tell(body, CONTROL_STEP, fd);
	close(fd);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_EXITED, 0, 0,
	       "the task ends by its own program");
	ok(gone(path), "and what is left of its steps with it");
}

static void test_standby(void)
{
	Armada__TaskBody *body = gated_body(208, "echo ran");
	char path[400];
	pid_t pid;
	int fd;

	snprintf(path, sizeof(path), "%s/step", box.out);
	unlink(path);
	body->standby = true;
	pid = begin(body);
	ok(wait_until(body, false), "who stands by is ready as the others are");
	fd = payload("echo early > step\n");
	tell(body, CONTROL_STEP, fd);
	close(fd);
	tell(body, CONTROL_RELEASE, -1);
	ok(wait_until(body, true), "and starts with them");
	ok(access(path, F_OK) < 0, "no step runs before that");
	fd = payload("echo late > step\n");
	tell(body, CONTROL_STEP, fd);
	close(fd);
	ok(box_wait_file(path), "one runs afterwards");
	kill(child_of(pid), SIGUSR1);
	kill(child_of(pid), SIGTERM);
	ok(waitpid(pid, NULL, WNOHANG) == 0, "signals are for the steps");
	kill_task(body, ARMADA__END_CAUSE__END_GANG, 60000);
	waitpid(pid, NULL, 0);
	is_int(end_of(body)->cause, ARMADA__END_CAUSE__END_GANG,
	       "it ends at once when it is told to");
	ok(end_of(body)->start_us > 0, "and did run");
	is_str(box_read(&box, body->output), "", "no program of its own");
}

static void test_interactive(void)
{
	Armada__TaskBody *body = box_body(&box, 209, NULL);
	static char script[] = "echo \"$COLOUR by stub\"\n", env[] = "COLOUR=red\0";

	body->interactive = true;
	body->script.data = (uint8_t *)script;
	body->script.len = strlen(script);
	body->env.data = (uint8_t *)env;
	body->env.len = sizeof(env) - 1;
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "an interactive task");
	is_str(box_read(&box, body->output), "red by stub\n",
	       "runs the stub, with its script as payload");
}

/* A table without a hole: from every phase nothing leads back, and every phase can come to an end. */
static void test_table(void)
{
	enum {
		early = 1 << SHEPHERD_LAUNCHING | 1 << SHEPHERD_WAITING | 1 << SHEPHERD_RELEASED |
			1 << SHEPHERD_RUNNING
	};
	/* By event: which effects it may ever have, and in which phases it must have them. */
	static const struct {
		unsigned may, must_in; /* one bit for each phase */
	} events[SHEPHERD_EVENTS] = {
		[SHEPHERD_EV_READY] = {SHEPHERD_NOTE_READY | SHEPHERD_KILL,
				       1 << SHEPHERD_LAUNCHING | 1 << SHEPHERD_ENDING},
		[SHEPHERD_EV_RELEASE] = {SHEPHERD_OPEN_GATE, 1 << SHEPHERD_WAITING},
		[SHEPHERD_EV_RUNS] = {SHEPHERD_NOTE_START,
				      1 << SHEPHERD_LAUNCHING | 1 << SHEPHERD_RELEASED |
					      1 << SHEPHERD_FINISHING | 1 << SHEPHERD_ENDING |
					      1 << SHEPHERD_KILLING},
		[SHEPHERD_EV_FIRST_ENDED] = {SHEPHERD_TERM | SHEPHERD_TERM_REST,
					     early | 1 << SHEPHERD_ENDING},
		[SHEPHERD_EV_EMPTY] = {0, 0},
		[SHEPHERD_EV_STOP] = {SHEPHERD_TERM | SHEPHERD_TAKE_CAUSE, early},
		[SHEPHERD_EV_GRACE_OVER] = {SHEPHERD_KILL, 1 << SHEPHERD_FINISHING |
								   1 << SHEPHERD_ENDING |
								   1 << SHEPHERD_KILLING},
		[SHEPHERD_EV_WARN] = {SHEPHERD_SEND, 1 << SHEPHERD_RUNNING},
		[SHEPHERD_EV_SIGNAL] = {SHEPHERD_SEND, 1 << SHEPHERD_RUNNING |
							       1 << SHEPHERD_FINISHING |
							       1 << SHEPHERD_ENDING},
		[SHEPHERD_EV_STUCK] = {SHEPHERD_SAY_STUCK, 1 << SHEPHERD_KILLING},
		[SHEPHERD_EV_STEP] = {SHEPHERD_RUN_STEP, 1 << SHEPHERD_RUNNING},
	};
	size_t back = 0, stuck = 0, wrong = 0;

	for (int p = 0; p < SHEPHERD_PHASES; p++) {
		unsigned effects;

		for (int e = 0; e < SHEPHERD_EVENTS; e++) {
			back += shepherd_step((enum shepherd_phase)p, (enum shepherd_event)e,
					      &effects) < (enum shepherd_phase)p;
			wrong += (effects & ~events[e].may) != 0 ||
				 (effects != 0) != (events[e].must_in >> p & 1);
		}
		stuck += shepherd_step((enum shepherd_phase)p, SHEPHERD_EV_EMPTY, &effects) !=
			 SHEPHERD_DONE;
	}
	is_int((long long)wrong, 0, "what a pair asks for is what its event may ask for");
	is_int((long long)back, 0, "no phase leads back to an earlier one");
	is_int((long long)stuck, 0, "a task of which nothing is left is done in every phase");
}

int main(int argc, char **argv)
{
	box_be_probe(argc, argv);
	box_open(&box);
	contain = box_contain();
	make_stub();
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	test_exits();
	test_output();
	test_launch_failures();
	test_script();
	test_identity();
	test_kill();
	test_signals();
	test_script_alone();
	test_warning();
	test_shutdown();
	test_stuck();
	test_time_limit();
	test_lease_renewed();
	test_late_order();
	test_lease_over_in_prolog();
	test_lease_bounds_grace();
	test_left_behind();
	test_shepherd_killed();
	test_old_lease();
	test_lease_extended();
	test_gate();
	test_gate_fails();
	test_gate_shut();
	test_gate_child_killed();
	test_steps();
	test_standby();
	test_interactive();
	test_table();
	box_close(&box);
	return done();
}

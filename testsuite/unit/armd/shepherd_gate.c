/*
 * The start barrier in a shepherd: a task is set up, and waits for its release before it runs.
 * Also steps in a running task, standby tasks, and interactive tasks.
 */
#include "unit/armd/shepherd_rig.h"

#include "armd/shepherd/control.h"
#include "armd/pipe/body.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const Armada__TaskBody *body, enum control_kind kind, int fd)
{
	struct control_order o = {.kind = kind};
	struct task_key key = box_key(body);

	is_int(control_send(&rig.box.spool, &key, &o, fd), 0, "the order reaches the shepherd");
}

static struct attempt_start start_of(const Armada__TaskBody *body)
{
	struct attempt_start start = {.forked = false};
	struct task_key key = box_key(body);
	int fd;

	if (attempt_open(&rig.box.spool, &key, &fd, NULL) < 0)
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
	Armada__TaskBody *body = box_body(&rig.box, job, "/bin/sh", "-c", script, NULL);

	unlink(body->output);
	body->gated = true;
	return body;
}

/* A gated task is set up completely, and runs nothing before its release. */
static void test_gate(void)
{
	Armada__TaskBody *body = gated_body(200, "echo ran");
	const Armada__TaskEnd *end;
	pid_t pid;

	body->time_limit_ms = 6000;
	pid = begin(body);
	ok(wait_until(body, false), "a gated task reports when it is ready");
	is_int(start_of(body).start_us, 0, "it has not started");
	is_int(access(body->output, F_OK), 0, "its output file is open");
	poll(NULL, 0, 6500);
	is_str(box_read(&rig.box, body->output), "", "it runs nothing while it waits");
	kill(pid, SIGSTOP); /* it gets both orders, and the task cannot end between them */
	tell(body, CONTROL_RELEASE, -1);
	tell(body, CONTROL_RELEASE, -1);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
	end = end_of(body);
	is_end(end, ARMADA__END_CAUSE__END_EXITED, 0, 0, "a released task");
	is_str(box_read(&rig.box, body->output), "ran\n",
	       "it ran once, and its time limit counted from then");
	ok(end->start_us > 0 && end->usage, "the end has its times");

	body = gated_body(201, "sleep 100");
	body->time_limit_ms = 100;
	pid = begin(body);
	wait_until(body, false);
	tell(body, CONTROL_RELEASE, -1);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_TIME_LIMIT, 0, SIGTERM,
	       "a released task reaches its time limit");
}

/* A setup error fails the task before the barrier; an exec error fails it after the release. */
static void test_gate_fails(void)
{
	Armada__TaskBody *body = gated_body(202, "echo ran");
	const Armada__TaskEnd *end;
	pid_t pid;

	body->chdir = arena_strdup(rig.box.arena, "/nowhere/at/all");
	end = run(body);
	is_end(end, ARMADA__END_CAUSE__END_LAUNCH_FAILED, 0, 0, "a missing directory");
	ok(!start_of(body).ready, "the task was never ready");
	body = box_body(&rig.box, 203, "no-such-program", NULL);
	body->gated = true;
	pid = begin(body);
	ok(wait_until(body, false), "a task with a missing program is ready");
	tell(body, CONTROL_RELEASE, -1);
	waitpid(pid, NULL, 0);
	has_str(end_of(body)->text, "cannot run no-such-program", "it fails when it is released");
}

static void test_gate_shut(void)
{
	static const struct {
		const char *what;
		Armada__EndCause cause;
		int64_t lease_ms;
	} ways[] = {{"killed before its release", ARMADA__END_CAUSE__END_GANG, 0},
		    {"its lease ends before its release", ARMADA__END_CAUSE__END_LEASE, 300}};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		Armada__TaskBody *body = gated_body(204 + i, "echo ran");
		const Armada__TaskEnd *end;
		pid_t pid;

		body->lease_ms = ways[i].lease_ms;
		pid = begin(body);
		wait_until(body, false);
		if (!ways[i].lease_ms) {
			kill_task(body, ways[i].cause, 1000);
			/* the socket is gone if the task has ended by now */
			control_send(&rig.box.spool, &(struct task_key){204, 0, 0, 1},
				     &(struct control_order){.kind = CONTROL_RELEASE}, -1);
		}
		waitpid(pid, NULL, 0);
		end = end_of(body);
		is_int(end->cause, ways[i].cause, "%s: cause", ways[i].what);
		is_int(end->start_us, 0, "%s: it has not started", ways[i].what);
		is_str(box_read(&rig.box, body->output), "", "%s: it has no output", ways[i].what);
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
	       "killed by another process: the fault of neither the job nor the node");
	has_str(end->text, "while it waited", "the text says that it waited");
	is_int(end->start_us, 0, "it has not started");
}

static int payload(const char *text)
{
	struct err err;
	int fd = pipe_body_new(text, strlen(text), &err);

	if (fd < 0)
		bail("%s", err.text);
	return fd;
}

static void test_steps(void)
{
	Armada__TaskBody *body =
		box_body(&rig.box, 207, "/bin/sh", "-c",
			 "echo up; while ! [ -s done ]; do sleep 0.01; done", NULL);
	static char env[] = "COLOUR=red\0";
	char path[400], probe[1000];
	int fd;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/step", rig.box.out);
	unlink(path);
	snprintf(probe, sizeof(probe), "exec %s probe %s\n", rig.box.probe, path);
	body->env.data = (uint8_t *)env;
	body->env.len = sizeof(env) - 1;
	body->umask = 027;
	pid = begin(body);
	box_wait_file(body->output);
	fd = payload(probe);
	tell(body, CONTROL_STEP, fd);
	close(fd);
	ok(box_wait_file(path), "a step runs");
	for (int i = 0; i < 2000 && !strstr(box_read(&rig.box, path), "COLOUR=red"); i++)
		poll(NULL, 0, 5);
	has_str(box_read(&rig.box, path), "fds 0 1 2\n", "it has three descriptors");
	has_str(box_read(&rig.box, path), "umask 027\nnnp 1\nsession 1\n",
		"it has the umask and the privileges of the task");
	has_str(box_read(&rig.box, path), "COLOUR=red", "it has the environment of the task");
	snprintf(probe, sizeof(probe), "uid %u %u %u\n", rig.box.uid, rig.box.uid, rig.box.uid);
	has_str(box_read(&rig.box, path), probe, "it has the identity of the task");
	unlink(path);
	fd = payload("trap '' TERM; echo $$ > step; echo now > done; while :; do sleep 9; done\n");
	body->grace_ms = 200;
	tell(body, CONTROL_STEP, fd);
	close(fd);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_EXITED, 0, 0,
	       "the task ends with its own program");
	ok(gone(path), "the processes of its steps end with it");
}

static void send_settings(const Armada__TaskBody *body, uint64_t number, int64_t limit_ms,
			  const char *text, bool suspended)
{
	Armada__TaskSettings m = ARMADA__TASK_SETTINGS__INIT;
	CLEANUP_BUF struct buf packed = {0};
	struct err err;
	int fd;

	m.number = number;
	m.time_limit_ms = limit_ms;
	m.time_limit_text = (char *)text;
	m.suspended = suspended;
	msg_pack(&m, &packed);
	fd = pipe_body_new(packed.data, packed.len, &err);
	tell(body, CONTROL_SETTINGS, fd);
	close(fd);
}

/* The time limit of a running task changes; an older number changes nothing. */
static void test_settings(void)
{
	Armada__TaskBody *body =
		box_body(&rig.box, 220, "/bin/sh", "-c", "echo up; sleep 7; echo survived", NULL);
	pid_t pid;

	body->time_limit_ms = 6000;
	pid = begin(body);
	box_wait_file(body->output);
	send_settings(body, 5, 60000, "1:00 (changed)", false);
	send_settings(body, 4, 1, "old", false);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_EXITED, 0, 0,
	       "a task with a longer limit, and a copy of older settings");

	body = box_body(&rig.box, 221, "/bin/sh", "-c", "echo up; exec sleep 100", NULL);
	body->time_limit_ms = 3600000;
	pid = begin(body);
	box_wait_file(body->output);
	send_settings(body, 1, 200, "0.2 s (changed)", false);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_TIME_LIMIT, 0, SIGTERM,
	       "a task with a shorter limit");
	has_str(end_of(body)->text, "it reached its time limit of 0.2 s (changed)",
		"the text has the words of the change");
}

static int frozen_at(void)
{
	char path[500];

	snprintf(path, sizeof(path), "%s/freezes", rig.box.out);
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/* A plugin that notes what it is asked to do, in the process of the shepherd. */
static int note_freeze(void *handle, bool frozen, struct armada_error *err)
{
	int fd = frozen_at();
	ssize_t n = write(fd, frozen ? "F" : "T", 1);

	(void)handle, (void)err;
	close(fd);
	return n == 1 ? 0 : -EIO;
}

/* A signal leaves the task suspended; its end thaws it first. */
static void test_suspended(void)
{
	const struct armada_contain_ops *plain = rig.contain;
	struct armada_contain_ops freezer = *plain;
	Armada__TaskBody *body =
		box_body(&rig.box, 222, "/bin/sh", "-c",
			 "trap : USR1; echo up; while :; do sleep 0.05; done", NULL);
	struct task_key key = box_key(body);
	const struct control_order usr1 = {.kind = CONTROL_SIGNAL, .cause = SIGUSR1};
	char path[500];
	pid_t pid;

	freezer.freeze = note_freeze;
	rig.contain = &freezer;
	snprintf(path, sizeof(path), "%s/freezes", rig.box.out);
	pid = begin(body);
	box_wait_file(body->output);
	send_settings(body, 1, 0, "", true);
	send_settings(body, 1, 0, "", true);
	control_send(&rig.box.spool, &key, &usr1, -1);
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 1000);
	waitpid(pid, NULL, 0);
	rig.contain = plain;
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 0, SIGTERM, "a suspended task");
	is_str(box_read(&rig.box, path), "FFT",
	       "it is frozen once, again after a signal, and thawed for its end");
	unlink(path);
}

static void test_standby(void)
{
	Armada__TaskBody *body = gated_body(208, "echo ran");
	char path[400];
	pid_t pid;
	int fd;

	snprintf(path, sizeof(path), "%s/step", rig.box.out);
	unlink(path);
	body->standby = true;
	pid = begin(body);
	ok(wait_until(body, false), "a standby task reports when it is ready");
	fd = payload("echo early > step\n");
	tell(body, CONTROL_STEP, fd);
	close(fd);
	tell(body, CONTROL_RELEASE, -1);
	ok(wait_until(body, true), "it starts with its release");
	ok(access(path, F_OK) < 0, "no step runs before the release");
	fd = payload("echo late > step\n");
	tell(body, CONTROL_STEP, fd);
	close(fd);
	ok(box_wait_file(path), "a step runs after the release");
	kill(child_of(pid), SIGUSR1);
	kill(child_of(pid), SIGTERM);
	ok(waitpid(pid, NULL, WNOHANG) == 0, "a standby task ignores signals");
	kill_task(body, ARMADA__END_CAUSE__END_GANG, 60000);
	waitpid(pid, NULL, 0);
	is_int(end_of(body)->cause, ARMADA__END_CAUSE__END_GANG, "it ends when it is killed");
	ok(end_of(body)->start_us > 0, "it had started");
	is_str(box_read(&rig.box, body->output), "", "it runs no program of its own");
}

static void test_interactive(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 209, NULL);
	static char script[] = "echo \"$COLOUR by stub\"\n", env[] = "COLOUR=red\0";

	body->interactive = true;
	body->script.data = (uint8_t *)script;
	body->script.len = strlen(script);
	body->env.data = (uint8_t *)env;
	body->env.len = sizeof(env) - 1;
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "an interactive task");
	is_str(box_read(&rig.box, body->output), "red by stub\n",
	       "it runs the stub with its script as payload");
}

int main(int argc, char **argv)
{
	rig_open(argc, argv);
	test_gate();
	test_gate_fails();
	test_gate_shut();
	test_gate_child_killed();
	test_steps();
	test_settings();
	test_suspended();
	test_standby();
	test_interactive();
	rig_close();
	return done();
}

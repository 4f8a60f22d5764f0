/* A shepherd at the gate, with steps, and with tasks that only stand by. */
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

	is_int(control_send(&rig.box.spool, &key, &o, fd), 0, "its shepherd is told");
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
	is_str(box_read(&rig.box, body->output), "", "it runs nothing, however long it waits");
	tell(body, CONTROL_RELEASE, -1);
	tell(body, CONTROL_RELEASE, -1);
	waitpid(pid, NULL, 0);
	end = end_of(body);
	is_end(end, ARMADA__END_CAUSE__END_EXITED, 0, 0, "a released one");
	is_str(box_read(&rig.box, body->output), "ran\n", "ran once, and its time began then");
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

	body->chdir = arena_strdup(rig.box.arena, "/nowhere/at/all");
	end = run(body);
	is_end(end, ARMADA__END_CAUSE__END_LAUNCH_FAILED, 0, 0, "no directory");
	ok(!start_of(body).ready, "it was never ready");
	body = box_body(&rig.box, 203, "no-such-program", NULL);
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
			control_send(&rig.box.spool, &(struct task_key){204, 0, 0, 1},
				     &(struct control_order){.kind = CONTROL_RELEASE}, -1);
		}
		waitpid(pid, NULL, 0);
		end = end_of(body);
		is_int(end->cause, ways[i].cause, "%s: cause", ways[i].what);
		is_int(end->start_us, 0, "%s: it never ran", ways[i].what);
		is_str(box_read(&rig.box, body->output), "", "%s: nothing of it", ways[i].what);
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
	has_str(box_read(&rig.box, path), "fds 0 1 2\n", "with the descriptors it was left");
	has_str(box_read(&rig.box, path), "umask 027\nnnp 1\nsession 1\n",
		"as the task: umask, privileges");
	has_str(box_read(&rig.box, path), "COLOUR=red", "and environment");
	snprintf(probe, sizeof(probe), "uid %u %u %u\n", rig.box.uid, rig.box.uid, rig.box.uid);
	has_str(box_read(&rig.box, path), probe, "and identity");
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

	snprintf(path, sizeof(path), "%s/step", rig.box.out);
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
	is_str(box_read(&rig.box, body->output), "", "no program of its own");
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
	       "runs the stub, with its script as payload");
}

int main(int argc, char **argv)
{
	rig_open(argc, argv);
	test_gate();
	test_gate_fails();
	test_gate_shut();
	test_gate_child_killed();
	test_steps();
	test_standby();
	test_interactive();
	rig_close();
	return done();
}

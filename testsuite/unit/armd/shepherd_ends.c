/*
 * How a shepherd ends its task: kill orders, signals, time limits, and a task that cannot be
 * killed.
 */
#include "unit/armd/shepherd_rig.h"

#include "armd/pipe/body.h"
#include "armd/shepherd/control.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_kill(void)
{
	Armada__TaskBody *body =
		box_body(&rig.box, 50, "/bin/sh", "-c", "echo up; sleep 100", NULL);
	pid_t pid = begin(body);
	int64_t from_us;

	ok(box_wait_file(body->output), "a task runs");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 0, SIGTERM, "a cancelled task");

	body = box_body(&rig.box, 51, "/bin/sh", "-c",
			"trap '' TERM; echo up; while :; do sleep 100; done", NULL);
	pid = begin(body);
	box_wait_file(body->output);
	from_us = box_now_us();
	kill_task(body, ARMADA__END_CAUSE__END_PREEMPTED, 300);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_PREEMPTED, 0, SIGKILL,
	       "a task that ignores SIGTERM");
	ok(box_now_us() - from_us >= 300000, "it is killed after its grace period");
}

static void kill_with_text(const Armada__TaskBody *body, const char *text)
{
	struct control_order o = {
		.kind = CONTROL_KILL, .cause = ARMADA__END_CAUSE__END_PREEMPTED, .grace_ms = 60000};
	struct task_key key = box_key(body);
	struct err err;
	int fd = pipe_body_new(text, strlen(text), &err);

	is_int(control_send(&rig.box.spool, &key, &o, fd), 0, "a kill order with a text is sent");
	close(fd);
}

/* Both orders wait for the shepherd, which therefore cannot end the task before the second is sent. */
static void kill_with_texts(pid_t shepherd, const Armada__TaskBody *body, const char *first,
			    const char *second)
{
	kill(shepherd, SIGSTOP);
	kill_with_text(body, first);
	kill_with_text(body, second);
	kill(shepherd, SIGCONT);
}

/* The last line of the file, without its time. */
static const char *last_line(const char *path)
{
	char *text = arena_strdup(rig.box.arena, box_read(&rig.box, path)), *line;

	if (!text[0])
		return "";
	text[strlen(text) - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	line[strcspn(line, "0123456789") + 2] = '\0';
	return line;
}

static void test_last_line(void)
{
	Armada__TaskBody *body =
		box_body(&rig.box, 96, "/bin/sh", "-c", "printf up; sleep 100", NULL);
	CLEANUP_FREE char *file = xasprintf("%s.err", body->output);
	char long_text[ORDER_TEXT_MAX + 2];
	pid_t pid = begin(body);

	ok(says(body, "up"), "a task runs");
	kill_with_texts(pid, body, "made room\033[2J\nfor job 7", "another text");
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_PREEMPTED, 0, SIGTERM, "a preempted task");
	has_str(box_read(&rig.box, body->output), "up\narmada: job 96 was ended on ",
		"the last line is a line of its own");
	has_str(box_read(&rig.box, body->output), ": made room\\x1b[2J\\x0afor job 7\n",
		"it is the text of the first order, without control characters");
	ok(!strstr(box_read(&rig.box, body->output), "another"), "there is one such line");

	body = box_body(&rig.box, 97, "/bin/sh", "-c", "echo up; sleep 100", NULL);
	body->error = file;
	pid = begin(body);
	ok(says(body, "up"), "a task with an error file runs");
	kill_with_text(body, "made room");
	waitpid(pid, NULL, 0);
	is_str(box_read(&rig.box, body->output), "up\n", "its output has no such line");
	is_str(last_line(file), "armada: job 97", "its error file has");

	body = box_body(&rig.box, 98, "/bin/sh", "-c",
			"rm \"$0\"; mkfifo \"$0\"; echo up >\"$0.up\"; sleep 100", "", NULL);
	body->argv[3] = body->output;
	pid = begin(body);
	ok(box_wait_file(arena_printf(rig.box.arena, "%s.up", body->output)),
	   "a task makes its output file a FIFO");
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	kill_with_texts(pid, body, long_text, "made room");
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_PREEMPTED, 0, SIGTERM,
	       "a text that is too long is dropped, and a FIFO does not block the end");
}

static void test_time_limit(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 60, "sleep", "100", NULL);

	body->time_limit_ms = 100;
	is_end(run(body), ARMADA__END_CAUSE__END_TIME_LIMIT, 0, SIGTERM,
	       "a task above its time limit");
	has_str(box_read(&rig.box, body->output), ": it reached its time limit of 100 ms\n",
		"its output says so");
	body = box_body(&rig.box, 61, "sleep", "100", NULL);
	body->lease_ms = 6000;
	is_end(run(body), ARMADA__END_CAUSE__END_LEASE, 0, SIGTERM, "a task whose lease has ended");
	has_str(box_read(&rig.box, body->output), "no contact with the controller",
		"its output says so");
	body = box_body(&rig.box, 62, "sleep", "100", NULL);
	body->time_limit_ms = 100;
	body->key->rank = 1;
	is_end(run(body), ARMADA__END_CAUSE__END_TIME_LIMIT, 0, SIGTERM,
	       "another task above its time limit");
	is_str(box_read(&rig.box, body->output), "", "only the first task says so");
}

static void order_signal(const Armada__TaskBody *body, uint32_t wish)
{
	struct control_order o = {.kind = CONTROL_SIGNAL, .cause = wish};
	struct task_key key = box_key(body);

	is_int(control_send(&rig.box.spool, &key, &o, -1), 0, "a signal is ordered");
}

/*
 * A script with a child, both of which print the signals they get. The child is a shell too, and
 * prints "up" only when its trap is set.
 */
static const char hears[] =
	"trap 'echo script USR1' USR1; trap 'echo script TERM; exit 3' TERM\n"
	"sh -c 'trap \"echo child USR1\" USR1; trap \"echo child TERM; exit 0\" TERM; echo up;"
	" while :; do sleep 0.02; done' &\n"
	"while :; do sleep 0.02; done\n";

static void test_signals(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 52, "/bin/sh", "-c", hears, NULL);
	pid_t pid = begin(body);

	ok(says(body, "up"), "a task with a child runs");
	order_signal(body, SIGUSR1 | ORDER_TO_FIRST);
	ok(says(body, "script USR1"), "a signal for the script reaches it");
	ok(!strstr(box_read(&rig.box, body->output), "child USR1"), "it does not reach the child");
	order_signal(body, SIGUSR1);
	ok(says(body, "child USR1"), "a signal for all reaches the child");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 3, 0,
	       "the task continued until it was cancelled");
	ok(strstr(box_read(&rig.box, body->output), "child TERM"), "SIGTERM goes to all processes");
}

static void test_script_alone(void)
{
	static const char text[] =
		"trap 'echo script TERM; kill $!; wait $!; echo child has ended; exit 4' TERM\n"
		"sh -c 'trap \"echo child TERM; exit 0\" TERM; echo up; while :; do sleep 0.02; done' &\n"
		"while :; do sleep 0.02; done\n";
	Armada__TaskBody *body = box_body(&rig.box, 53, "/bin/sh", "-c", text, NULL);
	pid_t pid;

	body->signal_script = true;
	pid = begin(body);
	ok(says(body, "up"), "a task with a child runs");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_str(box_read(&rig.box, body->output), "up\nscript TERM\nchild TERM\nchild has ended\n",
	       "SIGTERM goes to the script only, which ends its child");
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 4, 0,
	       "the exit code is that of the script");

	body = box_body(
		&rig.box, 54, "/bin/sh", "-c",
		"sh -c 'trap \"echo child TERM; exit 0\" TERM; echo up; while :; do sleep 0.02;"
		" done' & while :; do sleep 0.02; done",
		NULL);
	body->signal_script = true;
	pid = begin(body);
	ok(says(body, "up"), "a task whose script does not handle SIGTERM");
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 0, SIGTERM,
	       "SIGTERM ends the script");
	has_str(box_read(&rig.box, body->output), "child TERM\n", "then its child gets SIGTERM");
}

static void test_warning(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 55, "/bin/sh", "-c", hears, NULL);
	const Armada__TaskEnd *end;
	const char *out;

	body->time_limit_ms = 12000;
	body->signal = SIGUSR1;
	body->signal_before_ms = 5000;
	body->time_limit_text = arena_strdup(rig.box.arena, "00:12 (default of queue short)");
	end = run(body);
	is_end(end, ARMADA__END_CAUSE__END_TIME_LIMIT, 3, 0,
	       "a task that is warned, then reaches its limit");
	is_str(end->text, "it reached its time limit of 00:12 (default of queue short)",
	       "the text names the limit");
	out = box_read(&rig.box, body->output);
	ok(strstr(out, "script USR1") && strstr(out, "child USR1"),
	   "all processes got the warning signal");
	ok(strstr(out, "script TERM") > strstr(out, "script USR1"),
	   "the warning came before SIGTERM");
	/* the limit counts from before the fork, and start_us is after it */
	ok(end->end_us - end->start_us >= 11000000, "SIGTERM came at the limit");
}

static void test_shutdown(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 56, "/bin/sh", "-c", hears, NULL);
	char path[400];
	pid_t pid = begin(body);

	ok(says(body, "up"), "a task runs");
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_SHUTDOWN, 3, 0, "SIGTERM to the shepherd");
	body = box_body(&rig.box, 59, "/bin/sh", "-c", "echo $$ > pid; exec sleep 100", NULL);
	snprintf(path, sizeof(path), "%s/pid", rig.box.out);
	unlink(path);
	pid = begin(body);
	box_wait_file(path);
	kill(pid, SIGSTOP); /* so that it gets both signals at once */
	kill(atoi(box_read(&rig.box, path)), SIGTERM);
	kill(pid, SIGTERM);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_SHUTDOWN, 0, SIGTERM,
	       "SIGTERM to shepherd and task");
	body = box_body(&rig.box, 57, "/bin/sh", "-c",
			"trap '' TERM; echo up; while :; do sleep 9; done", NULL);
	body->grace_ms = 200;
	pid = begin(body);
	says(body, "up");
	kill_task(body, ARMADA__END_CAUSE__END_SHUTDOWN, -1);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_SHUTDOWN, 0, SIGKILL,
	       "a kill order without a grace period uses that of the task");
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

/*
 * The kill orders of this shepherd have no effect, as if the task hung in the kernel, until the
 * test kills the task.
 */
static void test_stuck(void)
{
	const struct armada_contain_ops *real = rig.contain;
	struct armada_contain_ops helpless = *real;
	Armada__TaskBody *body =
		box_body(&rig.box, 58, "/bin/sh", "-c", "echo $$ > pid; exec sleep 100", NULL);
	int listen_fd = control_listen(&rig.box.spool, NULL), told = 0;
	struct control_notice n;
	char path[400];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/pid", rig.box.out);
	unlink(path);
	helpless.kill = kill_nobody;
	helpless.signal = signal_nobody;
	rig.contain = &helpless;
	rig.stuck_ms = 50;
	pid = begin(body);
	box_wait_file(path);
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 50);
	for (int i = 0; i < 2000 && told < 2; i++) {
		while (control_receive_notice(listen_fd, &n))
			told += n.event == CONTROL_STUCK;
		poll(NULL, 0, 5);
	}
	is_int(told, 2, "a task that cannot be killed is reported again and again");
	is_int(end_of(body)->cause, ARMADA__END_CAUSE__END_UNSET, "it has no end record");
	kill(atoi(box_read(&rig.box, path)), SIGKILL);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_CANCELLED, 0, SIGKILL,
	       "its end is recorded when it has ended");
	has_str(end_of(body)->text, "SIGKILL did not end it for more than",
		"the text says that SIGKILL took long");
	close(listen_fd);
	rig.contain = real;
	rig.stuck_ms = 0;
}

/* The program of the next test: its parent becomes its tracer, which makes each signal stop it. */
static _Noreturn void be_traced(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGCONT);
	_exit(7);
}

static void test_traced(void)
{
	is_end(run(box_body(&rig.box, 62, rig.box.probe, "traced", NULL)),
	       ARMADA__END_CAUSE__END_EXITED, 7, 0, "a task that is traced by its shepherd");
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "traced") == 0)
		be_traced();
	rig_open(argc, argv);
	test_kill();
	test_last_line();
	test_signals();
	test_script_alone();
	test_warning();
	test_shutdown();
	test_stuck();
	test_traced();
	test_time_limit();
	rig_close();
	return done();
}

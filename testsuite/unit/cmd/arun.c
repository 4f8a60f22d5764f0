/*
 * The relay of arun and the io stub, without a cluster. The test starts the built arun-io with a
 * payload on descriptor 3, as a shepherd does, and takes the part of controller and node.
 */
#include "cmd/arun/arun.h"
#include "cmd/arun/listen.h"
#include "cmd/arun/payload.h"
#include "cmd/arun/relay.h"

#include "client/connection.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS_MAX = 8, WAIT_MS = 20000, BIG = 8 << 20 };

struct trial {
	struct listeners listeners;
	uint8_t key[HELLO_KEY];
	struct run_plan plan;
	const char *command; /* for sh -c */
	const char *argv0;   /* a program instead of the shell */
	bool no_stubs;
	pid_t arun, stubs[TASKS_MAX];
	int in, out, err; /* the ends of the test */
};

static void trial_init(struct trial *t, uint32_t tasks, const char *command)
{
	static const struct conf nowhere;
	struct err err;

	*t = (struct trial){.command = command, .in = -1, .out = -1, .err = -1};
	if (listeners_open(&t->listeners, &nowhere, &err) < 0)
		bail("%s", err.text);
	randombytes_buf(t->key, sizeof(t->key));
	t->plan = (struct run_plan){.name = "arun",
				    .listeners = &t->listeners,
				    .key = t->key,
				    .tasks = tasks,
				    .out_fd = 1,
				    .err_fd = 2,
				    .connect_timeout_ms = WAIT_MS};
}

static int payload_fd(const struct trial *t)
{
	const char *argv[] = {"/bin/sh", "-c", t->command};
	struct payload_plan p = {.listeners = &t->listeners,
				 .key = t->key,
				 .argv = argv,
				 .argc = 3,
				 .pty = t->plan.pty,
				 .step = true};
	struct buf bytes CLEANUP_BUF = {0};
	int fd = memfd_create("payload", 0);

	if (t->argv0) {
		argv[0] = t->argv0;
		p.argc = 1;
	}
	arun_payload(&p, &bytes);
	if (write(fd, bytes.data, bytes.len) != (ssize_t)bytes.len)
		bail("memfd");
	return fd;
}

static void start_stub(struct trial *t, uint32_t rank)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	char path[4096], number[16];
	int fd = payload_fd(t);

	snprintf(path, sizeof(path), "%s/arun-io", build ? build : ".");
	t->stubs[rank] = fork();
	if (t->stubs[rank] == 0) {
		snprintf(number, sizeof(number), "%u", rank);
		setenv("ARMADA_TASK_RANK", number, 1);
		snprintf(number, sizeof(number), "%u", t->plan.tasks);
		setenv("ARMADA_TASK_COUNT", number, 1);
		setenv("ARMADA_ATTEMPT", "1", 1);
		dup2(fd, 3);
		close_range(4, ~0U, 0);
		execl(path, path, (char *)NULL);
		_exit(99);
	}
	close(fd);
}

static void start_arun(struct trial *t)
{
	int in[2], out[2], err[2];
	struct err why = {{0}};
	int rc;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		bail("pipe");
	t->arun = fork();
	if (t->arun == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		close_range(in[0] < out[0] ? in[0] : out[0], ~0U, CLOSE_RANGE_CLOEXEC);
		close(in[1]);
		close(out[0]);
		close(err[0]);
		rc = arun_relay(&t->plan, &why);
		if (rc < 0)
			fprintf(stderr, "error: %s\n", why.text);
		fflush(NULL);
		_exit(rc < 0 ? 200 : rc);
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	t->in = in[1];
	t->out = out[0];
	t->err = err[0];
}

static void start(struct trial *t)
{
	start_arun(t);
	for (uint32_t i = 0; !t->no_stubs && i < t->plan.tasks; i++)
		start_stub(t, i);
}

static int wait_exit(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Write all input, read both outputs to their ends. */
static void exchange(struct trial *t, const uint8_t *input, size_t len, struct buf *out,
		     struct buf *err)
{
	size_t given = 0;

	fcntl(t->in, F_SETFL, O_NONBLOCK);
	if (len == 0)
		close_fd(&t->in);
	while (t->out >= 0 || t->err >= 0) {
		struct pollfd fds[] = {{.fd = t->in, .events = POLLOUT},
				       {.fd = t->out, .events = POLLIN},
				       {.fd = t->err, .events = POLLIN}};
		uint8_t chunk[65536];
		ssize_t n;

		if (poll(fds, 3, WAIT_MS) <= 0)
			bail("no data arrives any more");
		if (fds[0].revents) {
			n = write(t->in, input + given, len - given);
			given += n > 0 ? (size_t)n : 0;
			if (given == len || (n < 0 && errno != EAGAIN))
				close_fd(&t->in);
		}
		for (int i = 1; i < 3; i++) {
			int *fd = i == 1 ? &t->out : &t->err;

			if (!fds[i].revents)
				continue;
			n = read(*fd, chunk, sizeof(chunk));
			if (n > 0)
				buf_add(i == 1 ? out : err, chunk, (size_t)n);
			else
				close_fd(fd);
		}
	}
}

static int finish(struct trial *t)
{
	int code = wait_exit(t->arun);

	close_fd(&t->in);
	close_fd(&t->out);
	close_fd(&t->err);
	for (uint32_t i = 0; i < t->plan.tasks; i++)
		if (t->stubs[i])
			waitpid(t->stubs[i], NULL, 0);
	listeners_close(&t->listeners);
	return code;
}

struct heard {
	struct buf out, err;
	int code;
};

static struct heard run(struct trial *t, const void *input, size_t len)
{
	struct heard h = {0};

	signal(SIGPIPE, SIG_IGN);
	start(t);
	exchange(t, input, len, &h.out, &h.err);
	h.code = finish(t);
	buf_addc(&h.out, '\0');
	buf_addc(&h.err, '\0');
	return h;
}

static void heard_done(struct heard *h)
{
	buf_done(&h->out);
	buf_done(&h->err);
}

static void test_says(const char *command, const char *input, int code, const char *out,
		      const char *what)
{
	struct heard h;
	struct trial t;

	trial_init(&t, 1, command);
	h = run(&t, input, strlen(input));
	is_int(h.code, code, "%s: the exit code", what);
	is_str((char *)h.out.data, out, "%s: the output", what);
	heard_done(&h);
}

static void test_errors(void)
{
	struct heard h;
	struct trial t;

	trial_init(&t, 1, "echo out; echo err >&2; kill -9 $$");
	h = run(&t, "", 0);
	is_int(h.code, 137, "the exit code of a signal is 128 plus its number");
	is_str((char *)h.out.data, "out\n", "stdout is relayed");
	has_str((char *)h.err.data, "err\n", "stderr is relayed");
	has_str((char *)h.err.data, "task 0 on ", "the message names the task");
	has_str((char *)h.err.data, ": Killed", "the message names the signal");
	heard_done(&h);
	trial_init(&t, 1, NULL);
	t.argv0 = "/no/such/program";
	h = run(&t, "", 0);
	is_int(h.code, 127, "an absent program gives 127");
	has_str((char *)h.err.data, "cannot run /no/such/program: No such file",
		"the message names the program");
	heard_done(&h);
	trial_init(&t, 1, NULL);
	t.argv0 = "/";
	h = run(&t, "", 0);
	is_int(h.code, 126, "a file that is no program gives 126");
	heard_done(&h);
}

static void test_large(void)
{
	uint8_t *data = xmalloc(BIG);
	struct heard h;
	struct trial t;

	randombytes_buf(data, BIG);
	trial_init(&t, 1, "cat");
	h = run(&t, data, BIG);
	is_int(h.code, 0, "cat ends");
	ok(h.out.len == BIG + 1 && memcmp(h.out.data, data, BIG) == 0,
	   "8 MB are relayed both ways");
	heard_done(&h);
	trial_init(&t, 3, "cat >/dev/null; echo $ARMADA_STEP_RANK of $ARMADA_STEP_SIZE");
	h = run(&t, data, BIG);
	is_int(h.code, 0, "three tasks read the same input");
	ok(strstr((char *)h.out.data, "0 of 3\n") && strstr((char *)h.out.data, "2 of 3\n"),
	   "each task knows its rank");
	heard_done(&h);
	trial_init(&t, 1, "true");
	h = run(&t, data, BIG);
	is_int(h.code, 0, "a task that does not read its input ends");
	heard_done(&h);
	free(data);
}

static void test_labels(void)
{
	struct heard h;
	struct trial t;

	trial_init(&t, 3,
		   "for i in 1 2 3; do echo line $i; done; printf 'no end'; "
		   "exit $ARMADA_STEP_RANK");
	t.plan.label = true;
	h = run(&t, "", 0);
	is_int(h.code, 2, "the exit code is the highest");
	for (int i = 0; i < 3; i++) {
		char line[32];

		snprintf(line, sizeof(line), "%d: line 3\n", i);
		has_str((char *)h.out.data, line, "the line of task %d has its label", i);
		snprintf(line, sizeof(line), "%d: no end\n", i);
		has_str((char *)h.out.data, line, "a line without newline has its label");
	}
	has_str((char *)h.err.data, "exited with code 2", "the failed task is named");
	heard_done(&h);
}

static void test_input_rank(void)
{
	struct heard h;
	struct trial t;

	trial_init(&t, 3, "cat; echo end $ARMADA_STEP_RANK");
	t.plan.label = true;
	t.plan.input = INPUT_ONE;
	t.plan.input_rank = 1;
	h = run(&t, "for one\n", 8);
	has_str((char *)h.out.data, "1: for one\n", "rank 1 gets its input");
	ok(!strstr((char *)h.out.data, "0: for one"), "rank 0 does not get the input");
	heard_done(&h);
}

static bool await_text(int fd, const char *text)
{
	struct buf all CLEANUP_BUF = {0};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char chunk[256];
	ssize_t n;

	while (poll(&p, 1, WAIT_MS) > 0 && (n = read(fd, chunk, sizeof(chunk))) > 0) {
		buf_add(&all, chunk, (size_t)n);
		if (strstr((char *)all.data, text))
			return true;
	}
	return false;
}

static void test_signals(void)
{
	struct trial t;

	trial_init(&t, 1,
		   "trap 'echo usr1' USR1; trap 'echo term; exit 4' TERM; echo up; "
		   "while :; do sleep 0.05; done");
	start(&t);
	ok(await_text(t.out, "up\n"), "the program runs");
	kill(t.arun, SIGUSR1);
	ok(await_text(t.out, "usr1\n"), "a signal is relayed");
	kill(t.arun, SIGTERM);
	ok(await_text(t.out, "term\n"), "a second signal is relayed");
	is_int(finish(&t), 4, "the program's exit code is relayed");
}

/* No process of the program is left after arun is killed. */
static void test_killed(void)
{
	struct trial t;
	char text[64] = "";
	ssize_t n;
	int pid, tries = 0;

	trial_init(&t, 1, "trap '' HUP TERM; (trap '' HUP TERM; sleep 1000) & echo $!; wait");
	start(&t);
	n = read(t.out, text, sizeof(text) - 1);
	ok(n > 0 && sscanf(text, "%d", &pid) == 1, "the program has a child");
	kill(t.arun, SIGKILL);
	is_int(finish(&t), 137, "arun is killed");
	while (n > 0 && kill(pid, 0) == 0 && tries++ < WAIT_MS / 10)
		sleep_ms(10);
	ok(kill(pid, 0) < 0 && errno == ESRCH, "the child of the program is gone");
}

static void test_broken_output(void)
{
	struct trial t;
	char chunk[4096];

	trial_init(&t, 1, "yes");
	start(&t);
	ok(read(t.out, chunk, sizeof(chunk)) > 0, "the program writes");
	close_fd(&t.out);
	is_int(finish(&t), 128 + SIGPIPE, "without a reader arun ends as in a pipeline");
}

static void test_terminal(void)
{
	struct heard h;
	struct trial t;

	trial_init(&t, 1,
		   "test -t 0 && test -t 1 && stty size; read line; echo got $line; read x || "
		   "echo end");
	t.plan.pty = true;
	h = run(&t, "word\n", 5);
	is_int(h.code, 0, "a program on a terminal ends");
	has_str((char *)h.out.data, "24 80\r\n", "the terminal has a size");
	has_str((char *)h.out.data, "got word\r\n", "the program reads a line");
	has_str((char *)h.out.data, "end\r\n", "the program reads the end of its input");
	heard_done(&h);
}

static int connect_to(const struct trial *t)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (getsockname(t->listeners.fds[0], (struct sockaddr *)&a, &len) < 0 ||
	    connect(fd, (struct sockaddr *)&a, len) < 0)
		bail("connect");
	return fd;
}

/* Other connections are dropped and change nothing. */
static void test_strangers(void)
{
	static const uint8_t wrong_key[HELLO_KEY] = {9}, random[HELLO_RANDOM] = {1};
	const struct hello as = {.rank = 0, .tasks = 1, .attempt = 1};
	uint8_t hello[HELLO_SIZE], noise[2000] = {7};
	struct heard h = {0};
	struct trial t;
	char c;
	int a, b, idle;

	trial_init(&t, 1, "echo mine");
	t.plan.verbose = true;
	start_arun(&t);
	a = connect_to(&t);
	b = connect_to(&t);
	idle = connect_to(&t);
	hello_make(wrong_key, &as, random, hello);
	ok(write(a, hello, sizeof(hello)) > 0 && read(a, &c, 1) <= 0,
	   "a hello with another key is dropped");
	ok(write(b, noise, sizeof(noise)) > 0 && read(b, &c, 1) <= 0, "noise is dropped");
	start_stub(&t, 0);
	exchange(&t, NULL, 0, &h.out, &h.err);
	h.code = finish(&t);
	is_int(h.code, 0, "the task runs");
	buf_addc(&h.err, '\0');
	has_str((char *)h.err.data, "2 unauthenticated connections were refused",
		"the dropped connections are counted");
	close(a);
	close(b);
	close(idle);
	heard_done(&h);
}

/* A valid hello that is recorded and sent again does not take the rank of the task. */
static void test_replayed(void)
{
	static const uint8_t random[HELLO_RANDOM] = {1};
	const struct hello as = {.rank = 0, .tasks = 1, .attempt = 1};
	uint8_t hello[HELLO_SIZE], answer[HELLO_ANSWER_SIZE], junk[64] = {0};
	struct heard h = {0};
	struct trial t;
	char c;
	int fd;

	trial_init(&t, 1, "echo mine");
	start_arun(&t);
	fd = connect_to(&t);
	hello_make(t.key, &as, random, hello);
	ok(write(fd, hello, sizeof(hello)) > 0 &&
		   recv(fd, answer, sizeof(answer), MSG_WAITALL) == HELLO_ANSWER_SIZE,
	   "a replayed hello gets an answer");
	ok(write(fd, junk, sizeof(junk)) > 0 && read(fd, &c, 1) <= 0,
	   "the replayed connection is dropped");
	close(fd);
	start_stub(&t, 0);
	exchange(&t, NULL, 0, &h.out, &h.err);
	is_int(finish(&t), 0, "the task has its rank");
	heard_done(&h);
}

enum { SILENT_CONNECTIONS = 600 };

/* A process that keeps connections open, which say nothing, and replaces each that is closed. */
static pid_t start_silent(const struct trial *t, int *ret_full)
{
	struct pollfd fds[SILENT_CONNECTIONS];
	int full[2];
	pid_t pid;

	if (pipe2(full, O_CLOEXEC) < 0)
		bail("pipe");
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < SILENT_CONNECTIONS; i++)
			fds[i] = (struct pollfd){.fd = connect_to(t), .events = POLLIN};
		if (write(full[1], "f", 1) < 0)
			_exit(1);
		while (poll(fds, SILENT_CONNECTIONS, -1) > 0)
			for (int i = 0; i < SILENT_CONNECTIONS; i++)
				if (fds[i].revents) {
					close(fds[i].fd);
					fds[i].fd = connect_to(t);
				}
		_exit(1);
	}
	close(full[1]);
	*ret_full = full[0];
	return pid;
}

/* Connections that say nothing give way to those of the tasks. */
static void test_silent(void)
{
	int64_t from_ms;
	struct heard h = {0};
	struct trial t;
	pid_t attacker;
	int full;
	char c;

	trial_init(&t, 3, "echo mine");
	start_arun(&t);
	attacker = start_silent(&t, &full);
	ok(read(full, &c, 1) == 1, "%d connections say nothing", SILENT_CONNECTIONS);
	from_ms = steady_ms();
	for (uint32_t i = 0; i < 3; i++)
		start_stub(&t, i);
	exchange(&t, NULL, 0, &h.out, &h.err);
	diag("three tasks ran in %d ms", (int)(steady_ms() - from_ms));
	is_int(finish(&t), 0, "the tasks run");
	buf_addc(&h.out, '\0');
	is_str((char *)h.out.data, "mine\nmine\nmine\n", "all of them");
	kill(attacker, SIGKILL);
	waitpid(attacker, NULL, 0);
	close(full);
	heard_done(&h);
}

static void test_nobody(void)
{
	struct heard h;
	struct trial t;

	trial_init(&t, 2, "true");
	t.no_stubs = true;
	t.plan.connect_timeout_ms = 100;
	h = run(&t, "", 0);
	is_int(h.code, 200, "arun returns an error if no task connects");
	has_str((char *)h.err.data, "0 of 2 tasks connected",
		"the message has the number of tasks");
	has_str((char *)h.err.data, "missing: 0,1", "the message names the missing tasks");
	heard_done(&h);
}

int main(void)
{
	if (sodium_init() < 0)
		bail("libsodium");
	test_says("echo hello; exit 3", "", 3, "hello\n", "a command");
	test_says("cat", "a\nb", 0, "a\nb", "input without a last newline");
	test_says("head -c 3 </dev/zero | tr '\\0' x", "", 0, "xxx", "a pipeline");
	test_says("(sleep 0.2; echo late) & exit 0", "", 0, "late\n",
		  "output that arrives shortly after the end of the program");
	test_errors();
	test_large();
	test_labels();
	test_input_rank();
	test_signals();
	test_killed();
	test_broken_output();
	test_terminal();
	test_strangers();
	test_replayed();
	test_silent();
	test_nobody();
	return done();
}

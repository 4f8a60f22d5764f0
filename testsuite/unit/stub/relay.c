/*
 * The signals that a shepherd sends to one step (stub/signal.h): passed to the program, or the end of the
 * step. The stub is a child of the test, which is arun and the shepherd; its program is the test again, which
 * writes the names of its signals.
 */
#include "stub/relay.h"

#include "stub/signal.h"
#include "tap/tap.h"
#include "util/le.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_GRACE = 0, LONG_GRACE = 3600 * 1000, SILENT_SECONDS = 300, QUIT_CODE = 7 };

static const uint8_t key[HELLO_KEY] = {1, 2, 3};
static const uint8_t random_stub[HELLO_RANDOM] = {5}, random_arun[HELLO_RANDOM] = {6};
static const struct hello hello = {.rank = 0, .tasks = 1, .attempt = 1};

/* A stub, as arun sees it. */
struct stub {
	pid_t pid;
	int fd;
	struct stream *stream;
	struct buf out; /* of the program */
	bool started, ended;
	int exit_code, signal;
};

/* ---- the program ---- */

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

/* Writes what arrives. It survives SIGTERM, or exits. */
static int program(bool quits)
{
	sigset_t mask;
	int sig;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	say("up\n");
	while (sigwait(&mask, &sig) == 0) {
		say(sig == SIGUSR1 ? "usr1\n" : sig == SIGUSR2 ? "usr2\n" : "term\n");
		if (sig == SIGTERM && quits)
			return QUIT_CODE;
	}
	return 1;
}

/* ---- the stub ---- */

static void flush(int fd, struct stream *s)
{
	struct buf *out = stream_out(s);

	while (out->len) {
		ssize_t n = send(fd, out->data, out->len, MSG_NOSIGNAL);

		if (n <= 0 && errno != EINTR)
			bail("send: %s", strerror(errno));
		buf_drop(out, n > 0 ? (size_t)n : 0);
	}
}

static void feed(int fd, struct stream *s)
{
	uint8_t data[4096];
	ssize_t n;

	do
		n = recv(fd, data, sizeof(data), 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		bail("nothing arrives: %s", n ? strerror(errno) : "end of file");
	stream_feed(s, data, (size_t)n);
}

static _Noreturn void be_the_stub(int fd, const char *word, int64_t grace_ms)
{
	char *argv[] = {(char *)"/proc/self/exe", (char *)(uintptr_t)word, NULL};
	char *envp[] = {NULL};
	Armada__StubPayload message = ARMADA__STUB_PAYLOAD__INIT;
	const struct payload p = {.message = &message,
				  .argv = argv,
				  .envp = envp,
				  .grace_ms = grace_ms,
				  .node = "n1"};
	struct stream *s = stream_new_stub(key, &hello, random_stub);
	struct relay_end end;

	message.step = true;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	relay_hold_signal();
	flush(fd, s);
	while (stream_state(s) == STREAM_HELLO)
		feed(fd, s);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	relay_run(&p, fd, s, NULL, &end);
	stream_free(s);
	_exit(end.signal ? 128 + end.signal : end.exit_code);
}

/* The stub holds its signal when this returns, and waits for the answer of arun. */
static struct stub stub_new(const char *word, int64_t grace_ms)
{
	const struct timeval silent = {.tv_sec = SILENT_SECONDS};
	struct stub s = {.stream = stream_new_arun(key, STREAM_WINDOW_MIN, random_arun)};
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		bail("socketpair: %s", strerror(errno));
	s.pid = fork();
	if (s.pid < 0)
		bail("fork: %s", strerror(errno));
	if (s.pid == 0) {
		close(fds[0]);
		be_the_stub(fds[1], word, grace_ms);
	}
	close(fds[1]);
	s.fd = fds[0];
	setsockopt(s.fd, SOL_SOCKET, SO_RCVTIMEO, &silent, sizeof(silent));
	while (stream_state(s.stream) == STREAM_HELLO)
		feed(s.fd, s.stream);
	return s;
}

static void take(struct stub *s, const struct stream_frame *f)
{
	if (f->type == STREAM_STARTED) {
		s->started = true;
	} else if (f->type == STREAM_STDOUT) {
		buf_add(&s->out, f->body, f->len);
		stream_consumed(s->stream, f->len);
	} else if (f->type == STREAM_ENDED) {
		s->ended = true;
		s->exit_code = (int)le_get(f->body, 4);
		s->signal = (int)le_get(f->body + 4, 4);
	}
}

static void receive(struct stub *s)
{
	struct stream_frame f;

	feed(s->fd, s->stream);
	while (stream_next(s->stream, &f) > 0)
		take(s, &f);
}

/* Answers the hello, and has the program started. */
static void begin(struct stub *s)
{
	flush(s->fd, s->stream);
	while (!s->started)
		receive(s);
	stream_send(s->stream, STREAM_BEGIN, NULL, 0);
	flush(s->fd, s->stream);
}

/* Until the program has written all of this. */
static void wait_for(struct stub *s, const char *text)
{
	while (!s->ended && s->out.len < strlen(text))
		receive(s);
}

static void wait_for_end(struct stub *s)
{
	while (!s->ended)
		receive(s);
}

static const char *written(struct stub *s)
{
	buf_reserve(&s->out, 1);
	s->out.data[s->out.len] = '\0';
	return (const char *)s->out.data;
}

/* As the shepherd does it. */
static void shepherd_sends(const struct stub *s, int wish)
{
	if (sigqueue(s->pid, STUB_SIGNAL, (union sigval){.sival_int = wish}) < 0)
		bail("sigqueue: %s", strerror(errno));
}

/* Arun closes the connection. Returns the exit code of the stub. */
static int stub_done(struct stub *s)
{
	int status = 0;

	close(s->fd);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	stream_free(s->stream);
	buf_done(&s->out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* ---- tests ---- */

static void test_passes(void)
{
	struct stub s = stub_new("stays", LONG_GRACE);

	begin(&s);
	wait_for(&s, "up\n");
	kill(s.pid, STUB_SIGNAL); /* those of one number arrive in order */
	shepherd_sends(&s, -1);
	shepherd_sends(&s, SIGRTMAX + 1);
	shepherd_sends(&s, SIGUSR1);
	wait_for(&s, "up\nusr1\n");
	is_str(written(&s), "up\nusr1\n",
	       "the program gets the signal; one without a value, and numbers of none, are ignored");
	shepherd_sends(&s, SIGUSR2);
	wait_for(&s, "up\nusr1\nusr2\n");
	is_str(written(&s), "up\nusr1\nusr2\n", "and another one");
	shepherd_sends(&s, SIGKILL);
	wait_for_end(&s);
	is_int(s.signal, SIGKILL, "SIGKILL is passed, too");
	is_int(stub_done(&s), 128 + SIGKILL, "the stub ends in the same way");
}

static void test_ends(void)
{
	struct stub s = stub_new("quits", LONG_GRACE);

	begin(&s);
	wait_for(&s, "up\n");
	shepherd_sends(&s, 0);
	wait_for_end(&s);
	is_str(written(&s), "up\nterm\n", "a step that is ended gets SIGTERM");
	ok(s.exit_code == QUIT_CODE && !s.signal, "and may exit within its grace period");
	is_int(stub_done(&s), QUIT_CODE, "its exit code is passed on");
}

static void test_kills(void)
{
	struct stub s = stub_new("stays", NO_GRACE);

	begin(&s);
	wait_for(&s, "up\n");
	shepherd_sends(&s, 0);
	wait_for_end(&s);
	is_int(s.signal, SIGKILL, "after the grace period it is killed");
	is_int(stub_done(&s), 128 + SIGKILL, "the stub ends in the same way");
}

/* The signal waits until relay_run(), and the program is not started any more. */
static void test_early(void)
{
	struct stub s = stub_new("quits", LONG_GRACE);

	shepherd_sends(&s, 0);
	begin(&s);
	wait_for_end(&s);
	is_int(s.signal, SIGTERM, "a step that is ended early counts as ended by SIGTERM");
	is_str(written(&s), "", "its program never ran");
	is_int(stub_done(&s), 128 + SIGTERM, "the stub ends in the same way");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return program(strcmp(argv[1], "quits") == 0);
	if (sodium_init() < 0)
		bail("libsodium");
	test_passes();
	test_ends();
	test_kills();
	test_early();
	return done();
}

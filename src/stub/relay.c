/*
 * The loop of a stub: starts the program when arun sends BEGIN, and relays its input and output
 * (relay.h). Input: frames of arun, output of the program, SIGCHLD and SIGTERM. Output: frames to
 * arun, input for the program, and how the program ended.
 *
 * Flow control: output is read from the program only while arun's window and the send buffer have
 * room; input counts as consumed when the program has read it. After the program has ended, its
 * output is drained until the pipes close or LINGER_MS pass without data, because background
 * processes may hold them open.
 */
#include "stub/relay.h"

#include "stub/child.h"
#include "stub/signal.h"
#include "util/clock.h"
#include "util/le.h"
#include "util/mem.h"
#include "util/reap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	OUT_MAX = 256 << 10, /* sealed and not yet sent */
	LINGER_MS = 1000,    /* wait for output of background processes */
	LOOK_AGAIN_MS = 20,
	EXIT_NO_MPI = 126,
	END_OF_INPUT = 4, /* the end-of-input character of a terminal */
};

enum phase { WAITING, RUNNING, DRAINING, REPORTED };

struct relay {
	const struct payload *p;
	struct stream *stream;
	int fd, signals;
	enum phase phase;
	struct child child;
	struct winsize size;
	struct stub_mpi *mpi; /* NULL: none */
	struct buf in;        /* for the program */
	bool in_ended;
	bool lost;   /* the connection */
	bool ending; /* SIGTERM was received, or the step is ended */
	int64_t until_ms;
	int64_t kill_ms; /* when its processes are killed; 0: not */
	struct relay_end end;
	uint8_t chunk[STREAM_DATA_MAX];
};

static int64_t now_ms(void)
{
	return clock_us(CLOCK_MONOTONIC) / 1000;
}

static void send_ended(struct relay *r, const char *text)
{
	size_t len = strlen(text);
	uint8_t body[8 + STREAM_TEXT_MAX];

	if (len > STREAM_TEXT_MAX)
		len = STREAM_TEXT_MAX;
	le_put(body, (uint32_t)r->end.exit_code, 4);
	le_put(body + 4, (uint32_t)r->end.signal, 4);
	memcpy(body + 8, text, len);
	stream_send(r->stream, STREAM_ENDED, body, 8 + len);
	r->phase = REPORTED;
}

static int start_program(struct relay *r, struct err *err)
{
	struct child_plan plan = {
		.argv = r->p->argv,
		.envp = r->p->envp,
		.chdir = r->p->chdir,
		.pty = r->p->message->pty,
		.size = r->size,
		.inherited = -1,
	};
	int rc = r->mpi ? stub_mpi_open(r->mpi, &plan, err) : 0;

	if (rc < 0)
		r->end.exit_code = EXIT_NO_MPI;
	else
		rc = child_start(&plan, &r->child, &r->end.exit_code, err);
	if (r->mpi)
		stub_mpi_started(r->mpi);
	return rc;
}

static void begin(struct relay *r)
{
	struct err err = {{0}};

	if (r->phase != WAITING)
		return;
	if (r->ending) {
		/* the program is not running yet, so SIGTERM did not reach it */
		r->end = (struct relay_end){.signal = SIGTERM};
		send_ended(r, "");
		return;
	}
	if (start_program(r, &err) == 0)
		r->phase = RUNNING;
	else
		send_ended(r, err.text);
}

static void resize(struct relay *r, const uint8_t *body)
{
	unsigned short part[4];

	for (int i = 0; i < 4; i++)
		part[i] = (unsigned short)(body[2 * i] | body[2 * i + 1] << 8);
	r->size = (struct winsize){part[0], part[1], part[2], part[3]};
	if (r->phase == RUNNING)
		child_resize(&r->child, &r->size);
}

static void handle_frame(struct relay *r, const struct stream_frame *f)
{
	switch (f->type) {
	case STREAM_BEGIN:
		begin(r);
		break;
	case STREAM_STDIN:
		if (r->child.in >= 0 || r->phase == WAITING)
			buf_add(&r->in, f->body, f->len);
		else
			stream_consumed(r->stream, f->len);
		break;
	case STREAM_STDIN_END:
		r->in_ended = true;
		break;
	case STREAM_SIGNAL: {
		uint32_t sig = (uint32_t)le_get(f->body, 4);

		if (r->phase == RUNNING && sig > 0 && sig <= (uint32_t)SIGRTMAX)
			child_signal(&r->child, (int)sig);
		break;
	}
	case STREAM_SIZE:
		resize(r, f->body);
		break;
	case STREAM_NODES:
	case STREAM_MERGED:
	case STREAM_FENCED:
		r->lost |= !r->mpi || stub_mpi_receive(r->mpi, f) < 0;
		break;
	}
}

static void receive(struct relay *r)
{
	ssize_t n = recv(r->fd, r->chunk, sizeof(r->chunk), 0);
	struct stream_frame f;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		r->lost = true;
		return;
	}
	stream_feed(r->stream, r->chunk, (size_t)n);
	while (stream_next(r->stream, &f) > 0)
		handle_frame(r, &f);
	if (stream_state(r->stream) == STREAM_FAILED)
		r->lost = true;
}

static void flush(struct relay *r)
{
	struct buf *out = stream_out(r->stream);
	ssize_t n = out->len ? send(r->fd, out->data, out->len, MSG_NOSIGNAL) : 0;

	if (n > 0)
		buf_drop(out, (size_t)n);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		r->lost = true;
}

/* Drop input that the program will not read; otherwise arun would wait for the window. */
static void close_input(struct relay *r)
{
	stream_consumed(r->stream, r->in.len);
	buf_clear(&r->in);
	if (r->child.pty)
		return;
	close_fd(&r->child.in);
}

static void end_input(struct relay *r)
{
	const uint8_t end = END_OF_INPUT;

	r->in_ended = false;
	if (r->child.pty) {
		ssize_t n = write(r->child.in, &end, 1);

		(void)n;
	} else {
		close_fd(&r->child.in);
	}
}

static void write_input(struct relay *r)
{
	ssize_t n = 0;

	if (r->child.in < 0)
		return;
	if (r->in.len)
		n = write(r->child.in, r->in.data, r->in.len);
	if (n > 0) {
		buf_drop(&r->in, (size_t)n);
		stream_consumed(r->stream, (size_t)n);
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		close_input(r);
	}
	if (r->in_ended && r->in.len == 0 && r->child.in >= 0)
		end_input(r);
}

static size_t may_read(const struct relay *r)
{
	size_t room = stream_room(r->stream);

	if (stream_out(r->stream)->len >= OUT_MAX)
		return 0;
	return room < sizeof(r->chunk) ? room : sizeof(r->chunk);
}

static void read_output(struct relay *r, int *fd, enum stream_type type)
{
	size_t max = may_read(r);
	ssize_t n;

	if (*fd < 0 || max == 0)
		return;
	n = read(*fd, r->chunk, max);
	if (n > 0)
		stream_send(r->stream, type, r->chunk, (size_t)n);
	/* EIO: no process has the terminal open */
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_fd(fd);
	if (n > 0 && r->phase == DRAINING)
		r->until_ms = now_ms() + LINGER_MS;
}

static void end_step(struct relay *r)
{
	r->ending = true;
	if (r->phase != RUNNING || r->kill_ms)
		return;
	child_signal(&r->child, SIGTERM);
	child_signal(&r->child, SIGCONT);
	r->kill_ms = now_ms() + r->p->grace_ms;
}

/* The shepherd sends a signal to this step alone; only sigqueue() gives a value. */
static void take_step_signal(struct relay *r, const struct signalfd_siginfo *info)
{
	if (info->ssi_code != SI_QUEUE)
		return;
	if (info->ssi_int == 0)
		end_step(r);
	else if (r->phase == RUNNING && info->ssi_int > 0 && info->ssi_int <= SIGRTMAX)
		child_signal(&r->child, info->ssi_int);
}

/* SIGKILL is repeated, because processes may fork faster than they die. */
static void kill_step(struct relay *r)
{
	if (r->phase != RUNNING || !r->kill_ms || now_ms() < r->kill_ms)
		return;
	child_signal_left(SIGKILL);
	r->kill_ms = now_ms() + LINGER_MS;
}

static void reap(struct relay *r)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(r->signals, &info, sizeof(info)) > 0) {
		r->ending |= info.ssi_signo == SIGTERM;
		if (info.ssi_signo == (uint32_t)STUB_SIGNAL)
			take_step_signal(r, &info);
	}
	while ((pid = reap_ended(&status)) > 0) {
		if (r->phase != RUNNING || pid != r->child.pid)
			continue;
		r->end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
		r->end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		if (r->mpi)
			stub_mpi_ended(r->mpi,
				       r->end.signal ? 128 + r->end.signal : r->end.exit_code);
		r->phase = DRAINING;
		r->until_ms = now_ms() + LINGER_MS;
	}
}

enum { AT_CONNECTION, AT_SIGNALS, AT_INPUT, AT_OUTPUT, AT_ERRORS, AT_MPI, FDS };

static void wait_for_something(struct relay *r, struct pollfd fds[FDS])
{
	bool started = r->phase == RUNNING || r->phase == DRAINING, room = may_read(r) > 0;
	bool input = r->in.len || r->in_ended;
	int64_t left = -1;

	fds[AT_CONNECTION] = (struct pollfd){.fd = r->fd, .events = POLLIN};
	if (stream_out(r->stream)->len)
		fds[AT_CONNECTION].events |= POLLOUT;
	fds[AT_SIGNALS] = (struct pollfd){.fd = r->signals, .events = POLLIN};
	fds[AT_INPUT] =
		(struct pollfd){.fd = started && input ? r->child.in : -1, .events = POLLOUT};
	fds[AT_OUTPUT] =
		(struct pollfd){.fd = started && room ? r->child.out : -1, .events = POLLIN};
	fds[AT_ERRORS] =
		(struct pollfd){.fd = started && room ? r->child.err : -1, .events = POLLIN};
	fds[AT_MPI] = (struct pollfd){.fd = -1};
	if (r->mpi && r->phase == RUNNING)
		fds[AT_MPI].fd = stub_mpi_poll_fd(r->mpi, &fds[AT_MPI].events);
	if (r->phase == DRAINING && room) {
		left = r->until_ms - now_ms();
		left = left < 0 ? 0 : left;
	}
	if (r->phase == RUNNING && r->kill_ms)
		left = r->kill_ms > now_ms() ? r->kill_ms - now_ms() : 0;
	poll(fds, FDS, (int)left);
}

/*
 * True if no output remains and none is expected. Without room in the window the wait starts again.
 */
static bool drained(struct relay *r)
{
	if (r->child.out < 0 && r->child.err < 0)
		return true;
	if (may_read(r) == 0)
		r->until_ms = now_ms() + LINGER_MS;
	return now_ms() >= r->until_ms;
}

static bool goes_on(struct relay *r)
{
	if (r->phase == DRAINING && drained(r))
		send_ended(r, "");
	return !r->lost;
}

static void carry(struct relay *r)
{
	struct pollfd fds[FDS];

	while (goes_on(r)) {
		wait_for_something(r, fds);
		if (fds[AT_MPI].revents)
			stub_mpi_ready(r->mpi);
		if (fds[AT_SIGNALS].revents)
			reap(r);
		kill_step(r);
		if (fds[AT_OUTPUT].revents)
			read_output(r, &r->child.out, STREAM_STDOUT);
		if (fds[AT_ERRORS].revents)
			read_output(r, &r->child.err, STREAM_STDERR);
		if (fds[AT_INPUT].revents)
			write_input(r);
		if (fds[AT_CONNECTION].revents & ~POLLOUT)
			receive(r);
		flush(r);
	}
}

static void pause_ms(int64_t ms)
{
	struct timespec t = {.tv_nsec = ms * 1000000};

	nanosleep(&t, NULL);
}

/* Wait up to ms until no child is left. */
static bool none_left(int64_t ms)
{
	int64_t until_ms = now_ms() + ms;

	while (child_any_left()) {
		if (now_ms() >= until_ms)
			return false;
		pause_ms(LOOK_AGAIN_MS);
	}
	return true;
}

/* The connection to arun is lost before the program ended: end the program. */
static void abandon(struct relay *r)
{
	r->end = (struct relay_end){.signal = SIGHUP};
	child_signal(&r->child, SIGHUP);
	child_signal(&r->child, SIGCONT);
	child_signal(&r->child, SIGTERM);
}

/*
 * Kill what a step left behind. The shepherd does this for a task, but a task may have several
 * steps.
 */
static void clean_up(struct relay *r)
{
	if (!child_any_left())
		return;
	child_signal_left(SIGTERM);
	child_signal_left(SIGCONT);
	if (none_left(r->p->grace_ms))
		return;
	do {
		child_signal_left(SIGKILL);
	} while (!none_left(LOOK_AGAIN_MS));
}

static int take_signals(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t mask;

	/* signals go to the program too, or the node sends them to all processes of the task */
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGCHLD && sig != SIGTERM && sig != STUB_SIGNAL && sig != SIGSEGV &&
		    sig != SIGBUS && sig != SIGABRT)
			sigaction(sig, &ignore, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, STUB_SIGNAL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
}

void relay_hold_signal(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, STUB_SIGNAL);
	sigprocmask(SIG_BLOCK, &mask, NULL);
}

void relay_run(const struct payload *p, int fd, struct stream *s, struct stub_mpi *mpi,
	       struct relay_end *ret_end)
{
	struct relay r = {
		.p = p,
		.stream = s,
		.fd = fd,
		.signals = take_signals(),
		.mpi = mpi,
		.child = {.in = -1, .out = -1, .err = -1},
		.size = {.ws_row = 24, .ws_col = 80},
		.end = {.exit_code = 1},
	};
	stream_send(s, STREAM_STARTED, p->node, strlen(p->node));
	carry(&r);
	shutdown(fd, SHUT_RDWR);
	if (r.phase == RUNNING)
		abandon(&r);
	close_fd(&r.child.in);
	close_fd(&r.child.out);
	close_fd(&r.child.err);
	if (p->message->step || r.phase == RUNNING)
		clean_up(&r);
	close_fd(&r.signals);
	buf_done(&r.in);
	*ret_end = r.end;
}

/*
 * Runs the site's fence program for silent nodes (fence.h). Input: program, node, time limit.
 * Output: a call of `done` with the result. Each program is a child in a process group of its own,
 * which is killed at its time limit. Only exit status 0 within the limit proves that the node is
 * dead.
 */
#include "armctld/fence.h"

#include "util/mem.h"
#include "util/program.h"
#include "util/units.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FENCES_AT_ONCE = 32, WORDS_MAX = 256 };

struct fence {
	struct fences *all;
	char *node;
	uint64_t seq;
	pid_t pid;    /* 0: it could not be started */
	int exited;   /* pidfd; -1: none */
	int error_fd; /* its standard error; -1: none */
	struct event *ended, *late;
	struct timeval timeout;
	bool is_late;
	char text[WORDS_MAX];
	LIST_ENTRY(fence) entry;
};

struct fences {
	struct event_base *base;
	fence_done *done;
	void *arg;
	size_t count;
	LIST_HEAD(, fence) list;
};

struct fences *fences_new(struct event_base *base, fence_done *done, void *arg)
{
	struct fences *f = xcalloc(1, sizeof(*f));

	f->base = base;
	f->done = done;
	f->arg = arg;
	return f;
}

static void free_fence(struct fence *x)
{
	LIST_REMOVE(x, entry);
	x->all->count--;
	if (x->ended)
		event_free(x->ended);
	if (x->late)
		event_free(x->late);
	if (x->exited >= 0)
		close(x->exited);
	if (x->error_fd >= 0)
		close(x->error_fd);
	free(x->node);
	free(x);
}

/* The text that the program wrote to its standard error, as one line. */
static const char *error_line(struct fence *x, char ret[WORDS_MAX])
{
	ssize_t n, len = 0;

	while (x->error_fd >= 0 && len < WORDS_MAX - 1 &&
	       (n = read(x->error_fd, ret + len, (size_t)(WORDS_MAX - 1 - len))) > 0)
		len += n;
	ret[len] = '\0';
	while (len > 0 && (unsigned char)ret[len - 1] <= ' ')
		ret[--len] = '\0';
	for (ssize_t i = 0; i < len; i++)
		if ((unsigned char)ret[i] < ' ' || (unsigned char)ret[i] >= 127)
			ret[i] = ' ';
	return ret;
}

static void finish(struct fence *x, bool fenced)
{
	struct fences *f = x->all;
	char *node = xstrdup(x->node), text[2 * WORDS_MAX];
	uint64_t seq = x->seq;

	snprintf(text, sizeof(text), "%s", x->text);
	free_fence(x);
	f->done(f->arg, node, seq, fenced, text);
	free(node);
}

static void on_ended(evutil_socket_t fd, short what, void *arg)
{
	struct fence *x = arg;
	char words[WORDS_MAX];
	int status = 0;

	(void)fd, (void)what;
	if (x->pid && waitpid(x->pid, &status, 0) == x->pid && !x->is_late) {
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
			x->text[0] = '\0';
			finish(x, true);
			return;
		}
		error_line(x, words);
		if (WIFSIGNALED(status))
			snprintf(x->text, sizeof(x->text), "killed by signal %d", WTERMSIG(status));
		else
			snprintf(x->text, sizeof(x->text), "exit status %d%s%.180s",
				 WEXITSTATUS(status), words[0] ? ": " : "", words);
	}
	finish(x, false);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	struct fence *x = arg;

	(void)fd, (void)what;
	x->is_late = true;
	snprintf(x->text, sizeof(x->text), "it ran longer than %s",
		 duration_words(x->timeout.tv_sec * INT64_C(1000000)).text);
	kill(-x->pid, SIGKILL);
}

static int start(struct fence *x, const char *program)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	x->pid = fork();
	if (x->pid == 0)
		program_exec(program, x->node, fds[1]);
	close(fds[1]);
	x->error_fd = fds[0];
	if (x->pid < 0) {
		x->pid = 0;
		return -errno;
	}
	x->exited = (int)syscall(SYS_pidfd_open, x->pid, 0);
	return x->exited < 0 ? -errno : 0;
}

static void watch(struct fence *x)
{
	struct fences *f = x->all;

	x->ended = event_new(f->base, x->exited, EV_READ, on_ended, x);
	event_add(x->ended, NULL);
	x->late = evtimer_new(f->base, on_late, x);
	event_add(x->late, &x->timeout);
}

void fences_add(struct fences *f, const char *program, int64_t timeout_us, const char *node,
		uint64_t seq)
{
	struct fence *x = xcalloc(1, sizeof(*x));
	int rc = -EAGAIN;

	x->all = f;
	x->node = xstrdup(node);
	x->seq = seq;
	x->exited = x->error_fd = -1;
	x->timeout.tv_sec = timeout_us / 1000000;
	x->timeout.tv_usec = timeout_us % 1000000;
	LIST_INSERT_HEAD(&f->list, x, entry);
	if (f->count++ < FENCES_AT_ONCE && *program)
		rc = start(x, program);
	if (rc == 0) {
		watch(x);
		return;
	}
	if (x->pid > 0)
		kill(x->pid, SIGKILL);
	snprintf(x->text, sizeof(x->text), "it could not be started: %s", strerror(-rc));
	x->is_late = true;
	x->ended = event_new(f->base, -1, 0, on_ended, x);
	event_active(x->ended, EV_TIMEOUT, 0);
}

void fences_free(struct fences *f)
{
	struct fence *x;

	if (!f)
		return;
	while ((x = LIST_FIRST(&f->list))) {
		if (x->pid > 0) {
			kill(-x->pid, SIGKILL);
			waitpid(x->pid, NULL, 0);
		}
		free_fence(x);
	}
	free(f);
}

/*
 * Writes the last line of a task's output. Input: the text of the kill order, or the end of a task that
 * the node ended; the body with the names of the files. Output: a line at the end of a file of the user.
 *
 * A child process writes it as the user, in the containment and the directory of the task, because the
 * file system may be slow, refuse root, or be changed by the user meanwhile. Only a plain file is written,
 * and no file is made. A child that takes too long is killed and left to the launcher, which reaps it.
 */
#include "armd/shepherd/last_line.h"

#include "armd/pipe/body.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"
#include "util/visible.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000, KEPT_FD = 3 };

const char *shepherd_read_told(struct shepherd *s, int fd)
{
	CLEANUP_BUF struct buf shown = {0};
	CLEANUP_FREE uint8_t *text = NULL;
	struct err ignored;
	size_t len;

	if (pipe_body_read(fd, &text, &len, &ignored) < 0 || !len || len > ORDER_TEXT_MAX)
		return NULL;
	visible_add_bytes(&shown, text, len, false);
	return arena_strdup(s->arena, (const char *)shown.data);
}

static const char *file_of(const Armada__TaskBody *b)
{
	return b->error && *b->error ? b->error : b->output;
}

/* A child that hangs must not hold the lock of the attempt's file. It keeps the pipe. */
static void keep_only(int fd)
{
	if (dup3(fd, KEPT_FD, O_CLOEXEC) < 0 && fd != KEPT_FD)
		_exit(1);
	close_range(KEPT_FD + 1, ~0U, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int open_file(const char *path)
{
	int flags = O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
	int fd = open(path, O_RDWR | flags);

	return fd < 0 ? open(path, O_WRONLY | flags) : fd;
}

/* In the child. An unfinished line of the task is finished first. */
static void write_line(const struct shepherd *s, int pipe_fd, const struct buf *line)
{
	const struct task t = {
		.body = s->body,
		.privileged = shepherd_privileged(),
		.contain = s->task->contain,
		.contain_handle = s->contain,
		.shepherd = getpid(),
		.cpus = s->is_bound ? s->bound : NULL,
	};
	char last = '\n';
	struct stat st;
	struct err ignored;
	int fd;

	if (task_become(&t, &ignored) < 0 || (s->body->chdir[0] && chdir(s->body->chdir) < 0))
		return;
	keep_only(pipe_fd);
	fd = open_file(file_of(s->body));
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	/* the line begins with a newline */
	if (st.st_size > 0)
		(void)!pread(fd, &last, 1, st.st_size - 1);
	if (write(fd, line->data + (last == '\n'), line->len - (last == '\n')) < 0)
		_exit(1);
}

/* The pipe closes when the child has ended. */
static void wait_for(pid_t pid, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + PATIENCE_MS * INT64_C(1000);
	int64_t left_ms = PATIENCE_MS;

	while (left_ms > 0 && poll(&p, 1, (int)left_ms) < 0)
		left_ms = (until_us - clock_us(CLOCK_BOOTTIME)) / 1000;
	if (!p.revents)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, p.revents ? 0 : WNOHANG);
}

const char *shepherd_told_by_end(const struct shepherd *s, Armada__EndCause cause, const char *text)
{
	static const char oom[] = "oom: ";

	switch (cause) {
	case ARMADA__END_CAUSE__END_OUT_OF_MEMORY:
		return strncmp(text, oom, strlen(oom)) == 0 ? text + strlen(oom) : text;
	case ARMADA__END_CAUSE__END_TIME_LIMIT:
		return s->body->key->rank ? NULL : text; /* all tasks have the same limit */
	case ARMADA__END_CAUSE__END_SHUTDOWN:
		return "its machine is being shut down";
	case ARMADA__END_CAUSE__END_LEASE:
		return "its node had no contact with the controller for longer than the lease";
	default:
		return NULL;
	}
}

static void make_line(const struct shepherd *s, struct buf *line)
{
	char when[48];

	format_time(s->end_us, when, sizeof(when));
	buf_addf(line, "\narmada: job %llu", (unsigned long long)s->body->key->job);
	if (s->body->key->element)
		buf_addf(line, "_%u", s->body->key->element);
	buf_addf(line, " was ended on %s at %s: %s\n", s->task->node_name, when, s->told);
}

void shepherd_last_line(struct shepherd *s)
{
	CLEANUP_BUF struct buf line = {0};
	const char *file = s->told && s->start_us && !s->body->interactive ? file_of(s->body) : "";
	int ends[2];
	pid_t pid;

	if (!file || !*file || !s->contain || pipe2(ends, O_CLOEXEC) < 0)
		return;
	make_line(s, &line);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		write_line(s, ends[1], &line);
		_exit(0);
	}
	close(ends[1]);
	if (pid > 0)
		wait_for(pid, ends[0]);
	close(ends[0]);
}

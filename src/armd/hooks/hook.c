/*
 * Runs programs of the site (hook.h). Input: a program with its arguments, time limit and
 * environment. Output: success, or one sentence that names the program, its first line of output
 * and how it ended.
 *
 * Three processes take part: the caller, the runner that it forks, and the program. The runner is a
 * child subreaper, so every process that the program leaves behind becomes a child of the runner
 * and is killed. A program that hangs in the kernel survives SIGKILL; the runner then returns after
 * the time limit and KILL_US.
 */
#include "armd/hooks/hook.h"

#include "armd/hooks/orphans.h"
#include "proto/check.h"
#include "util/clock.h"
#include "util/buf.h"
#include "util/mem.h"
#include "util/program.h"
#include "util/units.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MAX = 4096, POLL_MS = 1000, KILL_POLL_MS = 5, KILL_US = 5000000 };

/* ---- which programs ---- */

static bool is_ours(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

/*
 * In a sticky directory such as /tmp, every user can create files, but cannot replace files of
 * others.
 */
static bool is_safe(const struct stat *st)
{
	return is_ours(st) &&
	       (!(st->st_mode & 022) || (S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX));
}

static int check_directories(const char *path, struct err *err)
{
	CLEANUP_FREE char *copy = xstrdup(path);
	struct stat st;

	for (char *slash = strrchr(copy, '/'); slash; slash = strrchr(copy, '/')) {
		*slash = '\0';
		if (stat(*copy ? copy : "/", &st) < 0)
			return err_sys(err, -errno, "%s", *copy ? copy : "/");
		if (!is_safe(&st))
			return err_set(err, -EPERM,
				       "users other than root can write to %s, so they "
				       "could replace the program",
				       *copy ? copy : "/");
	}
	return 0;
}

static int check_file(const char *path, struct err *err)
{
	struct stat st;

	if (path[0] != '/')
		return err_set(err, -EINVAL, "the path must be absolute");
	if (stat(path, &st) < 0)
		return err_sys(err, -errno, "cannot find it");
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return err_set(err, -EACCES, "it is not an executable file: run chmod +x");
	if (!is_ours(&st))
		return err_set(err, -EPERM, "it belongs to uid %u, not to root", st.st_uid);
	if (st.st_mode & 022)
		return err_set(
			err, -EPERM,
			"users other than its owner can write to it (mode %04o): run chmod go-w",
			st.st_mode & 07777);
	return check_directories(path, err);
}

/* Check the directories of the path as given, and of the path with links resolved. */
static int check_program(const char *path, struct err *err)
{
	CLEANUP_FREE char *real = NULL;
	int rc = check_file(path, err);

	if (rc < 0)
		return rc;
	real = realpath(path, NULL);
	if (!real)
		return err_sys(err, -errno, "cannot find it");
	return check_directories(real, err);
}

int hook_check(const struct hook *h, struct err *err)
{
	int rc;

	if (!h->argc)
		return 0;
	if (h->argc > HOOK_ARGV_MAX)
		return err_set(err, -EINVAL, "%s: more than %d arguments", h->what, HOOK_ARGV_MAX);
	rc = check_program(h->argv[0], err);
	return rc < 0 ? err_prefix(err, rc, "%s %s", h->what, h->argv[0]) : 0;
}

/* ---- the program's process ---- */

static int become_program(int output, hook_become *become, const void *arg, struct err *err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		return err_sys(err, -errno, "cannot open its standard files");
	if (setsid() < 0 || (!become && chdir("/") < 0))
		return err_sys(err, -errno, "cannot detach from the caller");
	umask(022);
	if (become && become(arg, err) < 0)
		return -EPERM;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* set again, because a change of identity clears it */
	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		return err_sys(err, -errno, "close_range");
	program_reset_signals();
	return 0;
}

static _Noreturn void execute(const struct hook *h, char *const *envp, int output,
			      hook_become *become, const void *arg)
{
	const char *argv[HOOK_ARGV_MAX + 1] = {NULL};
	struct err err;

	for (size_t i = 0; i < h->argc; i++)
		argv[i] = h->argv[i];
	if (become_program(output, become, arg, &err) == 0) {
		execve(argv[0], (char *const *)(uintptr_t)argv, envp);
		err_sys(&err, -errno, "cannot run it");
	}
	dprintf(output, "%s\n", err.text);
	_exit(127);
}

/* ---- the runner ---- */

struct runner {
	const struct hook *hook;
	pid_t pid;
	int output, pidfd;
	char text[OUTPUT_MAX];
	size_t len;
	bool timed_out;
};

/* Output beyond the buffer is read and discarded, so that the program does not block. */
static bool read_output(struct runner *r)
{
	char rest[4096];
	ssize_t n;

	for (;;) {
		bool room = r->len < sizeof(r->text) - 1;

		n = read(r->output, room ? r->text + r->len : rest,
			 room ? sizeof(r->text) - 1 - r->len : sizeof(rest));
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		r->len += room ? (size_t)n : 0;
	}
}

static void wait_for_end(struct runner *r)
{
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + r->hook->timeout_us;
	bool more = true;

	for (;;) {
		struct pollfd fds[] = {{.fd = r->pidfd, .events = POLLIN},
				       {.fd = more ? r->output : -1, .events = POLLIN}};
		int64_t left_ms = (until_us - clock_us(CLOCK_BOOTTIME) + 999) / 1000;

		if (left_ms <= 0) {
			r->timed_out = true;
			return;
		}
		poll(fds, 2, left_ms > POLL_MS ? POLL_MS : (int)left_ms);
		if (fds[1].revents)
			more = read_output(r);
		if (fds[0].revents)
			return;
	}
}

/* The first line that is not blank, cleaned so that a message can contain it. */
static void first_line(struct runner *r, char ret_line[HOOK_TEXT / 2])
{
	char *p = r->text;
	size_t len;

	r->text[r->len] = '\0';
	p += strspn(p, " \t\r\n");
	len = strcspn(p, "\n");
	if (len >= HOOK_TEXT / 2)
		len = HOOK_TEXT / 2 - 1;
	memcpy(ret_line, p, len);
	while (len > 0 && strchr(" \t\r", ret_line[len - 1]))
		len--;
	ret_line[len] = '\0';
	text_make_clean(ret_line, len, false);
}

static void describe_failure(struct runner *r, int status, char ret_text[HOOK_TEXT])
{
	char line[HOOK_TEXT / 2], how[80] = "";

	first_line(r, line);
	ret_text[0] = '\0';
	if (r->timed_out)
		snprintf(how, sizeof(how), "it ran longer than %s",
			 duration_words(r->hook->timeout_us).text);
	else if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		snprintf(how, sizeof(how), "exit code %d", WEXITSTATUS(status));
	else
		return;
	if (line[0])
		snprintf(ret_text, HOOK_TEXT, "%s: %s (%s)", r->hook->what, line, how);
	else
		snprintf(ret_text, HOOK_TEXT, "%s: %s", r->hook->what, how);
}

/*
 * Kill and reap the program and every process that it left behind; they are all children of the
 * runner. A program that hangs in the kernel does not die of SIGKILL. The wait is therefore
 * limited, so that the caller gets its answer.
 */
static int end_all(struct runner *r)
{
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + KILL_US;
	int status = 0;

	if (r->timed_out)
		kill(r->pid, SIGKILL);
	while (waitpid(r->pid, &status, r->timed_out ? WNOHANG : 0) == 0 &&
	       clock_us(CLOCK_BOOTTIME) < until_us)
		poll(NULL, 0, KILL_POLL_MS);
	orphans_kill(NULL, 0);
	read_output(r);
	return status;
}

static _Noreturn void be_runner(const struct hook *h, char *const *envp, hook_become *become,
				const void *arg, int result)
{
	struct runner r = {.hook = h};
	char text[HOOK_TEXT];
	int fds[2];
	ssize_t n;

	prctl(PR_SET_NAME, "armd-hook", 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_DFL);
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		_exit(1);
	r.output = fds[0];
	r.pid = fork();
	if (r.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execute(h, envp, fds[1], become, arg);
	}
	close(fds[1]);
	r.pidfd = r.pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, r.pid, 0);
	if (r.pidfd < 0)
		_exit(1);
	wait_for_end(&r);
	describe_failure(&r, end_all(&r), text);
	n = write(result, text, strlen(text) + 1);
	_exit(n > 0 ? 0 : 1);
}

int hook_start(const struct hook *h, const struct hook_env *env, hook_become *become,
	       const void *arg, struct hook_run *ret_run, struct err *err)
{
	CLEANUP_FREE char **envp = NULL;
	size_t len, count = 0, at = 0;
	const char *text = hook_env_text(env, &len);
	int fds[2], rc = hook_check(h, err);
	pid_t pid;

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < len; i++)
		count += text[i] == '\0';
	envp = xcalloc(count + 1, sizeof(*envp));
	for (size_t i = 0; i < count; i++, at += strlen(text + at) + 1)
		envp[i] = (char *)(uintptr_t)text + at;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "%s: pipe", h->what);
	pid = fork();
	if (pid == 0)
		be_runner(h, envp, become, arg, fds[1]);
	rc = -errno;
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return err_sys(err, rc, "%s: cannot fork", h->what);
	}
	*ret_run = (struct hook_run){.pid = pid, .fd = fds[0]};
	return 0;
}

int hook_end(struct hook_run *run, struct err *err)
{
	char text[HOOK_TEXT];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(text) - 1 &&
	       ((n = read(run->fd, text + len, sizeof(text) - 1 - len)) > 0 ||
		(n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	text[len] = '\0';
	close_fd(&run->fd);
	while (run->pid > 0 && waitpid(run->pid, NULL, 0) < 0 && errno == EINTR)
		;
	run->pid = 0;
	if (len == 0)
		return err_set(err, -ESRCH, "its runner process was killed");
	return text[0] ? err_set(err, -EIO, "%s", text) : 0;
}

int hook_run(const struct hook *h, const struct hook_env *env, hook_become *become, const void *arg,
	     struct err *err)
{
	struct hook_run run;
	int rc = hook_start(h, env, become, arg, &run, err);

	return rc < 0 ? rc : hook_end(&run, err);
}

/* ---- the environment ---- */

struct hook_env {
	struct buf text;
};

static const char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

struct hook_env *hook_env_new(void)
{
	struct hook_env *e = xcalloc(1, sizeof(*e));

	buf_add(&e->text, path, sizeof(path));
	return e;
}

void hook_env_free(struct hook_env *e)
{
	if (!e)
		return;
	buf_done(&e->text);
	free(e);
}

void hook_env_set(struct hook_env *e, const char *name, const char *fmt, ...)
{
	size_t len = strlen(name);
	char value[1024];
	va_list ap;

	for (size_t at = 0; at < e->text.len; at += strlen((char *)e->text.data + at) + 1)
		if (strncmp((char *)e->text.data + at, name, len) == 0 &&
		    e->text.data[at + len] == '=')
			return;
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	buf_addf(&e->text, "%s=%s", name, value);
	buf_addc(&e->text, '\0');
}

const char *hook_env_text(const struct hook_env *e, size_t *ret_len)
{
	*ret_len = e->text.len;
	return (const char *)e->text.data;
}

struct hook_env *hook_env_from(const char *text, size_t len)
{
	struct hook_env *e = xcalloc(1, sizeof(*e));

	buf_add(&e->text, text, len);
	return e;
}

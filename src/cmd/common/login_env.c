/*
 * Captures the environment of a job; for --get-user-env, also that of a login shell.
 *
 * The shell of the user is started as a login shell with almost no environment. It writes its
 * variables to a pipe, so what its profile prints does not matter. Caveat: a profile that waits for
 * a terminal would hang, so the shell is killed after some seconds.
 */
#include "cmd/common/login_env.h"

#include "client/environ.h"
#include "util/mem.h"
#include "util/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOGIN_SECONDS = 8, PIPE_FD = 3, LOGIN_MAX = 1 << 20 };

/* The child: only functions that are safe after a fork. */
static void run_shell(const char *shell, char *const argv[], char *const env[], int pipe_fd)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    dup2(pipe_fd, PIPE_FD) < 0)
		_exit(127);
	program_reset_signals();
	if (pipe_fd == PIPE_FD)
		fcntl(pipe_fd, F_SETFD, 0);
	setsid();
	execve(shell, argv, env);
	_exit(127);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* Reads to the end. False: that takes too long, or it is too much. */
static bool read_all(int fd, struct buf *out)
{
	int64_t end_ms = now_ms() + LOGIN_SECONDS * 1000, left_ms;
	char part[4096];
	ssize_t n;

	while ((left_ms = end_ms - now_ms()) > 0 && out->len <= LOGIN_MAX) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, (int)left_ms) <= 0)
			continue;
		n = read(fd, part, sizeof(part));
		if (n == 0)
			return true;
		if (n > 0)
			buf_add(out, part, (size_t)n);
	}
	return false;
}

static int login(struct arena *a, struct buf *out, struct err *err)
{
	const struct passwd *who = getpwuid(getuid());
	const char *shell = who && who->pw_shell[0] ? who->pw_shell : "/bin/sh", *base;
	char *argv[4] = {NULL, (char *)"-c", (char *)"/usr/bin/env -0 >/dev/fd/3", NULL}, *env[6];
	int fds[2];
	bool whole;
	pid_t pid;

	if (!who)
		return err_set(err, -ENOENT, "--get-user-env: this user id has no login");
	base = strrchr(shell, '/');
	argv[0] = arena_printf(a, "-%s", base ? base + 1 : shell);
	env[0] = arena_printf(a, "HOME=%s", who->pw_dir);
	env[1] = arena_printf(a, "USER=%s", who->pw_name);
	env[2] = arena_printf(a, "LOGNAME=%s", who->pw_name);
	env[3] = arena_printf(a, "SHELL=%s", shell);
	env[4] = (char *)"PATH=/usr/local/bin:/usr/bin:/bin";
	env[5] = NULL;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "--get-user-env");
	pid = fork();
	if (pid == 0)
		run_shell(shell, argv, env, fds[1]);
	close(fds[1]);
	whole = pid > 0 && read_all(fds[0], out);
	close(fds[0]);
	if (pid > 0) {
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (!whole || !out->len)
		return err_set(
			err, -EINVAL,
			"--get-user-env: the login shell %s gave no environment within %d s; "
			"leave the option out",
			shell, LOGIN_SECONDS);
	return 0;
}

/* The strings of the text as a list that NULL ends. */
static char **list_of(struct arena *a, const struct buf *text)
{
	size_t count = 0, n = 0;
	char **list;

	for (size_t i = 0; i < text->len; i++)
		count += !text->data[i];
	list = arena_zalloc(a, count + 1, sizeof(*list));
	for (size_t i = 0; n < count; i += strlen(list[n++]) + 1)
		list[n] = (char *)text->data + i;
	return list;
}

int login_env_capture(const struct spec *s, char *const *env, int64_t max_bytes, struct buf *out,
		      struct err *err)
{
	bool alone = s->export && strcmp(s->export, "NONE") == 0;
	CLEANUP_ARENA struct arena *a = NULL;
	CLEANUP_BUF struct buf text = {0};
	char **of_login;
	int rc;

	if (!s->login_env)
		return environ_capture(env, s->export, max_bytes, out, err);
	a = arena_new(0);
	rc = login(a, &text, err);
	if (rc < 0)
		return rc;
	of_login = list_of(a, &text);
	rc = environ_capture(alone ? of_login : env, s->export, max_bytes, out, err);
	return rc < 0 ? rc : environ_complete(of_login, max_bytes, out, err);
}

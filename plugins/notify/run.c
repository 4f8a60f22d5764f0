/*
 * Running a program with a text on its standard input (run.h).
 *
 * In: arguments and the text. Out: 0, or an error with the last words of the program. The text and the errors
 * go through a temporary file without a name each, so that neither side can wait for the other. The program
 * stays in the process group of the caller, which is killed as a whole when time is up.
 */
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 256 };

static int fail(struct armada_error *err, int code, const char *what, const char *path)
{
	snprintf(err->text, sizeof(err->text), "%.300s: %s: %s", path, what, strerror(-code));
	return code;
}

int run_check(const char *path, struct armada_error *err)
{
	struct stat st;

	if (path[0] != '/') {
		snprintf(err->text, sizeof(err->text), "'%.300s' is no absolute path of a program",
			 path);
		return -EINVAL;
	}
	if (stat(path, &st) < 0)
		return fail(err, -errno, "cannot be used", path);
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return fail(err, -EACCES, "is no program", path);
	return 0;
}

static int file_with(const char *text, size_t len)
{
	int fd = memfd_create("armada-notify", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, text + done, len - done);

		if (n < 0) {
			close(fd);
			return -errno;
		}
		done += (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static _Noreturn void child(const char *const *argv, int in, int error)
{
	static const char *const envp[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	int null = open("/dev/null", O_WRONLY);

	for (int sig = 1; sig <= SIGRTMAX; sig++)
		signal(sig, SIG_DFL);
	if (null < 0 || dup2(in, 0) < 0 || dup2(null, 1) < 0 || dup2(error, 2) < 0 ||
	    close_range(3, ~0U, 0) < 0 || chdir("/") < 0)
		_exit(126);
	execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
	_exit(127);
}

/* The last line of the errors, without control characters. */
static void last_words(int fd, char ret[WORDS_MAX])
{
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, ret, WORDS_MAX - 1, end > WORDS_MAX - 1 ? end - (WORDS_MAX - 1) : 0);
	char *last;

	ret[n > 0 ? n : 0] = '\0';
	while (n > 0 && (unsigned char)ret[n - 1] <= ' ')
		ret[--n] = '\0';
	last = strrchr(ret, '\n');
	if (last)
		memmove(ret, last + 1, strlen(last));
	for (char *p = ret; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 127)
			*p = ' ';
}

static int judge(const char *path, int status, int error, struct armada_error *err)
{
	char words[WORDS_MAX];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	last_words(error, words);
	if (WIFSIGNALED(status))
		snprintf(err->text, sizeof(err->text), "%.200s: killed by signal %d", path,
			 WTERMSIG(status));
	else
		snprintf(err->text, sizeof(err->text), "%.200s: exit status %d%s%s", path,
			 WEXITSTATUS(status), words[0] ? ": " : "", words);
	return -EIO;
}

int run_program(const char *const *argv, const char *input, size_t len, struct armada_error *err)
{
	int in = file_with(input, len), error = file_with("", 0), status, rc = 0;
	pid_t pid;

	if (in < 0 || error < 0)
		return fail(err, in < 0 ? in : error, "no temporary file", argv[0]);
	pid = fork();
	if (pid == 0)
		child(argv, in, error);
	if (pid < 0)
		rc = fail(err, -errno, "cannot be started", argv[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			rc = fail(err, -errno, "its end is not known", argv[0]);
	if (pid > 0 && rc == 0)
		rc = judge(argv[0], status, error, err);
	close(in);
	close(error);
	return rc;
}

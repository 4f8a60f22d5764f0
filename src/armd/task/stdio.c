/*
 * Input and output of the task, opened as the user, in the task's own directory.
 *
 * Output files are opened with O_APPEND, because both streams of a task, or several tasks, may
 * share a file.
 */
#include "armd/task/stdio.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int put_at(int fd, int target, struct err *err)
{
	int rc = dup2(fd, target) < 0 ? -errno : 0;

	close(fd);
	return rc < 0 ? err_sys(err, rc, "dup2") : 0;
}

static int make_parents(const char *path, const char *what, struct err *err)
{
	CLEANUP_FREE char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return err_sys(err, -errno, "cannot make directory %s for %s file %s", copy,
				       what, path);
		*slash = '/';
	}
	return 0;
}

static int open_output(const struct task *t, const char *path, const char *what, int target,
		       struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC;
	int fd, rc;

	flags |= t->append ? 0 : O_TRUNC;
	fd = open(path, flags, 0666);
	if (fd < 0 && errno == ENOENT) {
		rc = make_parents(path, what, err);
		if (rc < 0)
			return rc;
		fd = open(path, flags, 0666);
	}
	if (fd < 0)
		return err_sys(err, -errno, "cannot open %s file %s", what, path);
	return put_at(fd, target, err);
}

static int open_input(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, -errno, "cannot open input file %s", path);
	return put_at(fd, STDIN_FILENO, err);
}

static bool given(const char *path)
{
	return path && *path;
}

int task_open_stdio(const struct task *t, struct err *err)
{
	const Armada__TaskBody *b = t->body;
	const char *output = given(b->output) ? b->output : "/dev/null";
	int rc = open_input(given(b->input) ? b->input : "/dev/null", err);

	if (rc == 0)
		rc = open_output(t, output, "output", STDOUT_FILENO, err);
	if (rc < 0)
		return rc;
	if (given(b->error) && strcmp(b->error, output) != 0)
		return open_output(t, b->error, "error", STDERR_FILENO, err);
	return dup2(STDOUT_FILENO, STDERR_FILENO) < 0 ? err_sys(err, -errno, "dup2") : 0;
}

/* Verify the access modes of descriptors 0 to 2, and that they stay open over the exec. */
int task_check_stdio(const struct task *t, struct err *err)
{
	for (int fd = 0; t->stdio && fd < 3; fd++) {
		int flags = fcntl(fd, F_GETFL);
		int mode = flags & O_ACCMODE;

		if (flags < 0 || fcntl(fd, F_GETFD) != 0 ||
		    mode == (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY))
			return err_set(err, -EBADF, "descriptor %d is not open as it should be",
				       fd);
	}
	return 0;
}

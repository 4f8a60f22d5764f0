/* Runs the task's program; searches PATH as a shell does. */
#include "armd/task/run.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *find_path(char *const *envp)
{
	for (; *envp; envp++)
		if (strncmp(*envp, "PATH=", 5) == 0)
			return *envp + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

/*
 * Try each directory as a shell does: an unreadable one does not end the search, and does not make a missing
 * program one without permission.
 */
static int search(const struct task *t, const char *name)
{
	const char *dir = find_path(t->envp);
	char path[PATH_MAX];
	int found = ENOENT;

	for (;;) {
		int len = (int)strcspn(dir, ":");
		int n = snprintf(path, sizeof(path), "%.*s/%s", len ? len : 1, len ? dir : ".",
				 name);

		if (n < (int)sizeof(path)) {
			execve(path, t->argv, t->envp);
			if (errno == EACCES) {
				if (access(path, F_OK) == 0)
					found = EACCES;
			} else if (errno != ENOENT && errno != ENOTDIR) {
				return errno;
			}
		}
		if (dir[len] == '\0')
			return found;
		dir += len + 1;
	}
}

/*
 * The kernel returns ENOENT also if the interpreter of a script does not exist: name the
 * interpreter.
 */
static bool find_interpreter(const char *path, char ret_name[PATH_MAX])
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char line[PATH_MAX], *name;
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (n < 2 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	name = line + 2 + strspn(line + 2, " \t");
	name[strcspn(name, " \t")] = '\0';
	snprintf(ret_name, PATH_MAX, "%s", name);
	return true;
}

int task_run(const struct task *t, struct err *err)
{
	const char *name = t->argv[0];
	char interpreter[PATH_MAX];
	int code;

	if (!name || !*name)
		return err_set(err, -EINVAL, "there is no command to run");
	if (strchr(name, '/')) {
		execve(name, t->argv, t->envp);
		code = errno;
	} else {
		code = search(t, name);
	}
	if (code == ENOENT && strchr(name, '/') && find_interpreter(name, interpreter))
		return err_sys(err, -code, "cannot run %s: its interpreter %s",
			       t->script ? "the script" : name, interpreter);
	return err_sys(err, -code, "cannot run %s", t->script ? "the script" : name);
}

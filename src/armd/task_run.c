/* What the task runs: its arguments, its environment, and the exec. */
#include "armd/task.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char **task_argv(const Armada__TaskBody *body, const char *script, struct arena *arena)
{
	size_t count = script ? 1 + body->n_args : body->n_argv, n = 0;
	char **argv = arena_zalloc(arena, count + 1, sizeof(*argv));

	if (script)
		argv[n++] = arena_strdup(arena, script);
	for (size_t i = 0; !script && i < body->n_argv; i++)
		argv[n++] = body->argv[i];
	for (size_t i = 0; script && i < body->n_args; i++)
		argv[n++] = body->args[i];
	return argv;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strncmp(a, b, len + 1) == 0;
}

static bool overridden(const Armada__TaskBody *body, const char *entry)
{
	for (size_t i = 0; i < body->n_task_env; i++)
		if (same_name(entry, body->task_env[i]))
			return true;
	return false;
}

static size_t count_strings(const uint8_t *p, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += p[i] == '\0';
	return count;
}

/* A string that no NUL ends, and one that is no NAME=value, is not taken. */
char **task_environment(const Armada__TaskBody *body, struct arena *arena)
{
	size_t max = count_strings(body->env.data, body->env.len) + body->n_task_env, n = 0;
	char **envp = arena_zalloc(arena, max + 1, sizeof(*envp));
	char *p = (char *)body->env.data, *end = p + body->env.len;

	for (char *nul; p < end && (nul = memchr(p, '\0', (size_t)(end - p))); p = nul + 1)
		if (*p != '=' && strchr(p, '=') && !overridden(body, p))
			envp[n++] = p;
	for (size_t i = 0; i < body->n_task_env; i++)
		envp[n++] = body->task_env[i];
	return envp;
}

static const char *find_path(char *const *envp)
{
	for (; *envp; envp++)
		if (strncmp(*envp, "PATH=", 5) == 0)
			return *envp + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

/* Try each directory as a shell would: one that may not be read does not end the search. */
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
			if (errno == EACCES)
				found = EACCES;
			else if (errno != ENOENT && errno != ENOTDIR)
				return errno;
		}
		if (dir[len] == '\0')
			return found;
		dir += len + 1;
	}
}

/* The kernel says ENOENT for a file that is there and whose interpreter is not: name that one. */
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

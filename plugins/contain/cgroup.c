/*
 * Control groups of v1 and v2: find them in /proc, read and write their files, signal their processes,
 * remove them, search for them.
 *
 * In: a directory descriptor, or a parent and a name. Out: the contents of a file, or an effect on the
 * group and its processes. No function keeps state. /proc/self/mountinfo is parsed here: libmount would
 * be slower at each launch, and would bring three more libraries into the process that keeps root.
 */
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH_MAX = 24, REMOVE_PASSES = 500, JOIN_PASSES = 1000 };

int cgroup_fail(struct armada_error *err, int code, const char *plugin, const char *format, ...)
{
	int n = snprintf(err->text, sizeof(err->text), "contain/%s: ", plugin);
	va_list args;

	va_start(args, format);
	vsnprintf(err->text + n, sizeof(err->text) - (size_t)n, format, args);
	va_end(args);
	return code;
}

void cgroup_pause(void)
{
	const struct timespec pause = {.tv_nsec = CGROUP_PAUSE_NS};

	nanosleep(&pause, NULL);
}

int cgroup_optional(int rc)
{
	return rc == -ENOENT || rc == -EOPNOTSUPP ? 0 : rc;
}

bool cgroup_has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; *p;) {
		size_t n = strcspn(p, " ,\n");

		if (n == len && strncmp(p, word, n) == 0)
			return true;
		p += n;
		p += strspn(p, " ,\n");
	}
	return false;
}

/* Our own group in a hierarchy, from its root: "4:memory:/a/b", "0::/a". */
static int own_path(const char *controller, char ret_path[CGROUP_PATH])
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char *line = NULL, *list, *path;
	size_t cap = 0;
	int rc = -ENOENT;

	if (!file)
		return -errno;
	while (rc == -ENOENT && getline(&line, &cap, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		list = strchr(line, ':');
		path = list ? strchr(++list, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		if (controller ? !cgroup_has_word(list, controller) : *list != '\0')
			continue;
		rc = snprintf(ret_path, CGROUP_PATH, "%s", path) < CGROUP_PATH ? 0 : -ENAMETOOLONG;
	}
	free(line);
	fclose(file);
	return rc;
}

/* Is a line of mountinfo the mount of the hierarchy, and is our own group below its root? */
static bool is_mount(char *line, const char *controller, const char *path,
		     struct cgroup_place *ret_place)
{
	char root[CGROUP_PATH], type[32], options[256], *dash = strstr(line, " - ");
	size_t len;

	if (!dash || sscanf(dash, " - %31s %*s %255s", type, options) != 2)
		return false;
	if (controller ? strcmp(type, "cgroup") != 0 || !cgroup_has_word(options, controller)
		       : strcmp(type, "cgroup2") != 0)
		return false;
	if (sscanf(line, "%*d %*d %*s %2047s %2047s", root, ret_place->mount) != 2)
		return false;
	len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, len) != 0 || (path[len] && path[len] != '/'))
		return false;
	snprintf(ret_place->own, CGROUP_PATH, "%s", strcmp(path + len, "/") == 0 ? "" : path + len);
	return true;
}

int cgroup_place(const char *controller, struct cgroup_place *ret_place)
{
	char path[CGROUP_PATH], *line = NULL;
	size_t cap = 0;
	bool found = false;
	int rc = own_path(controller, path);
	FILE *file = rc < 0 ? NULL : fopen("/proc/self/mountinfo", "re");

	if (rc < 0)
		return rc;
	if (!file)
		return -errno;
	while (!found && getline(&line, &cap, file) > 0)
		found = is_mount(line, controller, path, ret_place);
	free(line);
	fclose(file);
	return found ? 0 : -ENOENT;
}

/* The rest of path after a directory and its slashes; NULL: it is not below the directory. */
static const char *below(const char *path, const char *dir, size_t len)
{
	if (strncmp(path, dir, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len + strspn(path + len, "/");
}

/* In cgroup v1 the directories of /sys/fs/cgroup are the hierarchies, and links to them. */
const char *cgroup_root(const struct cgroup_place *place, const char *root)
{
	static const char all[] = "/sys/fs/cgroup";
	const char *rest = below(root, place->mount, strlen(place->mount));
	char path[CGROUP_PATH];
	struct stat st;

	if (rest)
		return rest;
	rest = below(root, all, strlen(all));
	if (!rest)
		return root + strspn(root, "/");
	snprintf(path, sizeof(path), "%s/%.*s", all, (int)strcspn(rest, "/"), rest);
	if (*rest && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return below(rest, rest, strcspn(rest, "/"));
	return rest;
}

int cgroup_check_root(const struct armada_option_value *values, struct armada_error *err)
{
	const char *root = values[CGROUP_ROOT].s, *why = NULL;

	if (strlen(root) >= CGROUP_PATH)
		why = "is too long";
	for (const char *p = root; *p && !why; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			why = "has a blank";
	for (const char *p = root; *p && !why; p += strcspn(p, "/")) {
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		if ((len == 1 || len == 2) && strncmp(p, "..", len) == 0)
			why = len == 1 ? "has the part ." : "has the part ..";
	}
	if (!why)
		return 0;
	snprintf(err->text, sizeof(err->text),
		 "root: '%.100s' %s: expected the path of a group, such as /armada or "
		 "/sys/fs/cgroup/armada",
		 root, why);
	return -EINVAL;
}

int cgroup_open(int at, const char *format, ...)
{
	char path[2 * CGROUP_PATH];
	va_list args;
	int n, fd;

	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int cgroup_write(int dir, const char *file, const char *format, ...)
{
	char text[CGROUP_TEXT];
	va_list args;
	ssize_t n;
	int fd, len, rc;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len >= (int)sizeof(text))
		return -ENAMETOOLONG;
	fd = openat(dir, file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, (size_t)len);
	rc = n < 0 ? -errno : 0;
	close(fd);
	return rc;
}

int cgroup_read(int dir, const char *file, char ret_text[CGROUP_TEXT])
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC), rc;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, ret_text, CGROUP_TEXT - 1);
	rc = n < 0 ? -errno : (int)n;
	close(fd);
	if (rc < 0)
		return rc;
	if (rc > 0 && ret_text[rc - 1] == '\n')
		rc--;
	ret_text[rc] = '\0';
	return rc;
}

static int64_t number(const char *text)
{
	char *end;
	long long n;

	if (strncmp(text, "max", 3) == 0)
		return INT64_MAX;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (end == text || n < 0)
		return -1;
	return errno == ERANGE ? INT64_MAX : n;
}

int64_t cgroup_number(int dir, const char *file)
{
	char text[CGROUP_TEXT];

	return cgroup_read(dir, file, text) < 0 ? -1 : number(text);
}

int64_t cgroup_field(int dir, const char *file, const char *word)
{
	char text[CGROUP_TEXT];
	size_t len = strlen(word);

	if (cgroup_read(dir, file, text) < 0)
		return -1;
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, word, len) == 0 && p[len] == ' ')
			return number(p + len + 1);
	return -1;
}

/* Does a line of /proc/PID/cgroup name the group or a group below it? */
static bool is_member(pid_t pid, const char *name)
{
	char path[32], text[CGROUP_TEXT];
	size_t len = strlen(name);

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (cgroup_read(AT_FDCWD, path, text) < 0)
		return false;
	for (const char *p = text; (p = strstr(p, name)); p += len)
		if (p > text && p[-1] == '/' && strchr("/\n", p[len]))
			return true;
	return false;
}

/* True if the process was still in the group. */
static bool signal_one(pid_t pid, const char *name, int sig)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	bool ours = fd >= 0 && is_member(pid, name);

	if (ours && sig)
		ours = syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) == 0 || errno != ESRCH;
	if (fd >= 0)
		close(fd);
	return ours;
}

static int signal_here(int dir, const char *name, int sig)
{
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC), pid, count = 0;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	while (fscanf(file, "%d", &pid) == 1)
		if (pid > 0 && signal_one(pid, name, sig))
			count++;
	fclose(file);
	return count;
}

/* The next directory in a group; NULL: no more. */
static const char *next_group(DIR *list)
{
	struct dirent *de;

	while ((de = readdir(list)))
		if (de->d_type == DT_DIR && de->d_name[0] != '.')
			return de->d_name;
	return NULL;
}

/* Opens dir again, so that the caller's descriptor keeps its read position. */
static DIR *open_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	return list;
}

static int signal_below(int dir, const char *name, int sig, int depth)
{
	int count = signal_here(dir, name, sig);
	DIR *list = depth > 0 ? open_list(dir) : NULL;
	const char *sub;

	while (list && count >= 0 && (sub = next_group(list))) {
		int fd = cgroup_open(dir, "%s", sub);
		int n = fd < 0 ? 0 : signal_below(fd, name, sig, depth - 1);

		if (fd >= 0)
			close(fd);
		count = n < 0 ? n : count + n;
	}
	if (list)
		closedir(list);
	return count;
}

int cgroup_signal(int dir, const char *name, int sig)
{
	return signal_below(dir, name, sig, DEPTH_MAX);
}

static int remove_one(int parent, const char *name)
{
	for (int pass = 0; unlinkat(parent, name, AT_REMOVEDIR) < 0; pass++) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || pass == REMOVE_PASSES)
			return -errno;
		cgroup_pause();
	}
	return 0;
}

static int remove_below(int parent, const char *name, int depth)
{
	int fd = cgroup_open(parent, "%s", name);
	DIR *list = fd < 0 || depth == 0 ? NULL : open_list(fd);
	const char *sub;

	while (list && (sub = next_group(list)))
		remove_below(fd, sub, depth - 1);
	if (list)
		closedir(list);
	if (fd >= 0)
		close(fd);
	return remove_one(parent, name);
}

int cgroup_remove(int parent, const char *name)
{
	return remove_below(parent, name, DEPTH_MAX);
}

int cgroup_make(int parent, const char *name)
{
	int rc = mkdirat(parent, name, 0755) < 0 ? -errno : 0;

	if (rc == -EEXIST) {
		rc = cgroup_remove(parent, name);
		if (rc == 0 && mkdirat(parent, name, 0755) < 0)
			rc = -errno;
	}
	return rc < 0 ? rc : cgroup_open(parent, "%s", name);
}

int cgroup_join(int base, const char *name)
{
	if (mkdirat(base, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	return cgroup_open(base, "%s", name);
}

bool cgroup_gone(int rc, int *tries)
{
	return (rc == -ENOENT || rc == -ENODEV) && ++*tries < JOIN_PASSES;
}

void cgroup_leave(int dir, const char *name)
{
	int up = openat(dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (up < 0)
		return; /* another shepherd has removed it */
	unlinkat(up, name, AT_REMOVEDIR);
	close(up);
}

static void walk(int dir, const char *prefix, cgroup_found *found, void *arg, int depth)
{
	DIR *list = depth > 0 ? open_list(dir) : NULL;
	const char *name;

	while (list && (name = next_group(list))) {
		int fd;

		if (strncmp(name, prefix, strlen(prefix)) == 0) {
			found(arg, dir, name);
			continue;
		}
		fd = cgroup_open(dir, "%s", name);
		if (fd < 0)
			continue;
		walk(fd, prefix, found, arg, depth - 1);
		close(fd);
	}
	if (list)
		closedir(list);
}

void cgroup_walk(int dir, const char *prefix, cgroup_found *found, void *arg)
{
	walk(dir, prefix, found, arg, DEPTH_MAX);
}

static void at_least(int64_t *value, int64_t least)
{
	if (*value < least)
		*value = least;
}

/*
 * Without a controller these are the only figures. And cgroup v1 does not count the writes that the
 * kernel does later on behalf of a process.
 */
void cgroup_add_rusage(struct armada_contain_usage *u)
{
	struct rusage r;

	if (getrusage(RUSAGE_CHILDREN, &r) < 0)
		return;
	if (u->cpu_us == 0)
		u->cpu_us = ((int64_t)r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000 +
			    r.ru_utime.tv_usec + r.ru_stime.tv_usec;
	if (u->user_us + u->system_us == 0) {
		u->user_us = (int64_t)r.ru_utime.tv_sec * 1000000 + r.ru_utime.tv_usec;
		u->system_us = (int64_t)r.ru_stime.tv_sec * 1000000 + r.ru_stime.tv_usec;
	}
	at_least(&u->read_bytes, (int64_t)r.ru_inblock * 512);
	at_least(&u->written_bytes, (int64_t)r.ru_oublock * 512);
}

int64_t cgroup_pids_of_all(void)
{
	int64_t pids = cgroup_number(AT_FDCWD, "/proc/sys/kernel/pid_max");
	int64_t threads = cgroup_number(AT_FDCWD, "/proc/sys/kernel/threads-max");
	int64_t most = pids > 0 && (threads <= 0 || pids < threads) ? pids : threads;

	return most > 0 ? most / 4 * 3 : 3 * 8192;
}

int cgroup_bound_pids(int dir)
{
	int64_t all = cgroup_pids_of_all();

	if (cgroup_number(dir, "pids.max") <= all)
		return 0; /* smaller, or the group at the top, which has no such file */
	return cgroup_write(dir, "pids.max", "%lld", (long long)all);
}

static int64_t tasks_of(const struct armada_contain_limits *l)
{
	return l->tasks > 0 ? l->tasks : 1;
}

/* The part of the tasks with these cpus. */
static int64_t pids_share(const struct armada_contain_limits *l)
{
	int64_t all = cgroup_pids_of_all(), cpus = sysconf(_SC_NPROCESSORS_CONF);
	int64_t share = cpus > 0 ? all * l->cpu_milli / (cpus * 1000) : all;
	int64_t least = PIDS_LEAST * tasks_of(l);

	if (share < least)
		share = least;
	return share < all ? share : all;
}

int64_t cgroup_memory(const struct armada_contain_limits *l, const struct armada_option_value *v)
{
	int64_t least = v[CGROUP_MEMORY_LEAST].i * tasks_of(l);

	if (l->memory_bytes <= 0)
		return 0;
	return l->memory_bytes > least ? l->memory_bytes : least;
}

int64_t cgroup_pids(const struct armada_contain_limits *l, const struct armada_option_value *v)
{
	if (l->pids_max > 0)
		return l->pids_max;
	return v[CGROUP_PIDS_MAX].i > 0 ? v[CGROUP_PIDS_MAX].i * tasks_of(l) : pids_share(l);
}

void cgroup_report_found(void *search, int parent, const char *name)
{
	const struct cgroup_search *s = search;

	(void)parent;
	s->found(s->arg, name);
}

void cgroup_kill_found(void *search, int parent, const char *name)
{
	struct cgroup_search *s = search;
	int fd, n;

	if (strcmp(name, s->name) != 0)
		return;
	fd = cgroup_open(parent, "%s", name);
	if (fd < 0)
		return;
	n = s->kill(fd, name);
	close(fd);
	if (n < 0)
		s->error = n;
	else
		s->count += n;
}

/* If the group at parent is one of several tasks, to which the task of this name belonged. */
static void leave_found(int parent, const char *task)
{
	const size_t mark = sizeof(ARMADA_CONTAIN_GROUP) - 1;
	char link[32], path[2 * CGROUP_PATH];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", parent);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return;
	path[n] = '\0';
	name = strrchr(path, '/');
	if (name && strncmp(++name, ARMADA_CONTAIN_GROUP, mark) == 0 &&
	    strncmp(name + mark, task, strcspn(name + mark, "+")) == 0)
		cgroup_leave(parent, name);
}

void cgroup_remove_found(void *search, int parent, const char *name)
{
	struct cgroup_search *s = search;
	int rc = strcmp(name, s->name) == 0 ? cgroup_remove(parent, name) : 0;

	if (rc < 0)
		s->error = rc;
	else
		leave_found(parent, name);
}

static void remove_empty(void *search, int parent, const char *name)
{
	(void)search;
	unlinkat(parent, name, AT_REMOVEDIR);
}

int cgroup_remove_empty(const char *controller, const char *prefix)
{
	char name[CGROUP_PATH];

	snprintf(name, sizeof(name), ARMADA_CONTAIN_GROUP "%s", prefix);
	return cgroup_search(controller, name, remove_empty, NULL);
}

int cgroup_search(const char *controller, const char *prefix, cgroup_found *found,
		  struct cgroup_search *s)
{
	struct cgroup_place place;
	int rc = cgroup_place(controller, &place);
	int fd = rc < 0 ? rc : cgroup_open(AT_FDCWD, "%s", place.mount);

	if (fd < 0)
		return fd;
	cgroup_walk(fd, prefix, found, s);
	close(fd);
	return 0;
}

/*
 * The parent groups of tasks of cgroup v2, on a kernel that this file imitates in a temporary directory, so
 * that every machine can run the test. Wrapped functions (ld --wrap) make and remove groups, move this
 * process, and refuse what the kernel refuses: a group below the top that holds processes delegates nothing,
 * a group delegates only what the one above delegates to it, and a group that delegates holds no processes.
 */
#include "contain/cgroup2_base.h"

#include "contain/cgroup.h"
#include "tap/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALL "memory cpu pids cpuset io"

static char mount_point[64], own[512];
static bool real_top; /* false: the top is that of a container, which is an ordinary group */

/* ---- the kernel ---- */

static char *path_of(int dir, const char *name)
{
	static char path[CGROUP_PATH];
	char link[64];
	ssize_t len = 0;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	if (dir != AT_FDCWD)
		len = readlink(link, path, sizeof(path) - 2);
	if (len < 0)
		bail("readlink %s: %s", link, strerror(errno));
	if (len)
		path[len++] = '/';
	snprintf(path + len, sizeof(path) - (size_t)len, "%s", name);
	return path;
}

static void put(const char *group, const char *file, const char *mode, const char *text)
{
	char path[CGROUP_PATH + 64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	f = fopen(path, mode);
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		bail("%s: %s", path, strerror(errno));
}

static void get(const char *group, const char *file, char ret_text[CGROUP_TEXT])
{
	char path[CGROUP_PATH + 64];

	snprintf(path, sizeof(path), "%s/%s", group, file);
	if (cgroup_read(AT_FDCWD, path, ret_text) < 0)
		bail("%s cannot be read", path);
}

static void fill(const char *group, const char *offered)
{
	put(group, "cgroup.controllers", "w", offered);
	put(group, "cgroup.subtree_control", "w", "");
	put(group, "cgroup.procs", "w", "");
}

int __wrap_mkdirat(int dir, const char *name, mode_t mode);
int __wrap_mkdirat(int dir, const char *name, mode_t mode)
{
	char *path = path_of(dir, name), *slash, offered[CGROUP_TEXT], group[CGROUP_PATH];

	if (mkdir(path, mode) < 0)
		return -1;
	snprintf(group, sizeof(group), "%s", path);
	slash = strrchr(path, '/');
	*slash = '\0';
	get(path, "cgroup.subtree_control", offered);
	fill(group, offered);
	return 0;
}

int __wrap_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags)
{
	static const char *const files[] = {"cgroup.controllers", "cgroup.subtree_control",
					    "cgroup.procs"};
	char *path = path_of(dir, name), text[CGROUP_TEXT], file[CGROUP_PATH + 32];

	(void)flags;
	if (access(path, F_OK) < 0)
		return -1;
	get(path, "cgroup.procs", text);
	if (*text) {
		errno = EBUSY;
		return -1;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(file, sizeof(file), "%s/%s", path, files[i]);
		unlink(file);
	}
	return rmdir(path);
}

static void enter(const char *group)
{
	char old[CGROUP_PATH], text[CGROUP_TEXT], pid[32];

	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	snprintf(old, sizeof(old), "%s%s", mount_point, own);
	get(old, "cgroup.procs", text);
	/* process 1 stays there */
	put(old, "cgroup.procs", "w",
	    strncmp(text, "1\n", 2) == 0 || !strcmp(text, "1") ? "1\n" : "");
	put(group, "cgroup.procs", "a", pid);
	snprintf(own, sizeof(own), "%s", group + strlen(mount_point));
}

static int delegate(const char *group, const char *controller)
{
	char text[CGROUP_TEXT];

	get(group, "cgroup.controllers", text);
	if (!cgroup_has_word(text, controller))
		return -ENOENT;
	get(group, "cgroup.procs", text);
	if (*text && !(real_top && strcmp(group, mount_point) == 0))
		return -EBUSY;
	put(group, "cgroup.subtree_control", "a", controller);
	put(group, "cgroup.subtree_control", "a", " ");
	return 0;
}

int __wrap_cgroup_write(int dir, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int __wrap_cgroup_write(int dir, const char *file, const char *format, ...)
{
	char group[CGROUP_PATH], text[64], delegated[CGROUP_TEXT], *name;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(group, sizeof(group), "%s", path_of(dir, file));
	name = strrchr(group, '/');
	*name++ = '\0';
	if (strcmp(name, "cgroup.subtree_control") == 0)
		return delegate(group, text + 1);
	get(group, "cgroup.subtree_control", delegated);
	if (*delegated)
		return -EBUSY;
	enter(group);
	return 0;
}

int __wrap_cgroup_place(const char *controller, struct cgroup_place *ret_place);
int __wrap_cgroup_place(const char *controller, struct cgroup_place *ret_place)
{
	(void)controller;
	snprintf(ret_place->mount, sizeof(ret_place->mount), "%s", mount_point);
	snprintf(ret_place->own, sizeof(ret_place->own), "%s", own);
	return 0;
}

/* ---- machines ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* A machine with one group besides the top; this process is in it, alone or with process 1. */
static void boot(const char *group, const char *offered, bool shared)
{
	char path[CGROUP_PATH];

	snprintf(mount_point, sizeof(mount_point), "/tmp/armada-base-XXXXXX");
	if (!mkdtemp(mount_point))
		bail("mkdtemp: %s", strerror(errno));
	fill(mount_point, ALL);
	real_top = true;
	snprintf(own, sizeof(own), "%s", group);
	snprintf(path, sizeof(path), "%s%s", mount_point, group);
	if (*group)
		mkdir(path, 0755);
	fill(path, offered);
	put(path, "cgroup.procs", "w", shared ? "1\n" : "");
	enter(path);
}

static void halt(void)
{
	nftw(mount_point, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool exists(const char *group)
{
	char path[CGROUP_PATH];

	snprintf(path, sizeof(path), "%s%s", mount_point, group);
	return access(path, F_OK) == 0;
}

static struct armada_option_value values[] = {
	[CGROUP_ROOT] = {.s = ""},
	[CGROUP_REQUIRE] = {.s = ""},
};
static struct armada_error err;

/* The group that a shepherd opens, as an armd with these options makes it. */
static void expect(const char *group, const char *name)
{
	char *path;
	int fd;

	if (!ok(cgroup2_base_make(values, &err) == 0, "%s: the groups are made", name))
		diag("%s", err.text);
	fd = cgroup2_base_open(values, &err);
	if (!ok(fd >= 0, "%s: a shepherd finds the group of tasks", name)) {
		diag("%s", err.text);
		return;
	}
	path = path_of(fd, "");
	path[strlen(path) - 1] = '\0';
	is_str(path + strlen(mount_point), group, "it is below the top");
	close(fd);
}

static void test_alone(void)
{
	boot("/service", ALL, false);
	expect("/service/armada", "alone in a group");
	is_str(own, "/service/daemon", "armd is in the leaf");
	ok(!exists("/armada"), "nothing is made at the top");
	expect("/service/armada", "restarted there");
	halt();
}

static void test_shared(void)
{
	boot("/login", ALL, true);
	expect("/armada/armada", "in a group with other processes");
	is_str(own, "/armada/daemon", "armd is in a leaf of its own group");
	ok(!exists("/login/daemon"), "nothing is left in the group where it was started");
	expect("/armada/armada", "restarted there");
	snprintf(own, sizeof(own), "/login");
	expect("/armada/armada", "a second armd in the group");
	halt();

	boot("/poor", "cpu", true);
	expect("/armada/armada", "in a group without controllers");
	halt();
}

static void test_container(void)
{
	boot("/login", ALL, true);
	real_top = false;
	put(mount_point, "cgroup.procs", "w", "1\n");
	ok(cgroup2_base_make(values, &err) == -EBUSY, "the top of a container cannot delegate");
	ok(strstr(err.text, "/login holds other processes too (1)") != NULL,
	   "the error is about the group where armd was started: %s", err.text);
	ok(strncmp(own, "/login", 6) == 0, "armd is not moved out of it");
	halt();
}

static void test_root(void)
{
	static const char *const below[] = {"/jobs", "jobs", "//jobs", NULL};
	char path[128];

	for (size_t i = 0; below[i]; i++) {
		boot("/login", ALL, true);
		values[CGROUP_ROOT].s = below[i];
		expect("/jobs", below[i]);
		halt();
	}
	boot("/login", ALL, true);
	snprintf(path, sizeof(path), "%s/jobs", mount_point);
	values[CGROUP_ROOT].s = path;
	expect("/jobs", "the path with the mount point");
	halt();
	values[CGROUP_ROOT].s = "";
}

/* The same path as people write it, in every layout. */
static void test_words(void)
{
	static const struct {
		const char *mount, *root, *says;
	} rows[] = {
		{"/sys/fs/cgroup", "/armada", "armada"},
		{"/sys/fs/cgroup", "/sys/fs/cgroup/armada", "armada"},
		{"/sys/fs/cgroup", "/sys/fs/cgroup/a/b", "a/b"},
		{"/sys/fs/cgroup", "/sys/fs/cgroups", "sys/fs/cgroups"},
		{"/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/armada", "armada"},
		{"/sys/fs/cgroup/memory", "/sys/fs/cgroup/no-such-group", "no-such-group"},
	};
	struct cgroup_place place;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(place.mount, sizeof(place.mount), "%s", rows[i].mount);
		is_str(cgroup_root(&place, rows[i].root), rows[i].says, "%s on %s", rows[i].root,
		       rows[i].mount);
	}
	snprintf(place.mount, sizeof(place.mount), "/sys/fs/cgroup/pids");
	if (access("/sys/fs/cgroup/memory/tasks", F_OK) == 0)
		is_str(cgroup_root(&place, "/sys/fs/cgroup/memory/armada"), "armada",
		       "the path of another hierarchy");
	else
		skip("no hierarchies of cgroup v1");
}

static void test_check(void)
{
	static const struct {
		const char *root;
		bool good;
	} rows[] = {
		{"", true},          {"/", true},
		{"armada", true},    {"/sys/fs/cgroup/a/b", true},
		{"//a//b/", true},   {"/a..b/.c", true},
		{"..", false},       {"/a/../b", false},
		{"/a/.", false},     {" ", false},
		{"/a b", false},     {"/a\n", false},
		{"./armada", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		values[CGROUP_ROOT].s = rows[i].root;
		ok((cgroup_check_root(values, &err) == 0) == rows[i].good, "root '%s' is %s",
		   rows[i].root, rows[i].good ? "good" : "refused");
	}
	values[CGROUP_ROOT].s = "";
}

int main(void)
{
	test_words();
	test_check();
	test_root();
	if (access("/run/systemd/system", F_OK) == 0) {
		skip("systemd runs this machine: the groups of tasks are at the top anyway");
		return done();
	}
	test_alone();
	test_shared();
	test_container();
	return done();
}

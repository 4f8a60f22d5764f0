/* Where the groups of tasks are, and how controllers get there. */
#include "cgroup2_base.h"

#include "cgroup2.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAF  "daemon"
#define TASKS "armada"

static const struct {
	const char *name;
	bool needed;
} controllers[] = {
	{"memory", true}, {"cpu", true}, {"pids", true}, {"cpuset", false}, {"io", false},
};

/* mount/top is whose controllers are handed down; mount/top/tasks is the base. */
struct base {
	struct cgroup_place place;
	char top[CGROUP_PATH];
	char tasks[CGROUP_PATH];
	bool configured;
};

static bool ends_with(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash + 1, name) == 0;
}

static bool under_systemd(void)
{
	struct stat st;

	return stat("/run/systemd/system", &st) == 0 && S_ISDIR(st.st_mode);
}

static int find(const struct armada_option_value *values, struct base *ret_base,
		struct armada_error *err)
{
	const char *root = values[CGROUP_ROOT].s;
	struct base *b = ret_base;
	int rc = cgroup_place(NULL, &b->place);

	if (rc < 0)
		return cgroup2_fail(err, rc,
				    rc == -ENOENT ? "no unified hierarchy (cgroup2) is mounted"
						  : "/proc/self/cgroup cannot be read");
	b->configured = *root != '\0';
	b->top[0] = '\0';
	snprintf(b->tasks, sizeof(b->tasks), "%s", TASKS);
	if (b->configured) {
		snprintf(b->tasks, sizeof(b->tasks), "%s", root + strspn(root, "/"));
	} else if (ends_with(b->place.own, LEAF)) {
		snprintf(b->top, sizeof(b->top), "%s", b->place.own);
		*strrchr(b->top, '/') = '\0';
	} else if (!under_systemd()) {
		snprintf(b->top, sizeof(b->top), "%s", b->place.own);
	}
	return 0;
}

int cgroup2_base_open(const struct armada_option_value *values, struct armada_error *err)
{
	struct base b;
	int rc = find(values, &b, err), fd;

	if (rc < 0)
		return rc;
	fd = cgroup_open(AT_FDCWD, "%s%s/%s", b.place.mount, b.top, b.tasks);
	return fd < 0 ? cgroup2_fail(err, fd, "the group %s/%s of all tasks: %s", b.top, b.tasks,
				     strerror(-fd))
		      : fd;
}

/* Groups below dir get this controller. */
static int hand_down(int dir, const char *controller)
{
	char have[CGROUP_TEXT];

	if (cgroup_read(dir, "cgroup.subtree_control", have) >= 0 &&
	    cgroup_has_word(have, controller))
		return 0;
	return cgroup_write(dir, "cgroup.subtree_control", "+%s", controller);
}

/* All of them; -EBUSY when processes are in the group itself, which then can hand down nothing. */
static int hand_down_all(int dir, const char *path, struct armada_error *err)
{
	char offered[CGROUP_TEXT];
	int rc = cgroup_read(dir, "cgroup.controllers", offered);

	if (rc < 0)
		return cgroup2_fail(err, rc, "%s/cgroup.controllers: %s", path, strerror(-rc));
	for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
		const char *name = controllers[i].name;

		if (cgroup_has_word(offered, name))
			rc = hand_down(dir, name);
		else if (controllers[i].needed)
			return cgroup2_fail(
				err, -ENOENT,
				"%s has not the controller %s: cgroup v1 has it, or the "
				"groups above hand down only: %s",
				path, name, *offered ? offered : "none");
		else
			rc = 0;
		if (rc < 0 && (controllers[i].needed || rc == -EBUSY))
			return cgroup2_fail(err, rc, "%s cannot hand down %s: %s", path, name,
					    strerror(-rc));
	}
	return 0;
}

static int go_into_leaf(int dir, const char *path, struct armada_error *err)
{
	int rc = mkdirat(dir, LEAF, 0755) < 0 && errno != EEXIST ? -errno : 0;

	if (rc == 0)
		rc = cgroup_write(dir, LEAF "/cgroup.procs", "0");
	return rc < 0 ? cgroup2_fail(err, rc, "cannot go into %s/" LEAF ": %s", path, strerror(-rc))
		      : 0;
}

static int first_process(int dir)
{
	return (int)cgroup_number(dir, "cgroup.procs");
}

/* The group that armd was started in has armd in it: that goes into a leaf, and nobody else is there. */
static int open_up_top(const struct base *b, int dir, const char *path, struct armada_error *err)
{
	int rc = hand_down_all(dir, path, err);

	if (rc != -EBUSY || b->configured || strcmp(b->top, b->place.own) != 0)
		return rc;
	rc = go_into_leaf(dir, path, err);
	if (rc < 0)
		return rc;
	rc = hand_down_all(dir, path, err);
	if (rc == -EBUSY)
		return cgroup2_fail(
			err, rc,
			"%s holds other processes too (%d): start armd in a group of its "
			"own, or name one with the option root",
			path, first_process(dir));
	return rc;
}

/* From the top down to the tasks' group, which may be several levels below. */
static int make_levels(const struct base *b, int dir, const char *path, struct armada_error *err)
{
	char rest[CGROUP_PATH], done[2 * CGROUP_PATH], *save = NULL;
	int rc = 0, fd = dir;

	snprintf(rest, sizeof(rest), "%s", b->tasks);
	snprintf(done, sizeof(done), "%s", path);
	for (char *name = strtok_r(rest, "/", &save); name && rc == 0;
	     name = strtok_r(NULL, "/", &save)) {
		size_t len = strlen(done);
		int next = -1;

		snprintf(done + len, sizeof(done) - len, "/%s", name);
		if (mkdirat(fd, name, 0755) < 0 && errno != EEXIST)
			rc = -errno;
		if (rc == 0)
			next = cgroup_open(fd, "%s", name);
		if (next < 0)
			rc = cgroup2_fail(err, rc < 0 ? rc : next, "%s cannot be made: %s", done,
					  strerror(rc < 0 ? -rc : -next));
		else
			rc = hand_down_all(next, done, err);
		if (fd != dir)
			close(fd);
		fd = next;
	}
	if (fd >= 0 && fd != dir)
		close(fd);
	return rc;
}

int cgroup2_base_make(const struct armada_option_value *values, struct armada_error *err)
{
	char path[2 * CGROUP_PATH];
	struct base b;
	int rc = find(values, &b, err), dir;

	if (rc < 0)
		return rc;
	snprintf(path, sizeof(path), "%s%s", b.place.mount, b.top);
	dir = cgroup_open(AT_FDCWD, "%s", path);
	if (dir < 0)
		return cgroup2_fail(err, dir, "%s: %s", path, strerror(-dir));
	rc = open_up_top(&b, dir, path, err);
	if (rc == 0)
		rc = make_levels(&b, dir, path, err);
	close(dir);
	return rc;
}

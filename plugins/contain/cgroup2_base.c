/*
 * The parent group of all tasks of cgroup v2, and the delegation of controllers down to it.
 *
 * In: the option root, and the group that armd was started in. Out: the parent group, in which every
 * controller that tasks need is enabled. A group that holds processes cannot delegate controllers; so armd
 * moves itself into a leaf group (`daemon`) if it is in the group at the top. Other processes may share that
 * group, as with an armd that was started by hand. armd then makes /armada at the top of the hierarchy and
 * moves into its leaf, so that it and its shepherds find the group at the top there.
 */
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

/* Controllers are delegated from mount/top down to mount/top/tasks, the parent of the tasks' groups. */
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
		snprintf(b->tasks, sizeof(b->tasks), "%s", cgroup_root(&b->place, root));
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
	return fd < 0 ? cgroup2_fail(err, fd, "the parent group of tasks %s/%s: %s", b.top, b.tasks,
				     strerror(-fd))
		      : fd;
}

/* Enable the controller for the groups below dir. */
static int delegate(int dir, const char *controller)
{
	char have[CGROUP_TEXT];

	if (cgroup_read(dir, "cgroup.subtree_control", have) >= 0 &&
	    cgroup_has_word(have, controller))
		return 0;
	return cgroup_write(dir, "cgroup.subtree_control", "+%s", controller);
}

int cgroup2_base_pass_on(int base, int dir)
{
	char have[CGROUP_TEXT], *save = NULL;
	int rc = cgroup_read(base, "cgroup.subtree_control", have);

	if (rc < 0)
		return rc;
	for (char *word = strtok_r(have, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		rc = delegate(dir, word);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* All controllers; -EBUSY: the group itself holds processes, so it cannot delegate. */
static int delegate_all(int dir, const char *path, struct armada_error *err)
{
	char offered[CGROUP_TEXT];
	int rc = cgroup_read(dir, "cgroup.controllers", offered);

	if (rc < 0)
		return cgroup2_fail(err, rc, "%s/cgroup.controllers: %s", path, strerror(-rc));
	for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
		const char *name = controllers[i].name;

		if (cgroup_has_word(offered, name))
			rc = delegate(dir, name);
		else if (controllers[i].needed)
			return cgroup2_fail(
				err, -ENOENT,
				"%s does not have the controller %s: cgroup v1 has it, or the "
				"groups above delegate only: %s",
				path, name, *offered ? offered : "none");
		else
			rc = 0;
		if (rc < 0 && (controllers[i].needed || rc == -EBUSY))
			return cgroup2_fail(err, rc, "%s cannot delegate %s: %s", path, name,
					    strerror(-rc));
	}
	return 0;
}

static int enter_leaf(int dir, const char *path, struct armada_error *err)
{
	int rc = mkdirat(dir, LEAF, 0755) < 0 && errno != EEXIST ? -errno : 0;

	if (rc == 0)
		rc = cgroup_write(dir, LEAF "/cgroup.procs", "0");
	return rc < 0 ? cgroup2_fail(err, rc, "cannot enter %s/" LEAF ": %s", path, strerror(-rc))
		      : 0;
}

static int first_process(int dir)
{
	return (int)cgroup_number(dir, "cgroup.procs");
}

/* armd may be in the group at the top: it then enters a leaf. Other processes in the group are an error. */
static int open_up_top(const struct base *b, int dir, const char *path, struct armada_error *err)
{
	int rc = delegate_all(dir, path, err);

	if (rc != -EBUSY || b->configured || strcmp(b->top, b->place.own) != 0)
		return rc;
	rc = enter_leaf(dir, path, err);
	if (rc < 0)
		return rc;
	rc = delegate_all(dir, path, err);
	if (rc == -EBUSY)
		return cgroup2_fail(
			err, rc,
			"%s holds other processes too (%d): start armd in a group of its "
			"own, or name one with the option root",
			path, first_process(dir));
	return rc;
}

/* Small tasks, each with the least limit, cannot together use up the process numbers of the machine. */
static int bound_pids(int dir, const char *path, struct armada_error *err)
{
	int rc = cgroup_bound_pids(dir);

	return rc < 0 ? cgroup2_fail(err, rc, "%s/pids.max: %s", path, strerror(-rc)) : 0;
}

/* Make all groups from the top down to the parent of the tasks' groups. */
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
			rc = delegate_all(next, done, err);
		if (fd != dir)
			close(fd);
		fd = next;
	}
	if (rc == 0 && fd != dir)
		rc = bound_pids(fd, done, err);
	if (fd >= 0 && fd != dir)
		close(fd);
	return rc;
}

/* Make all groups, with the top that find chooses. */
static int make_all(const struct armada_option_value *values, struct base *ret_base,
		    struct armada_error *err)
{
	char path[2 * CGROUP_PATH];
	struct base *b = ret_base;
	int rc = find(values, b, err), dir;

	if (rc < 0)
		return rc;
	snprintf(path, sizeof(path), "%s%s", b->place.mount, b->top);
	dir = cgroup_open(AT_FDCWD, "%s", path);
	if (dir < 0)
		return cgroup2_fail(err, dir, "%s: %s", path, strerror(-dir));
	rc = open_up_top(b, dir, path, err);
	if (rc == 0)
		rc = make_levels(b, dir, path, err);
	close(dir);
	return rc;
}

/* Enter /armada/daemon, when it is sure that /armada can delegate; leave nothing in the group before. */
static int move_to_top(const struct base *b, struct armada_error *err)
{
	int top = cgroup_open(AT_FDCWD, "%s", b->place.mount), rc, dir = -1;
	char left[2 * CGROUP_PATH + sizeof("/" LEAF)];

	if (top < 0)
		return cgroup2_fail(err, top, "%s: %s", b->place.mount, strerror(-top));
	rc = delegate_all(top, b->place.mount, err);
	if (rc == 0 && mkdirat(top, TASKS, 0755) < 0 && errno != EEXIST)
		rc = cgroup2_fail(err, -errno, "/" TASKS " cannot be made: %s", strerror(errno));
	if (rc == 0)
		rc = dir = cgroup_open(top, TASKS);
	if (rc >= 0)
		rc = delegate_all(dir, "/" TASKS, err);
	if (rc == 0)
		rc = enter_leaf(dir, "/" TASKS, err);
	snprintf(left, sizeof(left), "%s%s/" LEAF, b->place.mount, b->place.own);
	if (rc == 0)
		unlinkat(AT_FDCWD, left, AT_REMOVEDIR); /* it remains if another armd is in it */
	if (dir >= 0)
		close(dir);
	close(top);
	return rc;
}

int cgroup2_base_make(const struct armada_option_value *values, struct armada_error *err)
{
	struct armada_error ignored; /* the first one is about the group that the user knows */
	struct base b = {0};
	int rc = make_all(values, &b, err);

	if (rc == 0 || b.configured || !*b.place.own || strcmp(b.top, b.place.own) != 0)
		return rc;
	return move_to_top(&b, &ignored) < 0 ? rc : make_all(values, &b, err);
}

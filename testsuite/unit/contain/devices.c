/*
 * The device filter of contain/cgroup2 alone: the kernel loads the program and applies it. The test
 * needs a unified hierarchy and no controller.
 */
#include "contain/cgroup.h"
#include "contain/devices.h"
#include "tap/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cgroup_place place;
static char name[64];

static int open_parent(void)
{
	return cgroup_open(AT_FDCWD, "%s%s", place.mount, place.own);
}

/* errno of opening path in the group, or 0. */
static int open_in(int group, const char *path)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (cgroup_write(group, "cgroup.procs", "0") < 0)
			_exit(99);
		_exit(open(path, O_RDWR | O_NONBLOCK) < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void test_filter(int group)
{
	static const struct armada_device full = {.path = "/dev/kmsg", .major = 1, .minor = 11};
	const struct armada_contain_limits none = {.devices_known = true},
					   own = {.devices = &full, .device_count = 1};
	static const char *const named[] = {"/dev/km[s]g", "/dev/no-such*", "/dev/nothing"};
	static struct device_rules rules;
	int program;

	is_int(open_in(group, "/dev/kmsg"), 0, "without a filter kmsg can be opened");
	is_int(devices_collect(&none, NULL, 0, &rules), 0, "the common rules are collected");
	program = devices_load(&rules);
	ok(program >= 0, "the kernel loads the program");
	is_int(devices_attach(program, group), 0, "the program is attached to the group");
	close(program);
	is_int(open_in(group, "/dev/kmsg"), EPERM, "kmsg is refused");
	is_int(open_in(group, "/dev/null"), 0, "null opens");
	is_int(open_in(group, "/dev/zero"), 0, "zero opens");
	is_int(open_in(group, "/dev/ptmx"), 0, "ptmx opens");
	is_int(devices_collect(&own, NULL, 0, &rules), 0,
	       "rules with a task's own device are collected");
	ok(rules.list[rules.count - 1].major > 0, "the device has a rule");
	is_int(devices_collect(&none, named, 3, &rules), 0,
	       "rules with the administrator's patterns are collected");
	is_int(rules.list[rules.count - 1].minor, 11, "the pattern finds the device");
}

int main(void)
{
	int rc = cgroup_place(NULL, &place), parent, group;

	if (geteuid() != 0 || rc < 0 || access("/dev/kmsg", R_OK | W_OK) != 0) {
		skip("needs root, /dev/kmsg and a unified hierarchy");
		return done();
	}
	snprintf(name, sizeof(name), "armada-devices-%d", (int)getpid());
	parent = open_parent();
	if (mkdirat(parent, name, 0755) < 0) {
		skip("no group can be made: %s", strerror(errno));
		return done();
	}
	group = cgroup_open(parent, "%s", name);
	test_filter(group);
	close(group);
	is_int(cgroup_remove(parent, name), 0, "the group is removed");
	return done();
}

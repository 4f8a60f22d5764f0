/*
 * Writing the limits of a task to the files of each controller of cgroup v1.
 *
 * In: limits, options, the directory of the task's group. A file that an old kernel lacks is skipped where
 * the limit is optional. A task that requests no amount of a resource gets no limit of it.
 */
#include "cgroup1_set.h"

#include "cgroup.h"
#include "devices.h"

#include <errno.h>
#include <stdio.h>

enum { SHARES_OF_CPU = 1024, SHARES_LEAST = 2, SHARES_MAX = 262144 };
enum { PERIOD_US = 100000, QUOTA_LEAST_US = 1000 };

/*
 * Memory first, then memory and swap together: the kernel refuses a sum below the limit of memory. A
 * limit that is raised above the sum needs the sum first.
 */
int cgroup1_set_memory(int dir, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values)
{
	int64_t bytes = cgroup_memory(limits, values);
	int rc;

	cgroup_optional(cgroup_write(dir, "memory.oom_control", "0"));
	if (bytes == 0)
		return 0;
	rc = cgroup_write(dir, "memory.limit_in_bytes", "%lld", (long long)bytes);
	if (rc == -EINVAL &&
	    cgroup_write(dir, "memory.memsw.limit_in_bytes", "%lld", (long long)bytes) == 0)
		rc = cgroup_write(dir, "memory.limit_in_bytes", "%lld", (long long)bytes);
	if (rc < 0)
		return rc;
	rc = cgroup_write(dir, "memory.memsw.limit_in_bytes", "%lld", (long long)bytes);
	if (rc == -ENOENT || rc == -EOPNOTSUPP) /* a kernel that does not count swap */
		rc = cgroup_optional(cgroup_write(dir, "memory.swappiness", "0"));
	return rc;
}

static int set_list(int dir, const char *file, const char *list)
{
	char name[64], text[CGROUP_TEXT];
	int rc = 0;

	if (list && *list)
		return cgroup_write(dir, file, "%s", list);
	/* A new group has an empty list and cannot be entered: copy the list of its parent. */
	snprintf(name, sizeof(name), "../%s", file);
	rc = cgroup_read(dir, name, text);
	return rc < 0 ? rc : cgroup_write(dir, file, "%s", text);
}

int cgroup1_set_cpuset(int dir, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values)
{
	int rc = set_list(dir, "cpuset.mems", limits->mems);

	(void)values;
	return rc < 0 ? rc : set_list(dir, "cpuset.cpus", limits->cpus);
}

int cgroup1_set_cpu(int dir, const struct armada_contain_limits *limits,
		    const struct armada_option_value *values)
{
	int64_t shares = limits->cpu_milli * SHARES_OF_CPU / 1000;
	int64_t quota_us = limits->cpu_milli * (PERIOD_US / 1000);
	int rc;

	(void)values;
	if (limits->cpu_milli <= 0)
		return 0;
	shares = shares < SHARES_LEAST ? SHARES_LEAST : shares > SHARES_MAX ? SHARES_MAX : shares;
	rc = cgroup_write(dir, "cpu.shares", "%lld", (long long)shares);
	if (rc < 0 || !limits->cpu_quota)
		return rc;
	rc = cgroup_write(dir, "cpu.cfs_period_us", "%d", PERIOD_US);
	if (rc == 0)
		rc = cgroup_write(dir, "cpu.cfs_quota_us", "%lld",
				  (long long)(quota_us < QUOTA_LEAST_US ? QUOTA_LEAST_US
									: quota_us));
	return rc;
}

int cgroup1_set_pids(int dir, const struct armada_contain_limits *limits,
		     const struct armada_option_value *values)
{
	return cgroup_write(dir, "pids.max", "%lld", (long long)cgroup_pids(limits, values));
}

/* A device that a group above refuses cannot be allowed below it; that is no error. */
static int allow(int dir, const struct device_rule *r)
{
	char minor[16] = "*";
	int rc;

	if (r->minor != DEVICES_ANY_MINOR)
		snprintf(minor, sizeof(minor), "%lld", (long long)r->minor);
	rc = cgroup_write(dir, "devices.allow", "%c %u:%s rwm", r->block ? 'b' : 'c', r->major,
			  minor);
	return rc == -EPERM ? 0 : rc;
}

int cgroup1_set_devices(int dir, const struct armada_contain_limits *limits,
			const struct armada_option_value *values)
{
	const struct armada_option_value *more = &values[CGROUP_DEVICES];
	static const char *const any_node[] = {"c *:* m", "b *:* m"};
	struct device_rules rules;
	int rc;

	if (!limits->devices_known || !values[CGROUP_DEVICE_FILTER].i)
		return 0;
	rc = devices_collect(limits, more->list, more->count, &rules);
	if (rc == 0)
		rc = cgroup_write(dir, "devices.deny", "a");
	for (size_t i = 0; rc == 0 && i < sizeof(any_node) / sizeof(any_node[0]); i++)
		if (cgroup_write(dir, "devices.allow", "%s", any_node[i]) == -ENOENT)
			rc = -ENOENT;
	for (size_t i = 0; rc == 0 && i < rules.count; i++)
		rc = allow(dir, &rules.list[i]);
	return rc;
}

/*
 * The limits and the usage of a task, in the files of its cgroup v2.
 *
 * In: limits and options; out: usage. Swap, cpuset and memory.oom.group are skipped if the kernel or the
 * groups above do not offer them. The device filter is loaded and attached last.
 */
#include "cgroup2_limits.h"

#include "cgroup2.h"
#include "devices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WEIGHT_OF_CPU = 100, WEIGHT_MAX = 10000, PERIOD_US = 100000, QUOTA_LEAST_US = 1000 };

/* memory.oom.group: the kernel kills all processes of a task over its limit, not only one of them. */
static int set_oom_group(int dir, const struct armada_contain_limits *limits,
			 const struct armada_option_value *values)
{
	(void)limits;
	(void)values;
	return cgroup_optional(cgroup_write(dir, "memory.oom.group", "1"));
}

static int set_memory(int dir, const struct armada_contain_limits *limits,
		      const struct armada_option_value *values)
{
	int64_t bytes = cgroup_memory(limits, values);
	int rc;

	if (bytes == 0)
		return 0;
	rc = cgroup_write(dir, "memory.max", "%lld", (long long)bytes);
	return rc < 0 ? rc : cgroup_optional(cgroup_write(dir, "memory.swap.max", "0"));
}

static int set_cpu(int dir, const struct armada_contain_limits *limits,
		   const struct armada_option_value *values)
{
	int64_t weight = limits->cpu_milli * WEIGHT_OF_CPU / 1000;
	int64_t quota_us = limits->cpu_milli * (PERIOD_US / 1000);
	int rc;

	(void)values;
	if (limits->cpu_milli <= 0)
		return 0;
	weight = weight < 1 ? 1 : weight > WEIGHT_MAX ? WEIGHT_MAX : weight;
	rc = cgroup_write(dir, "cpu.weight", "%lld", (long long)weight);
	if (rc < 0 || !limits->cpu_quota)
		return rc;
	return cgroup_write(dir, "cpu.max", "%lld %d",
			    (long long)(quota_us < QUOTA_LEAST_US ? QUOTA_LEAST_US : quota_us),
			    PERIOD_US);
}

/* Without the controller cpuset, tasks are bound to cpus by affinity alone. */
static int set_cpuset(int dir, const struct armada_contain_limits *limits,
		      const struct armada_option_value *values)
{
	int rc = 0;

	(void)values;
	if (limits->mems && *limits->mems)
		rc = cgroup_optional(cgroup_write(dir, "cpuset.mems", "%s", limits->mems));
	if (rc == 0 && limits->cpus && *limits->cpus)
		rc = cgroup_optional(cgroup_write(dir, "cpuset.cpus", "%s", limits->cpus));
	return rc;
}

static int set_pids(int dir, const struct armada_contain_limits *limits,
		    const struct armada_option_value *values)
{
	return cgroup_write(dir, "pids.max", "%lld", (long long)cgroup_pids(limits, values));
}

/* A new filter is attached before the old one is detached: an access must pass both. */
static int set_devices(struct handle *h, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values)
{
	const struct armada_option_value *more = &values[CGROUP_DEVICES];
	struct device_rules rules;
	int rc, program;

	if (!limits->devices_known || !values[CGROUP_DEVICE_FILTER].i)
		return 0;
	rc = devices_collect(limits, more->list, more->count, &rules);
	if (rc < 0)
		return rc;
	program = devices_load(&rules);
	if (program < 0)
		return program;
	rc = devices_attach(program, h->dir);
	if (rc == 0 && h->filter >= 0)
		rc = devices_detach(h->filter, h->dir);
	if (h->filter >= 0)
		close(h->filter);
	h->filter = program;
	return rc;
}

static const struct setter {
	const char *name;
	int (*set)(int dir, const struct armada_contain_limits *limits,
		   const struct armada_option_value *values);
	bool of_group; /* limits several tasks together too */
} setters[] = {
	{"memory", set_oom_group, false}, {"memory", set_memory, true}, {"cpu", set_cpu, true},
	{"cpuset", set_cpuset, false},    {"pids", set_pids, true},
};

static int fail_to_set(int rc, const char *name, struct armada_error *err)
{
	return cgroup2_fail(err, rc, "%s: the task's limit cannot be set: %s", name, strerror(-rc));
}

int cgroup2_limits_set(struct handle *h, const struct armada_contain_limits *limits,
		       const struct armada_option_value *values, struct armada_error *err)
{
	int rc;

	for (size_t i = 0; i < sizeof(setters) / sizeof(setters[0]); i++) {
		rc = setters[i].set(h->dir, limits, values);
		if (rc < 0)
			return fail_to_set(rc, setters[i].name, err);
	}
	rc = set_devices(h, limits, values);
	return rc < 0 ? fail_to_set(rc, "devices", err) : 0;
}

int cgroup2_limits_set_group(int dir, const struct armada_contain_limits *limits,
			     const struct armada_option_value *values, struct armada_error *err)
{
	for (size_t i = 0; i < sizeof(setters) / sizeof(setters[0]); i++) {
		int rc = setters[i].of_group ? setters[i].set(dir, limits, values) : 0;

		if (rc < 0)
			return fail_to_set(rc, setters[i].name, err);
	}
	return 0;
}

/* Lines of "8:0 rbytes=1 wbytes=2 rios=...", one for each device. */
static void read_io(int dir, struct armada_contain_usage *u)
{
	char text[CGROUP_TEXT];
	long long bytes;

	if (cgroup_read(dir, "io.stat", text) < 0)
		return;
	for (const char *p = text; (p = strstr(p, "bytes=")); p += strlen("bytes="))
		if (p > text && sscanf(p, "bytes=%lld", &bytes) == 1) {
			if (p[-1] == 'r')
				u->read_bytes += bytes;
			else if (p[-1] == 'w')
				u->written_bytes += bytes;
		}
}

/*
 * file contains shmem. Kernels before 5.19 have no memory.peak: there the largest sample counts, and the
 * limit once it was reached.
 */
static void sample_memory(struct handle *h)
{
	enum { ANON, SHMEM, CACHE, MAPPED, WORDS };
	static const char *const words[WORDS] = {"anon", "shmem", "file", "file_mapped"};
	struct peak_sample s = {.group = cgroup_number(h->dir, "memory.peak")};
	int64_t n[WORDS];

	if (!peak_read(h->dir, "memory.stat", words, n, WORDS))
		return;
	s.processes = n[ANON] + n[SHMEM];
	s.files = n[CACHE] > n[SHMEM] ? n[CACHE] - n[SHMEM] : 0;
	s.mapped = n[MAPPED];
	s.now = INT64_MAX;
	if (s.group < 0 && cgroup_field(h->dir, "memory.events", "oom") > 0)
		s.now = cgroup_number(h->dir, "memory.max");
	if (s.now == INT64_MAX)
		s.now = cgroup_number(h->dir, "memory.current");
	peak_add(&h->peak, &s);
}

static int64_t at_least_0(int64_t n)
{
	return n > 0 ? n : 0;
}

int cgroup2_usage(void *handle, struct armada_contain_usage *ret_usage, struct armada_error *err)
{
	struct handle *h = handle;
	struct armada_contain_usage u = {0};
	int64_t cpu_us = cgroup_field(h->dir, "cpu.stat", "usage_usec");

	(void)err;
	sample_memory(h);
	u.cpu_us = at_least_0(cpu_us);
	u.user_us = at_least_0(cgroup_field(h->dir, "cpu.stat", "user_usec"));
	u.system_us = at_least_0(cgroup_field(h->dir, "cpu.stat", "system_usec"));
	read_io(h->dir, &u);
	cgroup_add_rusage(&u);
	u.oom = cgroup_field(h->dir, "memory.events", "oom_kill") > 0;
	u.max_rss_bytes = peak_of(&h->peak, peak_largest(), u.oom);
	u.group_peak_bytes = h->peak.group;
	*ret_usage = u;
	return 0;
}

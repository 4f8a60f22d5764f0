/* The usage of a task, as the controllers of cgroup v1 count it. */
#include "cgroup1_usage.h"

#include "cgroup1.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int dir_of(const struct handle *h, int i)
{
	return h->dir[h->with[i]];
}

static int64_t at_least_0(int64_t n)
{
	return n > 0 ? n : 0;
}

/* Lines of "8:0 Read 4096": sums over all devices, including the groups below. */
static void read_io(int dir, struct armada_contain_usage *u)
{
	char text[CGROUP_TEXT], word[16];
	long long bytes;

	if (dir < 0 || cgroup_read(dir, "blkio.throttle.io_service_bytes_recursive", text) < 0)
		return;
	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (sscanf(line, "%*u:%*u %15s %lld", word, &bytes) != 2)
			continue;
		if (strcmp(word, "Read") == 0)
			u->read_bytes += bytes;
		else if (strcmp(word, "Write") == 0)
			u->written_bytes += bytes;
	}
}

/* Kernels before 4.13 do not count processes killed for memory; there the event of watch_memory decides. */
static bool ran_out(struct handle *h)
{
	int64_t kills = cgroup_field(dir_of(h, MEMORY), "memory.oom_control", "oom_kill"), n;

	if (h->event >= 0 && read(h->event, &n, sizeof(n)) == (ssize_t)sizeof(n) && n > 0)
		h->oom_seen = true;
	return kills < 0 ? h->oom_seen : kills > 0;
}

/* total_: with the groups that the task may have made below its own. cache contains shmem. */
static void sample_memory(struct handle *h)
{
	enum { RSS, SHMEM, CACHE, MAPPED, WORDS };
	static const char *const words[WORDS] = {"total_rss", "total_shmem", "total_cache",
						 "total_mapped_file"};
	int64_t n[WORDS];

	if (!peak_read(dir_of(h, MEMORY), "memory.stat", words, n, WORDS))
		return;
	peak_add(&h->peak,
		 &(struct peak_sample){
			 .processes = n[RSS] + n[SHMEM],
			 .files = at_least_0(n[CACHE] - n[SHMEM]),
			 .mapped = n[MAPPED],
			 .group = cgroup_number(dir_of(h, MEMORY), "memory.max_usage_in_bytes"),
		 });
}

/* The kernel counts both parts in ticks, so they may be less exact than the sum. */
static void split_cpu(int cpuacct, struct armada_contain_usage *u)
{
	const int64_t tick_us = 1000000 / sysconf(_SC_CLK_TCK);
	int64_t user = at_least_0(cgroup_field(cpuacct, "cpuacct.stat", "user"));
	int64_t kernel = at_least_0(cgroup_field(cpuacct, "cpuacct.stat", "system"));

	u->user_us = user * tick_us;
	u->system_us = kernel * tick_us;
}

int cgroup1_usage(void *handle, struct armada_contain_usage *ret_usage, struct armada_error *err)
{
	struct handle *h = handle;
	struct armada_contain_usage u = {0};
	int cpuacct = dir_of(h, CPUACCT);

	(void)err;
	if (cpuacct >= 0) {
		u.cpu_us = at_least_0(cgroup_number(cpuacct, "cpuacct.usage")) / 1000;
		split_cpu(cpuacct, &u);
	}
	sample_memory(h);
	read_io(dir_of(h, BLKIO), &u);
	cgroup_add_rusage(&u);
	u.oom = ran_out(h);
	u.max_rss_bytes = peak_of(&h->peak, peak_largest(), u.oom);
	u.group_peak_bytes = h->peak.group;
	*ret_usage = u;
	return 0;
}

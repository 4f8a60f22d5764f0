/* Converts the figures of a task's usage between message and struct. Input from a peer is not trusted. */
#include "proto/usage.h"

static int64_t bounded(int64_t n)
{
	return n < 0 ? 0 : n > USAGE_MAX ? USAGE_MAX : n;
}

void usage_take(const Armada__Usage *from, struct task_usage *to)
{
	to->cpu_us = bounded(from->cpu_us);
	to->max_rss_bytes = bounded(from->max_rss_bytes);
	to->group_peak_bytes = bounded(from->group_peak_bytes);
	to->read_bytes = bounded(from->read_bytes);
	to->written_bytes = bounded(from->written_bytes);
	to->user_us = bounded(from->user_us);
	to->system_us = bounded(from->system_us);
}

void usage_put(const struct task_usage *from, Armada__Usage *to)
{
	to->cpu_us = from->cpu_us;
	to->max_rss_bytes = from->max_rss_bytes;
	to->group_peak_bytes = from->group_peak_bytes;
	to->read_bytes = from->read_bytes;
	to->written_bytes = from->written_bytes;
	to->user_us = from->user_us;
	to->system_us = from->system_us;
}

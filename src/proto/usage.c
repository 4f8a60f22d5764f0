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

static void add(int64_t *sum, int64_t n)
{
	*sum = n > USAGE_MAX - *sum ? USAGE_MAX : *sum + n;
}

static void at_least(int64_t *most, int64_t n)
{
	if (*most < n)
		*most = n;
}

void usage_add(struct task_usage *sum, const struct task_usage *more)
{
	add(&sum->cpu_us, more->cpu_us);
	at_least(&sum->max_rss_bytes, more->max_rss_bytes);
	at_least(&sum->group_peak_bytes, more->group_peak_bytes);
	add(&sum->read_bytes, more->read_bytes);
	add(&sum->written_bytes, more->written_bytes);
	add(&sum->user_us, more->user_us);
	add(&sum->system_us, more->system_us);
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

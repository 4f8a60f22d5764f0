/*
 * Samples of the usage of a task (usage.h). Input: time. Output: calls of the contain plugin, which keeps
 * what the samples have shown.
 *
 * The pause between two samples doubles, from 10 ms to 5 s. A sample of a task with thousands of
 * processes may take long, so the pause is also at least a hundred times what the last sample took.
 */
#include "armd/shepherd/usage.h"

#include "armd/shepherd/control.h"
#include "util/clock.h"

enum { PAUSE_MIN_US = 10000, PAUSE_MAX_US = 5000000, PART_OF_TIME = 100, TELL_US = 1000000 };

void shepherd_usage_begin(struct shepherd *s)
{
	s->usage_pause_us = PAUSE_MIN_US;
	s->usage_due_us = clock_us(CLOCK_BOOTTIME) + s->usage_pause_us;
}

int64_t shepherd_usage_due_us(const struct shepherd *s)
{
	return s->usage_due_us;
}

static bool sample(struct shepherd *s, struct armada_contain_usage *ret)
{
	struct armada_error ignored;

	*ret = (struct armada_contain_usage){0};
	return s->contain && s->task->contain->usage(s->contain, ret, &ignored) == 0;
}

void shepherd_usage_sample(struct shepherd *s)
{
	struct armada_contain_usage ignored;

	sample(s, &ignored);
}

/* Every time, also without a change: the launcher or its network process may be new. */
static void tell(const struct shepherd *s, const struct armada_contain_usage *u)
{
	const struct task_usage used = {
		.cpu_us = u->cpu_us,
		.max_rss_bytes = u->max_rss_bytes,
		.group_peak_bytes = u->group_peak_bytes,
		.read_bytes = u->read_bytes,
		.written_bytes = u->written_bytes,
		.user_us = u->user_us,
		.system_us = u->system_us,
	};

	control_send_usage(s->task->spool, &s->task->order.key, &used);
}

void shepherd_usage_tick(struct shepherd *s)
{
	int64_t begin_us = clock_us(CLOCK_BOOTTIME), took_us, pause_us;
	struct armada_contain_usage u;

	if (s->usage_due_us == 0 || begin_us < s->usage_due_us)
		return;
	if (sample(s, &u) && begin_us - s->begun_us >= TELL_US)
		tell(s, &u);
	took_us = clock_us(CLOCK_BOOTTIME) - begin_us;
	s->usage_pause_us *= 2;
	if (s->usage_pause_us > PAUSE_MAX_US)
		s->usage_pause_us = PAUSE_MAX_US;
	pause_us = s->usage_pause_us;
	if (pause_us < took_us * PART_OF_TIME)
		pause_us = took_us * PART_OF_TIME;
	s->usage_due_us = begin_us + took_us + pause_us;
}

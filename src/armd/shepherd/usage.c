/*
 * Samples of the usage of a task (usage.h). Input: time. Output: calls of the contain plugin, which keeps
 * what the samples have shown.
 *
 * The pause between two samples doubles, from 10 ms to 5 s. A sample of a task with thousands of
 * processes may take long, so the pause is also at least a hundred times what the last sample took.
 */
#include "armd/shepherd/usage.h"

#include "util/clock.h"

enum { PAUSE_MIN_US = 10000, PAUSE_MAX_US = 5000000, PART_OF_TIME = 100 };

void shepherd_usage_begin(struct shepherd *s)
{
	s->usage_pause_us = PAUSE_MIN_US;
	s->usage_due_us = clock_us(CLOCK_BOOTTIME) + s->usage_pause_us;
}

int64_t shepherd_usage_due_us(const struct shepherd *s)
{
	return s->usage_due_us;
}

void shepherd_usage_sample(struct shepherd *s)
{
	struct armada_contain_usage u = {0};
	struct armada_error ignored;

	if (s->contain)
		s->task->contain->usage(s->contain, &u, &ignored);
}

void shepherd_usage_tick(struct shepherd *s)
{
	int64_t begin_us = clock_us(CLOCK_BOOTTIME), took_us, pause_us;

	if (s->usage_due_us == 0 || begin_us < s->usage_due_us)
		return;
	shepherd_usage_sample(s);
	took_us = clock_us(CLOCK_BOOTTIME) - begin_us;
	s->usage_pause_us *= 2;
	if (s->usage_pause_us > PAUSE_MAX_US)
		s->usage_pause_us = PAUSE_MAX_US;
	pause_us = s->usage_pause_us;
	if (pause_us < took_us * PART_OF_TIME)
		pause_us = took_us * PART_OF_TIME;
	s->usage_due_us = begin_us + took_us + pause_us;
}

#include "asim/storm/clock.h"

int64_t sim_clock_wall_us(const struct storm *s)
{
	return SIM_EPOCH_US + s->now_us + s->clock->wall_off_us;
}

int64_t sim_clock_steady_us(const struct storm *s)
{
	return s->now_us + s->clock->steady_off_us;
}

void sim_clock_start(struct storm *s)
{
	s->clock->steady_off_us =
		storm_random(s, 2) ? (int64_t)storm_random(s, INT64_C(1000000000000)) : 0;
}

/* By seconds, as a time server does, or by half an hour, as a person does. */
void sim_clock_jump(struct storm *s)
{
	int64_t max_us = storm_random(s, 2) ? 5000000 : INT64_C(1800000000);

	if (!s->clock->jumps)
		return;
	s->clock->wall_off_us = (int64_t)storm_random(s, 2 * (uint64_t)max_us) - max_us;
	storm_trace(s, "the wall clock is off by %.0f s", s->clock->wall_off_us / 1e6);
}

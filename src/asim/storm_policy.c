/* Another armada.conf while everything runs: classes, limits and what may be preempted. */
#include "asim/storm_parts.h"

#include <string.h>

static struct sched_fraction draw_fraction(struct storm *s)
{
	return (struct sched_fraction){.limited = storm_random(s, 4) == 0,
				       .of = {0.25 * (double)(1 + storm_random(s, 4))}};
}

static void draw_classes(struct storm *s)
{
	for (size_t i = 0; i < STORM_CLASSES; i++) {
		s->classes[i] = storm_classes[i];
		s->classes[i].limit = draw_fraction(s);
		if (storm_random(s, 3) == 0)
			s->classes[i].fair_share_preemptible ^= true;
		if (storm_random(s, 3) == 0)
			s->classes[i].urgency_preemptible ^= true;
	}
}

/* A burst as large as the largest gang, so that limits delay and refuse nobody. */
static void draw_limits(struct storm *s, struct sched_limits *l)
{
	enum { LARGEST = 8 };

	*l = (struct sched_limits){0};
	if (storm_random(s, 3) == 0)
		l->jobs_per_round = LARGEST + storm_random(s, 4);
	if (storm_random(s, 3) == 0)
		l->queue_lookback = 1 + storm_random(s, 16);
	if (storm_random(s, 3) == 0)
		l->rate = (struct sched_rate){1 + (double)storm_random(s, 20), LARGEST};
	if (storm_random(s, 3) == 0)
		l->queue_rate = (struct sched_rate){1 + (double)storm_random(s, 20), LARGEST};
	if (storm_random(s, 3) == 0)
		l->per_round = draw_fraction(s);
}

void policy_reset(struct storm *s)
{
	memcpy(s->classes, storm_classes, sizeof(s->classes));
	s->policy.classes = s->classes;
	s->policy.limits = (struct sched_limits){0};
	memcpy(s->queues, storm_queues, sizeof(s->queues));
	s->policy.queues = s->queues;
	s->policy.queue_count = STORM_QUEUES;
	for (size_t i = 0; i < STORM_QUEUES; i++)
		s->queues[i].says_cordoned = true; /* who was cordoned by hand is no more */
	most_reset(s);
}

void policy_draw(struct storm *s)
{
	draw_classes(s);
	draw_limits(s, &s->policy.limits);
	for (size_t i = 0; i < STORM_QUEUES; i++) {
		s->queues[i].limit = draw_fraction(s);
		s->queues[i].says_cordoned = storm_random(s, 2) == 0;
	}
	most_draw(s);
}

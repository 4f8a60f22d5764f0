/*
 * A scheduler for a test world: a sched and its feed, which is filled from the core and then
 * applies the records of the core.
 */
#pragma once

#include "feed/sched_feed.h"
#include "fixture.h"
#include "unit/sched/rig.h"

struct fed_sched {
	struct rig rig;
	struct sched_feed *feed;
	uint64_t round; /* the number of the last round */
};

/* Fills the scheduler from the core. The classes of the policy are set by the function. */
void fed_sched_init(struct fed_sched *p, const struct test_world *w, struct rig_policy policy);
void fed_sched_done(struct fed_sched *p);
/* Applies the record of the last input. */
void fed_sched_apply(struct fed_sched *p, const struct test_world *w);
/*
 * Runs a round whose decisions do not take effect. The starts that it decides, as "1:3" for job 1 with three
 * nodes.
 */
const char *fed_sched_starts(struct test_world *w, struct fed_sched *p);

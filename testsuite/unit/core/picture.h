/*
 * The scheduler's picture of a test world: a sched with its feed, filled from the core and following its
 * records.
 */
#pragma once

#include "feed/sched_feed.h"
#include "fixture.h"
#include "unit/sched/rig.h"

struct picture {
	struct rig rig;
	struct sched_feed *feed;
	uint64_t round; /* the last that was played */
};

/* policy: its classes are set here. */
void picture_init(struct picture *p, const struct test_world *w, struct rig_policy policy);
void picture_done(struct picture *p);
/* What the last input of the world has recorded. */
void picture_follow(struct picture *p, const struct test_world *w);

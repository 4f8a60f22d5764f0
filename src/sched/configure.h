/*
 * Another configuration for a sched in use.
 */
#pragma once

#include "sched/sched.h"

/*
 * Between two rounds. The resources must be the same. All plugins are opened anew, also unchanged
 * ones. Classes are matched by name: new classes are added, and a class that config does not list
 * keeps its settings for its jobs. Token buckets keep their tokens, up to the new burst. On failure
 * nothing has changed.
 *
 * Afterwards the decisions are those of a sched that was created with config and received the same
 * calls. O(classes + queues + shapes + nodes + running tasks), and O(jobs) if the limits of users
 * differ.
 */
int sched_reconfigure(struct sched *s, const struct sched_config *config, struct err *err);

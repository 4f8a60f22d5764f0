/*
 * Another configuration for a sched in use.
 */
#pragma once

#include "sched/sched.h"

/*
 * Between two rounds. The resources must be the same. All plugins are opened anew, also unchanged
 * ones. Classes are found by name: new ones are added, and one that is no longer listed stays as it
 * was for its jobs. Token buckets keep their tokens, up to the new burst. On failure nothing has
 * changed.
 *
 * Afterwards the sched decides as one that was made with config and got the same calls. O(classes +
 * queues + keys + nodes + running tasks); waiting jobs matter only if limits of users differ.
 */
int sched_reconfigure(struct sched *s, const struct sched_config *config, struct err *err);

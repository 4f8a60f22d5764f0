/*
 * Another configuration for a sched that is at work.
 */
#pragma once

#include "sched/sched.h"

/*
 * Between two rounds. Resources must be the same; plugins are opened anew, the same ones too. Classes
 * are known by their names: new ones are added, and one that is no longer there stays as it was for
 * the jobs that are in it. Buckets of tokens keep what they hold, up to the new burst. On failure
 * nothing has changed.
 *
 * Afterwards the sched decides as one that was made with config and told the same. O(classes +
 * queues + keys + nodes + running tasks): jobs that wait matter only where limits of users differ.
 */
int sched_reconfigure(struct sched *s, const struct sched_config *config, struct err *err);

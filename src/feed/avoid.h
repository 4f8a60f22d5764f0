/*
 * The nodes that a job avoids for a while (core/state/avoid.h), reported to the scheduler.
 */
#pragma once

#include "feed/internal.h"

/* _more adds nodes to the list of the job; _are replaces the list. */
void avoids_more(struct sched_feed *m, struct known_job *k, char *const *nodes, size_t count);
void avoids_are(struct sched_feed *m, struct known_job *k, Armada__Avoided *const *nodes,
		size_t count);
/* Reports the list again, after the scheduler got a new description of the job. */
void avoids_again(struct sched_feed *m, struct known_job *k);
void avoids_free(struct known_job *k);

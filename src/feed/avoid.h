/*
 * Nodes that just failed a job.
 */
#pragma once

#include "feed/internal.h"

void avoids_more(struct sched_feed *m, struct known_job *k, char *const *nodes, size_t count);
void avoids_are(struct sched_feed *m, struct known_job *k, Armada__Avoided *const *nodes,
		size_t count);
/* The scheduler is told of all of them: it knows the job anew. */
void avoids_again(struct sched_feed *m, struct known_job *k);
void avoids_free(struct known_job *k);

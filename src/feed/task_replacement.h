/*
 * Elements that go on when tasks of theirs fail. The scheduler hears of the end of each task, and of a task
 * that is to be started anew as of a job with one member.
 */
#pragma once

#include "feed/internal.h"

/* Its specification is another; not that of what has nodes. */
void restarts_changed(struct sched_feed *m, struct known_job *k, const Armada__JobSubmitted *sub);
void restarts_submitted(struct known_job *k, const Armada__JobSubmitted *sub, int64_t submit_us);
void restarts_free(struct known_job *k);
/* As many nodes as the job has members, NULL for those without. */
void restarts_leased(struct sched_feed *m, struct known_job *k, uint32_t element,
		     const uint32_t *members, char *const *nodes, size_t tasks);
void restarts_task_ended(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key);
void restarts_task_vacated(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			   uint64_t replacement);
void restarts_task_leased(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			  const char *node);
/* The nodes that it avoids are others. */
void restarts_avoid(struct sched_feed *m, struct known_job *k);
/* It is being ended as a whole: nothing of it is started anew. */
void restarts_ending(struct sched_feed *m, struct known_job *k, uint32_t element);
/* It has no nodes any more. */
void restarts_ended(struct sched_feed *m, struct known_job *k, uint32_t element);
void restarts_settle(struct sched_feed *m);

/*
 * Elements that continue when some of their tasks fail. The scheduler gets the end of each task. A task that
 * waits for a new node is a job with one member for the scheduler.
 */
#pragma once

#include "feed/internal.h"

/* The spec of the job was updated. Tasks that have nodes keep theirs. */
void restarts_changed(struct sched_feed *m, struct known_job *k, const Armada__JobSubmitted *sub);
void restarts_submitted(struct known_job *k, const Armada__JobSubmitted *sub, int64_t submit_us);
void restarts_free(struct known_job *k);
/* The element was leased. members and nodes are by rank. */
void restarts_leased(struct sched_feed *m, struct known_job *k, uint32_t element,
		     const uint32_t *members, char *const *nodes, size_t tasks);
void restarts_task_ended(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key);
void restarts_task_vacated(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			   uint64_t replacement);
void restarts_task_leased(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			  const char *node);
/* The list of nodes that the job avoids has changed. */
void restarts_avoid(struct sched_feed *m, struct known_job *k);
/* The element is being ended: its tasks are not replaced any more. */
void restarts_ending(struct sched_feed *m, struct known_job *k, uint32_t element);
/* The element has ended or was requeued. */
void restarts_ended(struct sched_feed *m, struct known_job *k, uint32_t element);
/* Call after each record: adds, changes and removes the jobs for replacements. */
void restarts_settle(struct sched_feed *m);

/*
 * The jobs that the feed knows, and their elements in the scheduler.
 */
#pragma once

#include "feed/internal.h"

/* NULL: no job of that id. O(1). */
struct known_job *known_job_find(const struct sched_feed *m, uint64_t id);
/* Adds a job without elements; the caller adds those. */
struct known_job *known_job_add(struct sched_feed *m, const Armada__JobSubmitted *sub,
				int64_t submit_us);
void known_job_drop(struct sched_feed *m, struct known_job *k);
/* Adds waiting elements. */
void known_job_wait(struct sched_feed *m, struct known_job *k, const Armada__IndexRange *r,
		    bool withheld);
void known_job_hold(struct sched_feed *m, uint64_t job, bool held);
/* No element starts from the beginning of a restart to its end. */
void known_job_restart(struct sched_feed *m, uint64_t job, bool begins);
/* A member of a gang of jobs that is withheld is held. */
void known_job_withhold(struct sched_feed *m, struct known_job *k, bool withheld);
void known_job_pause(struct sched_feed *m, struct known_job *k, uint32_t element, bool paused);
/* The group of each rank, in the arena. counts: tasks of each group; count 0: all of them. */
uint32_t *known_job_groups(struct sched_feed *m, const struct known_job *k, const uint32_t *counts,
			   size_t count, size_t ranks);
/* A waiting element runs. nodes and groups are by rank. */
void known_job_run(struct sched_feed *m, struct known_job *k, uint32_t element, char *const *nodes,
		   const uint32_t *groups, size_t n, int64_t start_us);
/* An element has stopped; the last one makes a change of the job. */
void known_job_stopped(struct sched_feed *m, struct known_job *k);
/* A preempted element gives up its room at once, although its tasks may still run. */
void known_job_yield(struct sched_feed *m, uint64_t job, uint32_t element);
/* The specification of the job has changed. */
void known_job_change(struct sched_feed *m, struct known_job *k, Armada__JobSpec *spec);

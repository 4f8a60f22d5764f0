/*
 * Extra tasks of elastic elements (core/state/extra.h). The scheduler knows each one as a job with one member
 * and a turn: it waits while its element runs and it has no node.
 */
#pragma once

#include "feed/internal.h"

void elastic_submitted(struct known_job *k, const Armada__JobSubmitted *sub, int64_t submit_us);
/* The spec of the job was updated. */
void elastic_changed(struct sched_feed *m, struct known_job *k, const Armada__JobSubmitted *sub);
void elastic_free(struct known_job *k);
/* True if the job is elastic and elements of it run: they keep the members with which they started. */
bool elastic_runs(const struct known_job *k);
/*
 * The element was leased. extras: as in ElementLeased; together: the number of tasks that start
 * together; groups, nodes: theirs, by rank. nodes NULL: they are restored from a snapshot.
 */
void elastic_leased(struct sched_feed *m, struct known_job *k, uint32_t element, uint64_t extras,
		    char *const *nodes, const uint32_t *groups, size_t together);
/* Its extra tasks are others. extras: as in ElementScaled. */
void elastic_scaled(struct sched_feed *m, struct known_job *k, uint32_t element,
		    const uint32_t *extras, size_t count);
/* All tasks that started together have started: extra tasks may join. */
void elastic_begun(struct sched_feed *m, struct known_job *k, uint32_t element);
/* Its processes are frozen, or run again: no task joins meanwhile. */
void elastic_suspended(struct sched_feed *m, struct known_job *k, uint32_t element, bool suspended);
void elastic_task_leased(struct sched_feed *m, struct known_job *k, const Armada__TaskLeased *e);
void elastic_task_ended(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			const Armada__TaskEnd *end);
void elastic_task_vacated(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key);
void elastic_task_leaving(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key);
/* A task of a snapshot, with the next rank. */
void elastic_restored(struct sched_feed *m, struct known_job *k, uint32_t element, uint32_t rank,
		      const Armada__SnapTask *t);
/* The job is held or released, or the list of nodes that it avoids has changed. */
void elastic_look_again(struct sched_feed *m, struct known_job *k);
/* The element is UNKNOWN: its tasks may not be displaced now. */
void elastic_pin(struct sched_feed *m, struct known_job *k, uint32_t element, bool pinned);
/* The element is being ended. yields: its tasks give up their room at once. */
void elastic_ending(struct sched_feed *m, struct known_job *k, uint32_t element, bool yields);
/* The element has ended or was requeued. */
void elastic_ended(struct sched_feed *m, struct known_job *k, uint32_t element);
/* Call after each record: adds and removes the jobs of extra tasks that wait. */
void elastic_settle(struct sched_feed *m);

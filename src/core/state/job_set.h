/*
 * Job sets: a queue and a name, and the number of the next job event of the set (armada-events(5)).
 *
 * A set exists while it has jobs in memory. After its last job has left it is idle: it stays in memory,
 * in a list by age, so that its numbers go on. A submission that makes a new set may say how many of the
 * oldest idle sets are forgotten before (core/admission/bounds.h). state.forgotten_events is the highest
 * number that a forgotten set has used, and a new set begins above it, so that a number never comes twice
 * under one name. A deleted queue takes its idle sets with it in the same way.
 *
 * Only fold_event() advances the numbers, by the count of job events that core/txn/job_events.c derived
 * from the log event.
 */
#pragma once

#include "core/state/link.h"
#include "util/err.h"

#include <stdint.h>
#include <uthash.h>

struct job;
struct queue;
struct state;

/* A user with idle sets. */
struct job_set_user {
	uint32_t uid;
	uint64_t count;
	LINK_QUEUE(own_set_list, job_set) by_age;
	UT_hash_handle hh;
};

struct job_set {
	LINK(queue) queue;
	char *name;
	uint32_t uid; /* who submitted the first of its jobs */
	uint64_t next_event;
	uint64_t jobs;            /* in memory */
	uint64_t waiting, active; /* their elements */
	size_t key_len;
	char *key;
	LINK(job_set_user) idle_user; /* NULL: the set has jobs */
	LINK_IN_QUEUE(job_set) by_age;
	LINK_IN_QUEUE(job_set) of_user;
	UT_hash_handle hh;
};

/* NULL: not in memory. */
LINK(job_set) job_set_find(const struct state *state, const struct queue *q, const char *name);
/* The number of idle sets whose first job was of this user. O(1). */
uint64_t job_sets_idle_of(const struct state *state, uint32_t uid);
/* Counts jobs and elements again and compares. O(jobs). */
int job_sets_check(const struct state *state, struct err *err);

#ifdef STATE_WRITES
/* The job, which has its queue, spec and user, gets its set; or is about to lose it. */
void job_set_join(struct state *state, struct job *j);
void job_set_leave(struct state *state, struct job *j);
/* An idle set of a snapshot. */
void job_set_restore(struct state *state, struct queue *q, const char *name, uint32_t uid,
		     uint64_t next_event);
/* Forget the oldest idle sets of the user, and then the oldest of all. */
void job_sets_forget(struct state *state, uint32_t uid, uint32_t own, uint32_t oldest);
/* The queue is about to be deleted: it has no jobs. O(idle sets). */
void job_sets_forget_queue(struct state *state, const struct queue *q);
void job_sets_free(struct state *state);
#endif

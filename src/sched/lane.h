/*
 * Jobs that stand in line together, and whoever is next in a lane. Private to src/sched.
 */
#ifndef SCHED_LANE_H
#define SCHED_LANE_H

#include <stdbool.h>
#include <stdint.h>

struct sched;

struct lane {
	uint32_t queue, key;
	uint32_t who; /* the tenant, if a limit may keep its jobs back alone; NIL, WHO_VACANT */
	uint32_t elements; /* that each gang counts as */
	uint32_t jobs;     /* all of them, ready or not */
	uint32_t root;     /* of the ready ones */
	uint32_t head;     /* first of the ready ones */
	uint32_t at;       /* in the queue's list of lanes with a head */
	/* round: where it stands */
	uint32_t cursor; /* job */
	uint32_t taken;  /* elements of cursor */
	uint32_t range, next;
	uint32_t limited_round; /* a limit keeps its jobs from being started */
	uint32_t passed;        /* over, by the order plugin: the place in r->passed, from 1 */
};

/* Which jobs stand in line together. */
struct lane_name {
	uint32_t queue, key, who, elements;
};
uint32_t lane_intern(struct sched *s, struct lane_name name);
/* The name of the job's, but for the key. */
struct lane_name lane_like(const struct sched *s, uint32_t job, uint32_t key);
/* Limits are for others now: of this queue, or of all (NIL). */
void lanes_divide(struct sched *s, uint32_t queue);
void lane_release(struct sched *s, uint32_t lane);
void lane_insert(struct sched *s, uint32_t job);
void lane_remove(struct sched *s, uint32_t job);
/* The ready job after this one in its lane, or NIL. */
uint32_t lane_after(const struct sched *s, uint32_t job);
/* The next of those that run no longer than this. */
uint32_t lane_after_within(const struct sched *s, uint32_t job, int64_t most_us);
/* Queue order: class priority, job priority, submission, id. */
bool job_before(const struct sched *s, uint32_t a, uint32_t b);

#endif

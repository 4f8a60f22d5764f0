/*
 * By when what runs is gone, and what is kept for the gang that waits for it. Private to src/sched.
 */
#ifndef SCHED_ENDS_H
#define SCHED_ENDS_H

#include "sched/parts.h"

/* ends.c: by when those that run on a node are gone. */
void ends_room(struct sched *s, uint32_t node); /* for a new node: none */
void ends_add(struct sched *s, uint32_t node, const struct end *e);
void ends_remove(struct sched *s, uint32_t node, uint32_t task, uint32_t part);
static inline int64_t time_add(int64_t at_us, int64_t us)
{
	int64_t sum;

	return __builtin_add_overflow(at_us, us, &sum) ? INT64_MAX : sum;
}

/* What it may take to end, rounded up: that fits 32 bits up to seven weeks. */
static inline uint32_t grace_ms(const struct sched_job *j)
{
	int64_t ms = j->grace_us / 1000 + (j->grace_us % 1000 > 0);

	return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

/* How long its room is taken at most; 0: for ever. */
static inline int64_t time_taken(const struct sched_job *j)
{
	return j->time_limit_us ? time_add(j->time_limit_us, (int64_t)grace_ms(j) * 1000) : 0;
}

/* reserve.c */
void reserve_done(struct reserve *v);

/* backfill.c: has the reservation of the node too little to spare for a member of the part? */
bool reserve_lacks(const struct sched *s, uint32_t node, uint32_t part);
/* A member of the gang in hand gets the node (1) or loses it (-1). */
void reserve_take(struct sched *s, uint32_t node, uint32_t part, int sign);
/* May the gang in hand not have the node, for the sake of the reservation? */
static inline bool reserve_refuses(struct sched *s, uint32_t node, uint32_t part)
{
	if (!s->reserve.binding || s->nodes[node].reserved == NIL || !reserve_lacks(s, node, part))
		return false;
	s->reserve.refused = true;
	return true;
}

#endif

/*
 * The search for the start of a gang that has no room: one node through time, the times at which
 * members find room, and where they would be at one of them. Private to src/sched.
 */
#ifndef SCHED_FORECAST_H
#define SCHED_FORECAST_H

#include "sched/ends.h"
#include "sched/round.h"

#define NOW INT64_MIN /* before all ends: what there is room for already */

struct value {
	struct slot {
		int64_t at_us;
		uint64_t members;
	} * heap; /* the latest on top */
	size_t count, cap;
	uint64_t members;
};

struct forecast {
	struct sched *s;
	struct arena *arena;
	uint32_t key, level;
	bool idle, distinct; /* a whole node for each; a node for each */
	struct value *values;
	uint32_t value_count;
	uint32_t *value_of; /* kinds; NIL: none. NULL: there is only one */
	uint8_t *absent;    /* tasks: enum actor_state. NULL: all are bound */
	struct end *fresh;  /* by node, and in it by time */
	uint32_t *fresh_from;
};

/* One node through time. */
struct course {
	int64_t room[SCHED_RESOURCES];
	uint32_t tasks, exclusive;
	const struct end *a, *a_end, *b, *b_end;
	uint32_t node, level;
};

/* course.c */
void course_begin(const struct forecast *q, uint32_t node, struct course *c);
/* The next end; false: no more. */
bool course_peek(const struct course *c, int64_t *ret_at_us);
void course_step(const struct forecast *q, struct course *c);
/* Members of the part that there is room for, up to so many. */
uint64_t course_holds(const struct forecast *q, const struct course *c, uint32_t part,
		      uint64_t most);
/* The same of any room. */
uint64_t room_holds(const struct sched *s, const int64_t *room, uint32_t part, uint64_t most);
/* Which value the node stands for; NIL: members of the part may not be there. */
uint32_t value_at(const struct forecast *q, uint32_t part, uint32_t node);

/* Where the members would be at some time. */
struct plan {
	int64_t *room;  /* of nodes; what is left */
	uint32_t *uses; /* of nodes: members */
	bool *usable;
	uint32_t *heap;
	size_t count;
};

/* plan.c */
void plan_init(const struct forecast *q, struct plan *p);
/* All of the gang at that time; false: there is no room. */
bool plan_all(const struct forecast *q, uint32_t value, int64_t at_us, struct plan *p);
/* How many members have to start at least. */
uint64_t plan_needs(const struct sched *s, uint32_t key);

/*
 * earliest.c: the earliest start, and of equals the first value. INT64_MAX: never; NOW: there is
 * room already.
 */
int64_t earliest_start(const struct forecast *q, uint32_t *ret_value, struct plan *p);

#endif

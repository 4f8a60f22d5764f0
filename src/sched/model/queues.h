/*
 * The queues: their weights and limits, what waits in them and what runs of them. A queue that was
 * removed stays until its jobs are gone, and starts none of them.
 */
#pragma once

#include "sched/model/running_list.h"
#include "sched/model/users.h"

struct model;

struct queue {
	char *name;
	double factor;
	double memory; /* the fairness plugin's own; where it lapses, as of this time */
	int64_t lapsed_us;
	double noted; /* what it was when it was last noted, if that was ever */
	int64_t noted_us;
	__int128 *demand; /* rows of classes: what waits */
	int64_t *used;    /* rows of classes: what runs */
	int64_t allocated[SCHED_RESOURCES];
	struct sched_fraction limit;
	struct sched_class_limit *own; /* limits of classes in this queue; names are its own */
	size_t own_count;
	struct sched_fraction *own_of; /* the same by class; NULL: none */
	struct most most, user_most;   /* of all its jobs; of those of each user */
	struct spending spending;
	uint32_t replacements; /* jobs that stand for tasks of what runs: limits are not for them */
	double tokens;
	uint32_t jobs, tasks;
	struct running_list running_list;
	uint32_t *subqueues; /* with a head */
	size_t subqueue_count, subqueue_cap;
	bool present, cordoned, has_note;
	uint32_t free_next; /* when the place is free */
	/* round */
	uint32_t row;
	struct head_entry {
		int64_t class_priority, priority, submit_us; /* of the job where it stands */
		uint64_t id;
		uint32_t subqueue;
	} * heap;
	size_t heap_count;
};

struct queues {
	struct queue *list;
	size_t count, cap;
	uint32_t unused;
	struct map map;
	uint32_t *ranked; /* by name */
	size_t ranked_count, ranked_cap;
	bool changed; /* ranked is not up to date */
};

uint32_t queues_find(const struct model *m, const char *name);
void queues_release(struct model *m, uint32_t queue); /* free it if nothing needs it */
/* Its own limits of classes, by the numbers that these have now. */
void queues_number_own(struct model *m, struct queue *q);
/*
 * The part of a resource that it may use in a class: the least of the class's limit and its own (ret_own).
 * INFINITY: all.
 */
double queues_class_part(const struct model *m, const struct queue *q, size_t class, size_t d,
			 bool *ret_own);
void queues_done(struct queue *q);

/*
 * The queues: their weights and limits, the demand of their waiting jobs, and the use of their
 * running ones. A removed queue is kept until its jobs have ended, and starts none of them.
 */
#pragma once

#include "sched/model/head_list.h"
#include "sched/model/running_list.h"
#include "sched/model/users.h"

struct constraint;
struct model;

struct queue {
	char *name;
	double factor;
	double memory; /* the number of the fairness plugin (usage history), as of lapsed_us */
	int64_t lapsed_us;
	double noted; /* its value when it was last noted, if ever */
	int64_t noted_us;
	__int128 *demand; /* rows of classes: waiting */
	int64_t *used;    /* rows of classes: running */
	int64_t allocated[SCHED_RESOURCES];
	struct sched_fraction limit;
	struct sched_class_limit *own; /* the queue's own limits for classes; it owns the names */
	size_t own_count;
	struct sched_fraction *own_of;  /* the same by class; NULL: none */
	struct quota quota, user_quota; /* of all its jobs; of those of each user */
	struct constraint
		*constraint; /* what its jobs select besides their own selectors; NULL: nothing */
	struct spending spending;
	uint32_t replacements; /* replacements of tasks of running elements: no limit delays them */
	double tokens;
	uint32_t jobs, tasks;
	struct running_list running_list;
	uint32_t *subqueues; /* with a head */
	size_t subqueue_count, subqueue_cap;
	struct head_list heads; /* the same subqueues, in queue order */
	bool present, cordoned, has_note;
	uint32_t free_next; /* if the place is free */
	/* round */
	uint32_t row;
	size_t heads_at; /* the entries of heads.sorted before this one were moved to the heap */
	struct head_entry *heap; /* subqueues, by the jobs at which they stand */
	size_t heap_count, heap_cap;
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
void queues_release(struct model *m, uint32_t queue); /* free it if it is not needed */
/* Map its own class limits to the present numbers of the classes. */
void queues_number_own(struct model *m, struct queue *q);
/*
 * The fraction of a resource that it may use in a class: the lower of the class's limit and its own
 * (ret_own). INFINITY: all.
 */
double queues_class_part(const struct model *m, const struct queue *q, size_t class, size_t d,
			 bool *ret_own);
void queues_done(struct queue *q);

/*
 * Data structures that the files of this folder share. Only src/feed includes this header.
 */
#pragma once

#include "feed/sched_feed.h"
#include "proto/task_division.h"

#include <sys/queue.h>
#include <uthash.h>

/*
 * The data about a job that later events do not repeat: its groups of tasks, its holds, and the number of
 * elements that have not ended.
 */
struct known_job {
	uint64_t id;
	uint64_t left; /* elements that have not ended */
	uint32_t running;
	struct buf
		late; /* the job as it was changed while elements ran, packed; empty: it was not */
	uint32_t members;
	struct task_division division; /* of a job with one group */
	uint32_t *replicas;            /* tasks of each group; NULL: the job has one group */
	struct known_restarts
		*restarts; /* task_replacement.c; NULL: the first failed task ends the element */
	int64_t submit_us;
	struct known_elastic *elastic; /* elastic.c; NULL: it is not elastic */
	char **avoids;                 /* nodes that the job avoids */
	uint32_t avoid_count;
	uint32_t gang_cardinality; /* 0: not a member of a gang of jobs */
	uint16_t group_count;
	bool held, withheld, paused, restarting; /* withheld, paused: only members of gangs */
	UT_hash_handle hh;
};

struct known_node {
	char *name;
	struct arena *arena;
	Armada__NodeSet *set;
	int state;
	bool linked;
	UT_hash_handle hh;
};

struct sched_feed {
	struct sched *sched;
	struct arena *arena;
	char *resources[SCHED_RESOURCES];
	size_t resource_count;
	struct known_job *jobs;
	struct known_node *nodes;
	/* elements with task replacements to update after the record */
	LIST_HEAD(, known_element) unfilled;
	LIST_HEAD(, elastic_element) stretched; /* the same with extra tasks */
	int64_t now_us;                         /* of the record */
};

/* NULL: no node of that name. */
struct known_node *sched_feed_node(const struct sched_feed *m, const char *name);
/* Amounts in the order of the scheduler's resources. Unknown resources are left out. */
void floating_amounts(const struct sched_feed *m, Armada__Resource *const *list, size_t n,
		      int64_t ret[SCHED_RESOURCES]);
void sched_feed_amounts(const struct sched_feed *m, Armada__Resource *const *list, size_t n,
			int64_t ret[SCHED_RESOURCES]);

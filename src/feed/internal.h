/*
 * What the files of the feed share. Private to them.
 */
#pragma once

#include "feed/sched_feed.h"

#include <sys/queue.h>
#include <uthash.h>

/* What the feed must remember of a job: how its ranks are grouped, and how much of it is left. */
struct known_job {
	uint64_t id;
	uint64_t left; /* elements that have not ended */
	uint32_t members, tasks_per_member;
	uint32_t *replicas; /* of each of several groups; NULL: there is one */
	struct known_restarts
		*restarts; /* task_replacement.c; NULL: a failure of a task ends all */
	char **avoids;     /* nodes that just failed it */
	uint32_t avoid_count;
	uint32_t gang_cardinality; /* 0: it is no member of a gang of jobs */
	uint16_t group_count;
	bool held, withheld;
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
	LIST_HEAD(, known_element) unfilled; /* of jobs with restarts, that the record is about */
};

/* NULL: it is not known. */
struct known_node *sched_feed_node(const struct sched_feed *m, const char *name);
/* Amounts by the order of the scheduler's resources; those it does not know are left out. */
void sched_feed_amounts(const struct sched_feed *m, Armada__Resource *const *list, size_t n,
			int64_t ret[SCHED_RESOURCES]);

/*
 * What the files of the mirror share. Private to them.
 *
 * The jobs of a gang of jobs are one job to the scheduler (mirror_gang.c): known_job only points to
 * the member that a job is, and whatever happens to it is noted there. When the record is over the
 * gangs it was about are settled: the scheduler is told what became of each as a whole.
 */
#ifndef CORE_MIRROR_PARTS_H
#define CORE_MIRROR_PARTS_H

#include "core/mirror.h"

#include <sys/queue.h>
#include <uthash.h>

struct known_gang;
struct known_member;

/* What the mirror must remember of a job: how its ranks are grouped, and how much of it is left. */
struct known_job {
	uint64_t id;
	uint64_t left; /* elements that have not ended */
	uint32_t members, tasks_per_member;
	uint32_t *replicas;              /* of each of several groups; NULL: there is one */
	struct known_restarts *restarts; /* mirror_vacancy.c; NULL: a failure of a task ends all */
	struct known_member *member;     /* of a gang of jobs; NULL: none */
	char **avoids;                   /* nodes that just failed it */
	uint32_t avoid_count;
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

struct mirror {
	struct sched *sched;
	struct arena *arena;
	char *resources[SCHED_RESOURCES];
	size_t resource_count;
	struct known_job *jobs;
	struct known_node *nodes;
	struct known_gang *gangs;
	struct known_gang *unsettled;        /* that the record in hand is about */
	LIST_HEAD(, known_element) unfilled; /* of jobs with restarts, that the record is about */
};

/* mirror.c */
struct known_job *mirror_job(const struct mirror *m, uint64_t id);
/* As the scheduler is to know it; borrows from the spec and the mirror's arena. */
void mirror_describe(struct mirror *m, const Armada__JobSubmitted *sub, int64_t submit_us,
		     struct sched_job *ret);

/* One group of it, as if that were all. */
void mirror_describe_group(struct mirror *m, const Armada__JobSubmitted *sub, size_t group,
			   int64_t submit_us, struct sched_job *ret);

/* mirror_place.c: events of queues and nodes; others change nothing. */
void places_apply(struct mirror *m, const Armada__Record *r, const Armada__Event *ev);
void places_free(struct mirror *m);

/* mirror_avoid.c: nodes that just failed a job. */
void avoids_more(struct mirror *m, struct known_job *k, char *const *nodes, size_t count);
void avoids_are(struct mirror *m, struct known_job *k, Armada__Avoided *const *nodes, size_t count);
/* The scheduler knows it anew, and of none of them. */
void avoids_again(struct mirror *m, struct known_job *k);
void avoids_free(struct known_job *k);

/* mirror_gang.c: the events of a member, one by one. */
void member_submitted(struct mirror *m, struct known_job *k, const Armada__JobSubmitted *sub,
		      int64_t submit_us);
void member_held(struct mirror *m, struct known_job *k, bool held);
void member_waits(struct mirror *m, struct known_job *k);
/* nodes: by rank. */
void member_leased(struct mirror *m, struct known_job *k, char *const *nodes, int64_t start_us);
/* Are so many, leased together, not all of its gang? */
bool member_is_fewer(const struct known_job *k, uint32_t together);
void member_ordered(struct mirror *m, struct known_job *k);
/* Its time limit counts from here. */
void member_began(struct mirror *m, struct known_job *k, int64_t start_us);
/* Its priority is another: a gang stands where its first member does. */
void member_reordered(struct mirror *m, struct known_job *k, int32_t priority);
void member_pinned(struct mirror *m, struct known_job *k, bool pinned);
void member_yields(struct mirror *m, struct known_job *k);
void member_ended(struct mirror *m, struct known_job *k);
void gangs_settle(struct mirror *m);
void gangs_free(struct mirror *m);

/*
 * mirror_vacancy.c: elements that go on when tasks of theirs fail. The scheduler hears of the end of
 * each task, and of a task that is to be started anew as of a job with one member.
 */
/* Its specification is another; not that of what has nodes. */
void restarts_changed(struct mirror *m, struct known_job *k, const Armada__JobSubmitted *sub);
void restarts_submitted(struct known_job *k, const Armada__JobSubmitted *sub, int64_t submit_us);
void restarts_free(struct mirror *m, struct known_job *k);
/* As many nodes as the job has members, NULL for those without. */
void restarts_leased(struct mirror *m, struct known_job *k, uint32_t element,
		     const uint32_t *members, char *const *nodes, size_t tasks);
void restarts_task_ended(struct mirror *m, struct known_job *k, const Armada__TaskKey *key);
void restarts_task_vacated(struct mirror *m, struct known_job *k, const Armada__TaskKey *key,
			   uint64_t vacancy);
void restarts_task_leased(struct mirror *m, struct known_job *k, const Armada__TaskKey *key,
			  const char *node);
/* The nodes that it avoids are others. */
void restarts_avoid(struct mirror *m, struct known_job *k);
/* It is being ended as a whole: nothing of it is started anew. */
void restarts_ending(struct mirror *m, struct known_job *k, uint32_t element);
/* It has no nodes any more. */
void restarts_ended(struct mirror *m, struct known_job *k, uint32_t element);
void restarts_settle(struct mirror *m);

/* Amounts by the order of the scheduler's resources; those it does not know are left out. */
void mirror_amounts(const struct mirror *m, Armada__Resource *const *list, size_t n,
		    int64_t ret[SCHED_RESOURCES]);

#endif

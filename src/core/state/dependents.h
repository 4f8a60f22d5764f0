/*
 * The dependencies of jobs: a job can wait for other jobs and for a begin time, besides resources.
 *
 * A job has a struct depend while the scheduler may not start all of its elements. The struct is
 * freed when the last element becomes free. Each dependency on a job in memory is an edge that
 * hangs on that job's struct target. So the work at the end of a job depends only on the number of
 * its dependents. A dependency on a job that has left memory is decided when the dependency is
 * made.
 *
 * All of this is a fold: DependencySettled changes edges, and JobEligible makes elements free.
 * core/lifecycle/dependency_resolve.c decides from the edges and the clock whether elements become
 * free. The fold only lists the jobs to check (fold.h).
 *
 * Always true between inputs: a withheld element waits and has no task. The one element of a job
 * that is not an array is withheld as long as the job has a struct depend. An edge that waits hangs
 * on its job.
 */
#pragma once

#include "core/state/job.h"

#define DEPENDENCY(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name
#define DEPEND_WAITS     ARMADA__DEPENDENCY_STATE__DEPENDENCY_WAITS
#define DEPEND_MET       ARMADA__DEPENDENCY_STATE__DEPENDENCY_MET
#define DEPEND_NEVER     ARMADA__DEPENDENCY_STATE__DEPENDENCY_NEVER

struct edge {
	LINK(depend) of;
	LINK(job) on; /* the edge hangs on this job; NULL: decided, or SINGLETON */
	LINK_IN_LIST(edge) beside;
	uint64_t job;
	int64_t at_us; /* once met: it holds from this time on */
	int32_t delay_s;
	uint32_t element;
	uint8_t type, state; /* enum DependencyType, enum DependencyState */
	bool has_element;
	/*
	 * AFTERCORR: withheld elements for which the dependency is met (met) or can never be met
	 * (never). NULL for other types.
	 */
	LINK(rangeset) met;
	LINK(rangeset) never;
};

struct depend {
	LINK(job) job;
	int64_t begin_us;        /* 0: no begin time */
	LINK(rangeset) withheld; /* array: these elements; NULL: the only element */
	uint32_t edge_count;
	bool any, keep;
	struct edge edges[];
};

struct edges {
	LINK(edge) lh_first;
};

/* The edges that wait for one element of a job. */
struct element_edges {
	uint32_t element;
	struct edges edges;
	UT_hash_handle hh;
};

/* All edges that hang on a job. */
struct target {
	struct edges whole, corr;
	LINK(element_edges) by_element;
	uint64_t unbegun; /* elements that have neither begun nor ended */
};

bool job_withholds(const struct job *j, uint32_t index);
uint64_t job_withheld(const struct job *j);
/* The dependencies of the job as a message in the arena; NULL: none. */
Armada__JobWaits *waits_of(const struct job *j, struct arena *a);

#ifdef STATE_WRITES
struct fold;

/* Withhold all waiting elements of the job, and hang its edges on their jobs. */
void dependents_add(struct fold *f, struct job *j, const Armada__JobWaits *waits);
void dependents_drop(struct job *j);
/* These elements became free or ended: they are not withheld any more. */
void dependents_release(struct job *j, uint32_t first, uint32_t last);
void dependents_decide(struct fold *f, struct edge *e, int state, int64_t at_us);
/* The job leaves memory: take all edges off it. */
void dependents_leave(struct job *j);
#endif

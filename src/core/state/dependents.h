/*
 * What a job waits for besides room: other jobs, and a time.
 *
 * A job whose elements are not all free to be scheduled has a struct depend; when the last of them is
 * free it goes. Each dependency on a job in memory is an edge that hangs on that job's struct target,
 * so what follows from an end costs what depends on it and nothing else. A dependency on a job that
 * has left is decided when it is made.
 *
 * All of this is a fold: edges change with DependencySettled, elements become free with JobEligible.
 * Whether they may is decided in core/lifecycle/dependency_resolve.c from the edges and the clock; the
 * fold only says which jobs are to be looked at (fold.h).
 *
 * Always true between inputs: a withheld element waits and has no task; of a job that is no array the
 * one element is withheld as long as there is a struct depend; an edge that waits hangs on its job.
 */
#pragma once

#include "core/state/job.h"

#define DEPENDENCY(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name
#define DEPEND_WAITS     ARMADA__DEPENDENCY_STATE__DEPENDENCY_WAITS
#define DEPEND_MET       ARMADA__DEPENDENCY_STATE__DEPENDENCY_MET
#define DEPEND_NEVER     ARMADA__DEPENDENCY_STATE__DEPENDENCY_NEVER

struct edge {
	LINK(depend) of;
	LINK(job) on; /* it hangs there; NULL: decided, or it is on no single job */
	LINK_IN_LIST(edge) beside;
	uint64_t job;
	int64_t at_us; /* met: from then on */
	int32_t delay_s;
	uint32_t element;
	uint8_t type, state; /* enum DependencyType, enum DependencyState */
	bool has_element;
	LINK(rangeset) met; /* as never, AFTERCORR: of what is withheld; NULL: of another type */
	LINK(rangeset) never;
};

struct depend {
	LINK(job) job;
	int64_t begin_us;        /* 0: at once */
	LINK(rangeset) withheld; /* of an array; NULL: its one element is */
	uint32_t edge_count;
	bool any, keep;
	struct edge edges[];
};

struct edges {
	LINK(edge) lh_first;
};

/* Those who wait for one element of a job. */
struct aim {
	uint32_t element;
	struct edges edges;
	UT_hash_handle hh;
};

/* What hangs on a job. */
struct target {
	struct edges whole, corr;
	LINK(aim) aims;
	uint64_t unbegun; /* elements that have neither begun nor ended */
};

bool job_withholds(const struct job *j, uint32_t index);
uint64_t job_withheld(const struct job *j);
/* What it waits for, for a record; NULL: nothing. In the arena. */
Armada__JobWaits *waits_of(const struct job *j, struct arena *a);

#ifdef STATE_WRITES
struct fold;

/* All that waits of the job is withheld, and its edges hang where they must. */
void dependents_add(struct fold *f, struct job *j, const Armada__JobWaits *waits);
void dependents_drop(struct job *j);
/* These elements are free, or have ended: they are withheld no more. */
void dependents_release(struct job *j, uint32_t first, uint32_t last);
void dependents_decide(struct fold *f, struct edge *e, int state, int64_t at_us);
/* The job leaves: nothing may hang on it. */
void dependents_leave(struct job *j);
#endif

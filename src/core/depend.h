/*
 * What a job waits for besides room: other jobs, and a time.
 *
 * A job whose elements are not all free to be scheduled has a struct depend; when the last of them is
 * free it goes. Each dependency on a job in memory is an edge that hangs on that job's struct target,
 * so what follows from an end costs what depends on it and nothing else. A dependency on a job that
 * has left is decided when it is made.
 *
 * All of this is a fold: edges change with DependencySettled, elements become free with JobEligible.
 * Whether they may is decided in follow.c from the edges and the clock: whoever may have become free,
 * or never will, is due in c->wakes, which is ordered by time and then by id, and looked at there. To
 * be due is volatile: one too many only costs a look.
 *
 * Always true between inputs: a withheld element waits and has no task; of a job that is no array the
 * one element is withheld as long as there is a struct depend; an edge that waits hangs on its job.
 */
#ifndef CORE_DEPEND_H
#define CORE_DEPEND_H

#include "core/world.h"

#define DEPENDENCY(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name
#define DEPEND_WAITS     ARMADA__DEPENDENCY_STATE__DEPENDENCY_WAITS
#define DEPEND_MET       ARMADA__DEPENDENCY_STATE__DEPENDENCY_MET
#define DEPEND_NEVER     ARMADA__DEPENDENCY_STATE__DEPENDENCY_NEVER

struct edge {
	struct depend *of;
	struct job *on; /* it hangs there; NULL: decided, or it is on no single job */
	LIST_ENTRY(edge) beside;
	uint64_t job;
	int64_t at_us; /* met: from then on */
	int32_t delay_s;
	uint32_t element;
	uint8_t type, state; /* enum DependencyType, enum DependencyState */
	bool has_element;
	struct rangeset *met, *never; /* AFTERCORR: of what is withheld; NULL: of another type */
};

struct depend {
	struct job *job;
	int64_t begin_us;          /* 0: at once */
	struct rangeset *withheld; /* of an array; NULL: its one element is */
	int64_t wake_us;           /* volatile, as its place among c->wakes */
	uint32_t place;            /* 0: it is not due at any time */
	uint32_t edge_count;
	bool any, keep;
	struct edge edges[];
};

LIST_HEAD(edges, edge);

/* Those who wait for one element of a job. */
struct aim {
	uint32_t element;
	struct edges edges;
	UT_hash_handle hh;
};

/* What hangs on a job. */
struct target {
	struct edges whole, corr;
	struct aim *aims;
	uint64_t unbegun; /* elements that have neither begun nor ended */
};

/* All jobs in memory of one user and name, by id. */
struct namesake {
	TAILQ_HEAD(name_list, job) jobs;
	size_t count;
	size_t key_len;
	char *key;
	UT_hash_handle hh;
};

/* depend.c: for the fold. all that waits of the job is withheld, and its edges hang where they must. */
void depend_make(struct core *c, struct job *j, const Armada__JobWaits *waits);
void depend_drop(struct core *c, struct job *j);
/* These elements are free, or have ended: they are withheld no more. */
void depend_let(struct core *c, struct job *j, uint32_t first, uint32_t last);
void edge_decide(struct core *c, struct edge *e, int state, int64_t at_us);
/* The job leaves: nothing may hang on it. */
void target_leave(struct job *j);
bool job_withholds(const struct job *j, uint32_t index);
uint64_t job_withheld(const struct job *j);
/* What it waits for, for a record; NULL: nothing. In the arena. */
Armada__JobWaits *waits_of(const struct job *j, struct arena *a);

/* wakes.c */
void wake_at(struct core *c, struct depend *d, int64_t at_us);
void wake_cancel(struct core *c, struct depend *d);
/* The first that is due by then; it is due no more. NULL: none is. */
struct depend *wake_next(struct core *c, int64_t now_us);

/* namesake.c */
void namesake_join(struct core *c, struct job *j);
void namesake_leave(struct core *c, struct job *j);
/* Is no earlier job of its name and user in memory? */
bool namesake_is_first(const struct job *j);
const struct namesake *namesake_find(const struct core *c, uint32_t uid, const char *name);

/* fold_deps.c */
int fold_job_eligible(struct core *c, const Armada__JobEligible *m, struct err *err);
int fold_dependency_settled(struct core *c, const Armada__DependencySettled *m, struct err *err);
int fold_job_updated(struct core *c, const Armada__JobUpdated *m, struct err *err);
int fold_snap_waits(struct core *c, const Armada__SnapWaits *m, struct err *err);
/* An element has begun, for the first time or again. */
void note_begun(struct element *e);
/* Of elements that ended with no struct of their own, or with one that had not begun. */
void note_unbegun(struct job *j, uint64_t count);
struct array_ends *ends_obtain(struct job *j);
/* Elements of an array that ended and did not COMPLETE; NULL: none. */
const struct rangeset *job_bad(const struct job *j);
/* More of them. */
void note_bad(struct job *j, const Armada__ElementEnded *m);
/* Fewer run of an array whose throttle was lowered. */
void note_excess(struct job *j);
uint32_t running_elements(const struct job *j);

/*
 * follow.c: what follows for others, just before an event of ours is applied; and what follows for
 * those who are due, as far as one input goes (c->unfinished: there is more to do).
 */
void follow_event(struct core *c, const Armada__Event *ev);
void follow_due(struct core *c);

/* say_deps.c: "afterok:12:14,singleton", in the arena. state: only those in it; -1: all. */
char *dependency_words(const struct job *j, int state, struct arena *a);
/*
 * Why it, or its part that is withheld, does not start: the sentence, in the arena. at_us: from when
 * on it may, 0 when that is not known.
 */
char *depend_reason(const struct job *j, struct arena *a, enum sched_why *ret_why,
		    int64_t *ret_at_us);

/* admit_deps.c: in the order of an admission. */
struct admission;
int admit_waits(struct admission *a);
/*
 * What a request's dependencies say of jobs that are not in memory must be asked of the history, which
 * gives the request again with the answers. True: it has been asked, and there is no answer yet.
 */
/* (or it was refused) */
bool waits_ask_past(struct core *c, Armada__JobSpec *const *specs, size_t count,
		    const void *message);
/*
 * What a job of this spec waits for, as things are now. j: the job that it is of; NULL: one that is
 * made now.
 */
Armada__JobWaits *waits_now(struct core *c, const Armada__JobSpec *spec, const struct job *j,
			    uint32_t uid);
/* The same under the name that its spec has now. */
void waits_rename(struct core *c, Armada__JobWaits *w, const Armada__JobSpec *spec,
		  const struct job *j);
/* Nothing any more. */
bool waits_are_over(const struct core *c, const Armada__JobWaits *w);
/* What it costs to see whether it may wait so, in steps. */
int64_t waits_work(const struct core *c, const struct job *j, const Armada__JobSpec *spec);
/* The spec without what is kept apart from it. */
void waits_strip(Armada__JobSpec *spec);
/* Would the job, waiting so, wait for itself by way of others? Adds to work what it cost. */
bool waits_circle(const struct core *c, const struct job *j, const Armada__JobSpec *spec,
		  int64_t *work);

#endif

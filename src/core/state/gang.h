/*
 * Gangs made of separate jobs: they start together, are preempted together and go back together.
 *
 * A gang is named by owner, queue, job set and id. It is there as long as a member of it is in
 * memory, and it is a fold like everything else: who its members are follows from the jobs alone.
 * Members are no arrays; each has tasks, resources and constraints of its own. They say the same of
 * cardinality, minimum, class and uniformity label (core/admission/gang.h).
 *
 * Until as many members as its cardinality have been submitted, a gang is not whole and nobody of
 * it starts. Once orders of it have left, whoever has not ended is all of it: it goes on with fewer
 * when members end, and if one of them has to wait again the others are requeued, so that it starts
 * again whole. The same holds once a promise has left some of them out, who have failed by that:
 * though it be taken back, nobody could bring the others' number up to the cardinality again.
 * To the scheduler a gang is one job: that of its first member.
 *
 * Always true between inputs: those with tasks that nobody ends were leased in one record, and no
 * other member of their gang waits.
 */
#pragma once

#include "core/state/job.h"

struct gang {
	LINK_ARRAY(job) members; /* by id, never empty */
	size_t count, cap;
	size_t active, held; /* of them */
	size_t withheld;     /* they have to wait for other jobs, or for a time */
	uint32_t together;   /* how many were leased at once, of those that are active */
	bool begun; /* orders of it have left, or some were left out: all who have not ended */
	struct slot slot;
	size_t key_len;
	char *key;
	UT_hash_handle hh;
};

/* The one of this caller's uid; NULL: none. */
LINK(gang)
gang_find(const struct state *state, uint32_t uid, const char *queue, const char *job_set,
	  const char *id);
/* Of a gang of so many that is leased together, 0 not being told: were some left out? */
static inline bool gang_is_fewer(uint32_t together, uint32_t cardinality)
{
	return together && together < cardinality;
}
static inline const struct gang_spec *gang_says(const struct gang *g)
{
	return g->members[0]->spec->gang;
}
/* The only element of a member that ever had nodes; NULL: it never did. */
const struct element *gang_element(const struct job *member);
/* The job that the scheduler knows the gang by. */
const struct job *gang_lead(const struct gang *g);
/* Has it all its members? */
bool gang_is_whole(const struct gang *g);
/* How many members must start for any of them to start. */
uint32_t gang_least(const struct gang *g);
/* Does all of it wait, so that it may start? */
bool gang_is_ready(const struct gang *g);
/* Are there others, of its element or of its gang, that were leased together with it? */
bool task_starts_with_others(const struct task *t);

#ifdef STATE_WRITES
/* j may be no member of any. */
void gang_join(struct state *state, struct job *j);
void gang_leave(struct state *state, struct job *j);
void gang_leased(struct job *j, uint32_t together, bool ordered);
void gang_ordered(struct job *j);
#endif

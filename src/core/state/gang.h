/*
 * Gangs of separate jobs: they start together, are preempted together and are requeued together.
 *
 * Owner, queue and gang id identify a gang; in records of early releases, the job set does too. A
 * gang exists as long as one of its members is in memory. It is derived state: its members follow
 * from the jobs alone. A member is never an array; each member has its own tasks, resources and
 * constraints. All members have the same cardinality, minimum, class and uniformity label
 * (core/admission/gang.h).
 *
 * A gang is not whole, and none of its members starts, until as many members as its cardinality
 * have been submitted. Once orders of the gang have left, all members that have not ended count as
 * the whole gang. It continues with fewer members when some end. If one member has to wait again,
 * the others are requeued, so that the gang starts again as a whole. The same holds once a pending
 * lease has left out some members. Those members fail because of that. Even if that lease is
 * withdrawn, the number of members cannot reach the cardinality again. To the scheduler a gang is
 * one job, the job of its first member. A pause before a restart is one for all members.
 *
 * Always true between inputs: all members that have tasks and are not being ended were leased in
 * one record, and no other member of their gang waits.
 */
#pragma once

#include "core/state/job.h"

struct gang {
	LINK_ARRAY(job) members; /* sorted by id, never empty */
	size_t count, cap;
	size_t active, held; /* members that are active, members that are held */
	size_t withheld;     /* members with dependencies or a begin time */
	size_t paused;       /* members that pause before a restart */
	uint32_t together;   /* members leased in one record; 0 while none is active */
	/*
	 * Orders have left, or a lease left out members: the members in memory are the whole gang.
	 */
	bool begun;
	struct slot slot;
	/* uid and id: state->gangs has the first gang with them, and the others follow it */
	size_t key_len;
	char *key;
	LINK(gang) next;
	char *queue, *job_set; /* job_set NULL: its members may be in any */
	UT_hash_handle hh;
};

/* The gang of this uid; NULL: none. job_set: that of an early release; NULL: of all others. */
LINK(gang)
gang_find(const struct state *state, uint32_t uid, const char *queue, const char *job_set,
	  const char *id);
/* The first of the gangs of this uid with this id, in any queue; g->next has the others. NULL: none. */
LINK(gang) gang_find_id(const struct state *state, uint32_t uid, const char *id);
/* True if a lease of `together` members left out some of the gang; together 0: not known. */
static inline bool gang_is_fewer(uint32_t together, uint32_t cardinality)
{
	return together && together < cardinality;
}
static inline const struct gang_spec *gang_says(const struct gang *g)
{
	return g->members[0]->spec->gang;
}
/* The element of a member if it has a struct; NULL: it never had nodes. */
const struct element *gang_element(const struct job *member);
/* The job by which the scheduler knows the gang. */
const struct job *gang_lead(const struct gang *g);
/* True if the gang has all its members. */
bool gang_is_whole(const struct gang *g);
/* The least number of members that must start together. */
uint32_t gang_least(const struct gang *g);
/* True if all of the gang waits and is free to start. */
bool gang_is_ready(const struct gang *g);
/* True if other tasks of its element or of its gang were leased together with it. */
bool task_starts_with_others(const struct task *t);

#ifdef STATE_WRITES
/* j may also be a job without a gang. */
void gang_join(struct state *state, struct job *j);
void gang_leave(struct state *state, struct job *j);
void gang_leased(struct job *j, uint32_t together, bool ordered);
void gang_ordered(struct job *j);
/* The members that wait again pause until this time, if they do not pause for longer. */
void gang_pause(struct state *state, struct gang *g, int64_t until_us);
#endif

/*
 * Gangs made of separate jobs: they start together, are preempted together and go back together.
 *
 * A gang is named by owner, queue, job set and id. It is there as long as a member of it is in
 * memory, and it is a fold like everything else: who its members are follows from the jobs alone.
 * Members are no arrays; each has tasks, resources and constraints of its own. They say the same of
 * cardinality, minimum, class and uniformity label (gang_admit.c).
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
#ifndef CORE_GANG_H
#define CORE_GANG_H

#include "core/admit.h"

struct gang {
	struct job **members; /* by id, never empty */
	size_t count, cap;
	size_t active, held; /* of them */
	size_t withheld;     /* they have to wait for other jobs, or for a time */
	uint32_t together;   /* how many were leased last, at once */
	bool begun; /* orders of it have left, or some were left out: all who have not ended */
	bool lost;  /* volatile: a member left before */
	size_t key_len;
	char *key;
	UT_hash_handle hh;
};

/* The one of this caller's uid; NULL: none. */
struct gang *gang_find(const struct core *c, uint32_t uid, const char *queue, const char *job_set,
		       const char *id);
/* For the fold. j may be no member of any. */
void gang_join(struct core *c, struct job *j);
void gang_leave(struct core *c, struct job *j);
void gang_leased(struct job *j, uint32_t together, bool ordered);
/* Of a gang of so many that is leased together, 0 not being told: were some left out? */
static inline bool gang_is_fewer(uint32_t together, uint32_t cardinality)
{
	return together && together < cardinality;
}
void gang_ordered(struct job *j);
void job_hold(struct job *j, bool held, Armada__Holder by);

static inline const struct gang_spec *gang_says(const struct gang *g)
{
	return g->members[0]->spec->gang;
}
/* The only element of a member that ever had nodes; NULL: it never did. */
const struct element *gang_element(const struct job *member);
/* The job that the scheduler knows the gang by. */
struct job *gang_lead(const struct gang *g);
/* Has it all its members? */
bool gang_is_whole(const struct gang *g);
/* How many members must start for any of them to start. */
uint32_t gang_least(const struct gang *g);
/*
 * Why j waits, where the gang itself is the reason (somebody is missing, held, or still being ended):
 * the sentence, in the arena. NULL: it waits for what the scheduler says of its lead.
 */
char *gang_reason(const struct job *j, struct arena *a, enum sched_why *ret_why);

/* gang_admit.c: one job's options; then all jobs of a request among themselves and with who waits. */
int admit_membership(struct admission *a);
int admit_gangs(struct core *c, const Armada__SubmitRequest *m, int *ret_code, struct err *err);

/* gang_fit.c: could it ever start, with these members? */
struct gang_sum {
	const Armada__JobSpec **specs; /* of all members */
	size_t count, least;           /* so many of them will do */
	const char *uniformity;        /* "": none */
};
int admit_gang_fit(struct admission *a, const struct gang_sum *sum);

/* gang_run.c: the scheduler's decisions, for the job of the lead; false: it no longer holds. */
bool gang_start(struct core *c, struct gang *g, const struct sched_decision *d);
void gang_preempt(struct core *c, struct gang *g, const char *text, uint32_t by_uid);
/* Would it make room? What is being ended already, or may run where nobody can be asked, does not. */
bool gang_may_go(const struct gang *g);
/* Does all of it wait, so that it may start? */
bool gang_is_ready(const struct gang *g);
/* A member waits again: so shall the others. */
void gang_go_back(struct core *c, const struct job *member, const char *reason);

#endif

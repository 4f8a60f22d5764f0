/*
 * Gangs of separate jobs: they start together and are preempted together.
 *
 * Each job of a gang has a job record, which is never ready. While all jobs of a whole gang wait, and while
 * any of them runs, the gang has one more job record, which rounds see instead: it has the members of all
 * jobs and the id of one of them. The map of jobs does not contain it.
 *
 * The calls of sched.h about a job of a gang change the counters of the gang. sched_gangs_settle then updates
 * the record of the gang. The caller does that at the end of its record, because the events of one record
 * come in any order.
 */
#pragma once

#include "sched/sched.h"

#include <sys/queue.h>
#include <uthash.h>

struct gang;
struct model;

struct gang_member {
	struct gang *gang;
	TAILQ_ENTRY(gang_member) by_id;
	uint32_t job;
	uint32_t seat;   /* its first member in the job of the gang */
	uint32_t *nodes; /* one for each of its members; NULL: it does not run */
	int64_t start_us;
	bool pinned, yields;
};

struct gangs {
	struct gang *by_name;
	SLIST_HEAD(, gang) unsettled;
};

/* The job is a member from here on. */
void gang_jobs_join(struct model *m, uint32_t job, const struct sched_gang *of);
void gang_jobs_leave(struct model *m, struct gang_member *member);
/* Add (1) or subtract (-1) the member in the counters of waiting and of held members. */
void gang_jobs_count(struct model *m, const struct gang_member *member, int sign);
/* The next sched_gangs_settle updates the gang. */
void gang_jobs_touch(struct model *m, struct gang_member *member);
/* A member has another shape: a gang that waits becomes another job. */
void gang_jobs_reshaped(struct model *m, struct gang_member *member);
void gang_jobs_reorder(struct model *m, struct gang_member *member, int64_t priority);
void gang_jobs_run(struct model *m, struct gang_member *member, const char *const *nodes,
		   int64_t start_us);
void gang_jobs_started(struct model *m, struct gang_member *member, int64_t start_us);
void gang_jobs_pin(struct model *m, struct gang_member *member, bool pinned);
/* The member gives up one of its nodes. */
void gang_jobs_yield(struct model *m, struct gang_member *member, uint32_t at);
void gang_jobs_end(struct model *m, struct gang_member *member);
/* The job that represents this one in rounds: the job of its gang, or itself; NIL: none. */
uint32_t gang_jobs_whole(const struct model *m, uint32_t job);
void gang_jobs_done(struct model *m);

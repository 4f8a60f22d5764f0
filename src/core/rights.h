/*
 * Who may do what: the one place where it is decided (S11).
 *
 * Two tables in rights.c. One has a row for each message: the role that may send it, and the verb that is
 * asked of its sender, of what. The other has a row for each verb: what somebody must be to the object
 * to be given it. What has no row is nobody's. A verb of nothing is asked before the handler runs; one
 * of an object the handler asks, with may() or sees(), once it has found the object.
 *
 * In private mode (core_policy.private) what somebody may not watch does not exist for them: a handler
 * answers as it answers for an id that never was.
 */
#ifndef CORE_RIGHTS_H
#define CORE_RIGHTS_H

#include "core/world.h"

/* What somebody wants to do to an object. */
enum verb {
	VERB_NONE,         /* nothing is asked: agents, who are asked for by what they hold */
	VERB_LOOK,         /* at what is nobody's: the cluster, its nodes and queues */
	VERB_SUBMIT,       /* to a queue */
	VERB_WATCH,        /* a job */
	VERB_CANCEL,       /* a job: cancel, hold, release, requeue, signal */
	VERB_RELEASE,      /* a job that somebody of its queue holds */
	VERB_UPDATE,       /* what a job asks for */
	VERB_REPRIORITISE, /* a job: its place in its queue */
	VERB_PREEMPT,      /* a job: end what runs so that others may have its room */
	VERB_PREEMPT_SAFE, /* the same of a job whose class neither policy may preempt */
	VERB_SECRET,       /* a job's script and environment */
	VERB_STEP,         /* run something in a job, as its owner */
	VERB_QUEUE_MANAGE, /* a queue: owners, permissions, cordon, defaults, what a user may have */
	VERB_QUEUE,        /* make and delete queues, and change what they get of the cluster */
	VERB_ADMIN,        /* nodes, configuration, shutdown */
	VERB_COUNT,
};

enum right_object { OF_NOTHING, OF_JOB, OF_QUEUE };

struct right {
	enum msg_type type;
	enum role role;
	enum verb
		verb; /* the least that is asked; a handler may ask more for a part of a message */
	enum right_object of;
};

/* The row of a message; NULL: nobody may send it. */
const struct right *right_of(enum msg_type type);

bool caller_is_admin(const struct core *c, const struct caller *who);
/* j or q may be NULL where the verb is not about one. Default: no. */
bool may(const struct core *c, const struct caller *who, enum verb verb, const struct job *j,
	 const struct queue *q);
/*
 * The same of a verb in a queue (or, q NULL, of the cluster), in words: "owner", "group hpc has it",
 * "nobody gave it"; in the arena or constant.
 */
const char *may_why(const struct core *c, const struct caller *who, enum verb verb,
		    const struct queue *q, struct arena *a, bool *ret_may);
/* Is anything of this queue theirs: do they own it, or are named in its permissions? */
bool queue_knows(const struct caller *who, const struct queue *q);
/*
 * grants.c: may the caller make this of a queue that they may change? Nobody gives what they do not hold
 * there, and only administrators give up what would be their own last right over it. 0, or -EPERM
 * with a sentence.
 */
int grants_check(const struct core *c, const struct queue *q, const Armada__QueueSpec *made,
		 struct err *err);

/* May the caller of this input watch this job? Every job? Found out once an input, or once a queue. */
bool sees(struct core *c, const struct job *j);
bool sees_all(struct core *c);
/* The same of a job of which only this is known. */
bool sees_named(struct core *c, const char *user, const char *queue);

/* sight.c: what is told to who does not see everything. */
/* For effects that the history answers: in the arena of the input; NULL: everything is seen. */
const struct core_viewer *sight_viewer(struct core *c);
/* "job 17" becomes "another job" where the caller does not see that one: in the arena, or as it was. */
char *sight_text(struct core *c, char *text);
/* v may be NULL: it sees all. */
bool viewer_sees(const struct core_viewer *v, uint32_t uid, const char *queue);
/* The same of what a listing says of a job. */
void sight_row(struct core *c, Armada__JobRow *row);
/* Jobs other than this one are named no more: in the arena, or as it was. */
char *text_without_jobs(char *text, uint64_t own, struct arena *a);
void row_without_jobs(Armada__JobRow *row, struct arena *a);

#endif

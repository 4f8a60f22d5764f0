/*
 * A queue and its specification.
 *
 * The durable part of a queue is its specification, as one message in one canonical form. Struct
 * queue also has the members that are needed often; they follow from the specification. Nothing
 * here refuses: a specification from the log is accepted as it is, whatever armada.conf or the user
 * directory says now. core/admission/queue_check.h checks requests against both.
 */
#pragma once

#include "conf/permit.h"
#include "core/state/intern.h"
#include "core/state/queue_use.h"

struct job;
struct share_note;
struct state;

/* The specification, and members that follow from it. */
struct queue {
	char *name;
	struct buf packed; /* the packed specification ... */
	struct arena *arena;
	/* ... unpacked into the arena, with the members derived from it below */
	const Armada__QueueSpec *spec;
	LINK(permit) permissions;
	size_t permission_count;
	struct sched_fraction limit;
	LINK(sched_fraction) class_limits; /* parallel to spec->class_limits */
	struct quota quota, user_quota;    /* limits of all its jobs; limits of each user in it */
	int64_t created_us;
	char *created_by;
	LINK(share_note) noted;         /* its share when last noted; NULL: never */
	uint64_t jobs, waiting, active; /* jobs in memory; elements */
	struct resources used;          /* by active elements: core/state/queue_user.h */
	struct resources held;          /* by tasks that may be running: core/state/queue_use.h */
	struct use_sum open, before;    /* before.until_us 0: none */
	bool changed;                   /* held, since the share was noted; else open is empty */
	UT_hash_handle hh;
};

/* NULL: no queue of that name. */
LINK(queue) queue_find(const struct state *state, const char *name);
/* A copy in the arena; the caller may change it. */
Armada__QueueSpec *queue_spec(const struct queue *q, struct arena *a);
/* A deep copy of m in the arena. */
Armada__QueueSpec *queue_spec_copy(const Armada__QueueSpec *m, struct arena *a);
/*
 * Bring a specification into the form in which equal ones are equal bytes. The arena is for its
 * lists.
 */
void queue_spec_settle(Armada__QueueSpec *m, struct arena *a);

/* The limit for the queue's jobs of a class; NULL: none. */
const struct sched_fraction *queue_class_limit(const struct queue *q, const char *class_name);
/* The default request of a task for a resource; -1: the queue has no default for it. */
int64_t queue_default(const struct queue *q, const char *resource);

/* Absolute limits as messages and as the core stores them. Unknown kinds are left out. */
void queue_quota_take(Armada__Limit *const *list, size_t n, struct quota *ret);
/* All limits of a queue, or of each user in it: those with names, and those of resources. */
void queue_limits_take(const Armada__QueueSpec *m, bool of_user, struct quota *ret);
Armada__Limit **queue_quota_give(const struct quota *m, struct arena *a, size_t *ret_n);

#ifdef STATE_WRITES
void queue_set(struct state *state, const Armada__QueueSpec *spec, int64_t now_us, const char *by);
void queue_drop(struct state *state, struct queue *q);
#endif
/*
 * A queue outside every state, for checking a specification before it is set. name and the
 * specification are borrowed, and the struct is in the arena.
 */
const struct queue *queue_imagine(const Armada__QueueSpec *spec, const char *name, struct arena *a);

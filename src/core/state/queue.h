/*
 * A queue and its specification.
 *
 * The specification, as one message in one canonical form, is all that is durable of a queue; what
 * is needed often stands beside it in struct queue and follows from it. Nothing here refuses: what is
 * in the log is taken as it is, whatever armada.conf or the directory of users say by now.
 * core/admission/queue_check.h holds requests against both.
 */
#pragma once

#include "conf/permit.h"
#include "core/state/intern.h"

struct job;
struct share_note;
struct state;

/* What it is stands in its specification; the rest follows from that. */
struct queue {
	char *name;
	struct buf packed; /* the specification ... */
	struct arena *arena;
	const Armada__QueueSpec *spec; /* ... as the arena holds it, and what is said of it below */
	LINK(permit) permissions;
	size_t permission_count;
	struct sched_fraction limit;
	LINK(sched_fraction) class_limits; /* by spec->class_limits */
	struct most most, user_most;       /* of all its jobs; of those of each user in it */
	int64_t created_us;
	char *created_by;
	LINK(share_note) noted;         /* its share when that was last noted; NULL: never */
	uint64_t jobs, waiting, active; /* jobs in memory; elements */
	struct resources used;          /* by the active ones: core/state/queue_user.h */
	UT_hash_handle hh;
};

/* NULL: there is none of that name. */
LINK(queue) queue_find(const struct state *state, const char *name);
/* A copy in the arena, to be changed at will. */
Armada__QueueSpec *queue_spec(const struct queue *q, struct arena *a);
/* Shares nothing with m. */
Armada__QueueSpec *queue_spec_copy(const Armada__QueueSpec *m, struct arena *a);
/* Bring a specification into the form in which equal ones are equal bytes; arena: for its lists. */
void queue_spec_settle(Armada__QueueSpec *m, struct arena *a);

/* What its jobs of a class may hold; NULL: it says nothing of that class. */
const struct sched_fraction *queue_class_limit(const struct queue *q, const char *class_name);
/* What a task asks for that does not say; -1: the queue says nothing of that resource. */
int64_t queue_default(const struct queue *q, const char *resource);

/* Absolute limits as messages and as the core has them. Kinds that are not known are left out. */
void quota_take(Armada__Limit *const *list, size_t n, struct most *ret);
Armada__Limit **quota_give(const struct most *m, struct arena *a, size_t *ret_n);

#ifdef STATE_WRITES
void queue_set(struct state *state, const Armada__QueueSpec *spec, int64_t now_us, const char *by);
void queue_drop(struct state *state, struct queue *q);
#endif
/* A queue that is in no state: named like its specification, both in the arena. For what would be. */
const struct queue *queue_imagine(const Armada__QueueSpec *spec, const char *name, struct arena *a);

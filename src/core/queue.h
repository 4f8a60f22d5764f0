/*
 * A queue and its specification.
 *
 * The specification, as one message in one canonical form, is all that is durable of a queue; what
 * is needed often stands beside it in struct queue (world.h) and follows from it. Nothing here
 * refuses: what is in the log is taken as it is, whatever armada.conf or the directory of users say
 * by now. queue_check.c holds requests against both.
 */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "core/names.h"
#include "core/tables.h"

/* Shares nothing with m. */
Armada__QueueSpec *queue_spec_copy(const Armada__QueueSpec *m, struct arena *a);
/* Bring a specification into the form in which equal ones are equal bytes; arena: for its lists. */
void queue_spec_settle(Armada__QueueSpec *m, struct arena *a);

/*
 * The queue that a job is to go to: or, where that is the caller's own and is not there yet, what it
 * would be. NULL: there is none, nor will there be. Borrowed for the input.
 */
const struct queue *queue_for(const struct core *c, const char *name);
/* The specification of the caller's own queue, made from armada.conf's user_queues. */
Armada__QueueSpec *queue_spec_of_user(const struct core *c, const char *user, struct arena *a);

/* What its jobs of a class may hold; NULL: it says nothing of that class. */
const struct sched_fraction *queue_class_limit(const struct queue *q, const char *class_name);
/* What a task asks for that does not say; -1: the queue says nothing of that resource. */
int64_t queue_default(const struct queue *q, const char *resource);

/* Absolute limits as messages and as the core has them. Kinds that are not known are left out. */
void most_take(Armada__Limit *const *list, size_t n, struct most *ret);
Armada__Limit **most_give(const struct most *m, struct arena *a, size_t *ret_n);

/*
 * queue_parts.c: what of a queue can be changed. An update brings a field when its flag is set
 * (priority_factor: when it is not 0).
 */
struct queue_part {
	const char *name;  /* of QueueSpec */
	const char *flag;  /* NULL: it is there when it is not 0 */
	const char *words; /* for people */
	enum verb verb;    /* that changing it takes */
};
extern const struct queue_part queue_parts[];
extern const size_t queue_part_count;
bool queue_part_given(const struct queue_part *f, const Armada__QueueSpec *m);
/* Shallow: lists are shared afterwards. */
void queue_part_copy(const struct queue_part *f, const Armada__QueueSpec *from,
		      Armada__QueueSpec *to);
/* Of settled specifications. */
bool queue_part_equal(const struct queue_part *f, const Armada__QueueSpec *a,
		       const Armada__QueueSpec *b);

/*
 * queue_check.c: can a queue be made like this, or be changed so? Fields that are not given are not
 * looked at, so that what was accepted before stands in nobody's way. 0, or -EINVAL with a sentence
 * that begins with the queue. whole: all of it is meant, it is to be made.
 */
int queue_check(const struct core *c, const Armada__QueueSpec *m, bool whole, struct err *err);
/* Of what an update makes of it. */
int queue_check_times(const Armada__QueueSpec *m, struct err *err);
/* The users and groups that it names in what is given. */
void queue_want_names(struct core *c, const Armada__QueueSpec *m, bool whole, struct names *n);

#endif

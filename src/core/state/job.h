/*
 * One job, as the controller knows it.
 *
 * The state owns every job, sorted by id. A job leaves memory with the event that ends its last
 * element. Everybody borrows one for the length of one input: across inputs keep the id.
 */
#pragma once

#include "core/state/element.h"
#include "core/state/intern.h"

struct user_usage;
struct avoids;
struct depend;
struct gang;
struct same_name;
struct queue;
struct target;
struct queue_user;

struct job {
	uint64_t id;
	LINK(spec) spec;
	LINK(user) user;
	LINK(queue) queue;
	LINK(queue_user) queue_user;
	LINK(gang) gang; /* of separate jobs, gang.h; NULL: it is no member of one */
	int64_t submit_us;
	struct rangeset waiting;
	LINK_ARRAY(element) elements; /* by index */
	size_t element_count, element_cap;
	LINK(avoids) avoids; /* nodes that failed it just now; NULL: none */
	struct slot slot;
	bool held;
	uint8_t held_by;                /* enum Holder */
	uint8_t worst;                  /* enum JobState: the worst terminal state so far */
	int32_t exit_code, exit_signal; /* highest so far */
	uint32_t excess;  /* more run than its throttle says, which was lowered: so many; 0: no */
	char *end_reason; /* of the worst */
	LINK(array_ends) ends; /* arrays: what has ended; NULL: nothing yet */
	LINK(depend) depend;   /* what it waits for besides room; NULL: nothing */
	LINK(target) target;   /* what hangs on it; NULL: nothing */
	LINK(same_name) same_name;
	LINK_IN_QUEUE(job) by_name;
};

/* NULL: it is not in memory. O(log jobs). */
LINK(job) job_find(const struct state *state, uint64_t id);
/* The slot of the first job with an id above after. */
size_t job_after(const struct state *state, uint64_t after);
bool job_over(const struct job *j);
/* Elements that have tasks. */
uint32_t running_elements(const struct job *j);
/* Elements of an array that ended and did not COMPLETE; NULL: none. */
const struct rangeset *job_bad(const struct job *j);
/* Several ranges as repeated IndexRange, the first max of them, in the arena. */
Armada__IndexRange **ranges_of(const struct rangeset *s, size_t max, struct arena *a,
			       size_t *ret_count);
/* A range of elements, in the arena; a list of that one range. */
Armada__IndexRange *range_message(uint32_t first, uint32_t last, uint32_t step, struct arena *a);
Armada__IndexRange **range_of_one(uint32_t index, uint32_t step, struct arena *a);
/* Elements by terminal state, in the arena. */
Armada__StateCount **job_ends(const struct job *j, struct arena *a, size_t *ret_count);

#ifdef STATE_WRITES
struct job *job_insert(struct state *state, uint64_t id); /* id above every other */
void job_drop(struct state *state, struct job *j);
void job_hold(struct job *j, bool held, Armada__Holder by);
struct element *element_obtain(struct state *state, struct job *j, uint32_t index);
void element_drop(struct state *state, struct element *e);
/* Tasks as of its attempt and record; their nodes follow. */
void element_lease(struct element *e, uint32_t task_count);
void element_free_tasks(struct state *state, struct element *e);
struct array_ends *ends_obtain(struct job *j);
/* Fewer run of an array whose throttle was lowered. */
void note_excess(struct job *j);
#endif

/*
 * One job, as the controller knows it.
 *
 * The state owns every job, sorted by id. A job leaves memory with the event that ends its last
 * element. A pointer to a job is valid during one input; code that needs the job later keeps its
 * id.
 */
#pragma once

#include "core/state/element.h"
#include "core/state/intern.h"

struct user_usage;
struct avoids;
struct depend;
struct gang;
struct job_set;
struct same_name;
struct queue;
struct target;
struct queue_user;
struct account_user;

struct job {
	uint64_t id;
	LINK(spec) spec;
	LINK(spec) next; /* the specification after its restart; NULL: it is not restarted */
	LINK(user) user;
	LINK(queue) queue;
	LINK(job_set) job_set;
	LINK(queue_user) queue_user;
	LINK(account_user) account_user; /* NULL: it names no account */
	LINK(gang) gang;                 /* gang of jobs, gang.h; NULL: not a member */
	int64_t submit_us;               /* orders jobs: never earlier than that of an older job */
	int64_t submit_clock_us;         /* what the wall clock showed, for display */
	int64_t eligible_us; /* when it last became free to start, for display; 0: at its submission */
	struct rangeset waiting;
	LINK_ARRAY(element) elements; /* by index */
	size_t element_count, element_cap;
	LINK(avoids) avoids; /* nodes to avoid for a while; NULL: none */
	struct slot slot;
	bool held;
	uint8_t held_by;                /* enum Holder */
	uint8_t worst;                  /* enum JobState: the worst terminal state so far */
	int32_t exit_code, exit_signal; /* highest so far */
	/* Elements that run if a lowered throttle allows fewer than that; 0: no excess. */
	uint32_t excess;
	/* the record of the last change that running tasks must learn; 0: none */
	uint64_t settings_seq;
	/* the time limit before the first change while it ran; -1: none; 0: never changed */
	int64_t limit_first_s;
	uint64_t stored;       /* bytes of its ranges and dependencies; stored.h */
	char *end_reason;      /* reason of the worst end */
	LINK(array_ends) ends; /* arrays: the elements that have ended; NULL: none yet */
	LINK(depend) depend;   /* its dependencies and begin time; NULL: none */
	LINK(target) target;   /* edges of jobs that depend on it; NULL: none */
	LINK(same_name) same_name;
	LINK_IN_QUEUE(job) by_name;
};

/* NULL: not in memory. O(log jobs). */
LINK(job) job_find(const struct state *state, uint64_t id);
/* The slot of the first job with an id above after. */
size_t job_after(const struct state *state, uint64_t after);
bool job_over(const struct job *j);
/* Elements that have tasks. */
uint32_t running_elements(const struct job *j);
/* Elements of an array that ended and did not COMPLETE; NULL: none. */
const struct rangeset *job_bad(const struct job *j);
/* The first max ranges of a set as repeated IndexRange, in the arena. */
Armada__IndexRange **ranges_of(const struct rangeset *s, size_t max, struct arena *a,
			       size_t *ret_count);
/* A range of elements in the arena, and a list of one range. */
Armada__IndexRange *range_message(uint32_t first, uint32_t last, uint32_t step, struct arena *a);
Armada__IndexRange **range_of_one(uint32_t index, uint32_t step, struct arena *a);
/* The number of elements by terminal state, in the arena. */
Armada__StateCount **job_ends(const struct job *j, struct arena *a, size_t *ret_count);

#ifdef STATE_WRITES
struct job *job_insert(struct state *state, uint64_t id); /* id above every other */
void job_drop(struct state *state, struct job *j);
void job_hold(struct job *j, bool held, Armada__Holder by);
struct element *element_obtain(struct state *state, struct job *j, uint32_t index);
void element_drop(struct state *state, struct element *e);
/* until_us: the end of its pause, wall clock; 0: it has none. */
void element_pause(struct state *state, struct element *e, int64_t until_us);
/* Make tasks with the attempt and the record of the element; the caller sets their nodes. */
void element_lease(struct element *e, uint32_t task_count);
/* Add a task with the next rank: element_lease() made room for all that the spec has. */
struct task *element_add_task(struct element *e);
/* Makes room for so many tasks, at least as many as there are. Pointers to tasks become invalid. */
void element_make_room(struct element *e, uint32_t most);
void element_free_tasks(struct state *state, struct element *e);
struct array_ends *ends_obtain(struct job *j);
/* Lower the excess to the number of elements that run now, or to 0. */
void note_excess(struct job *j);
#endif

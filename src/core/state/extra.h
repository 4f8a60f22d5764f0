/*
 * Extra tasks: tasks of an elastic element beyond its minimum, each of which starts when there is room.
 *
 * An element of an elastic job (spec->elastic) starts with its minimum of tasks, ranks 0 to first - 1: the
 * first tasks of each group that has a minimum of its own, else the first ones in the order of the groups.
 * Its extra tasks have numbers from 0; at the lease they are counted through the groups: first those of
 * the first group. To the scheduler each extra task is a job with one member, whose id is made of the number
 * of the element's extra tasks and its own number. It waits when its element runs and it has no node.
 *
 * An extra task gets a rank when it is leased for the first time: the next one. It keeps rank and
 * number. When it is taken back (leaving), or has failed and is replaced, it is vacant after its end
 * and waits again, until it is leased under a new attempt number. The element may end without a task that
 * was taken back, or that its node refused or lost. One that failed and is to be replaced is owed.
 *
 * The number of extra tasks may change while the element runs. New ones get the next numbers, and ones that
 * are too many are dropped: they wait no more, and their tasks are taken back. A dropped one may be
 * taken up again. The numbers and groups of the others stay.
 *
 * Always true between inputs: only tasks of an element that has extras are extra tasks. A vacant task
 * has ended, and a leaving one has not. The tasks that started together and the extra tasks that are not
 * dropped are as many in each group as the specification says.
 */
#pragma once

#include "core/state/job.h"

/* Ids of extra tasks in the scheduler have this bit and SCHED_TASK_IDS. */
#define EXTRA_ID_BIT (UINT64_C(1) << 62)

enum {
	EXTRA_BITS = 20
}; /* of the number of an extra task; more than limits.tasks_per_job may be */

struct extra_slot {
	uint32_t rank; /* 1 + the rank; 0: it never had a node */
	uint16_t group;
	bool dropped;
	int64_t run_us; /* of the attempts before that of the task */
};

struct extras {
	uint64_t number; /* as in ElementLeased, without bit 63 */
	LINK(element) element;
	uint32_t
		first; /* the rank of the first one: the tasks that started together are before it */
	uint32_t count;
	LINK(extra_slot) slots; /* by number */
	bool scaled;            /* the slots do not follow from the specification at the lease */
	UT_hash_handle hh;
};

bool extra_is_id(uint64_t id);
/* The id of an extra task in the scheduler. number: as in ElementLeased. */
uint64_t extra_id(uint64_t number, uint32_t extra);
/* The element of the id, and the number of the extra task. NULL: no element has it. */
LINK(element) extra_find(const struct state *state, uint64_t id, uint32_t *ret_extra);
/* The task of the extra task; NULL: it never had a node. */
LINK(task) extra_task(const struct element *e, uint32_t extra);
/* True if it could get a node: it is not dropped, and it never had one or is vacant. */
bool extra_waits(const struct element *e, uint32_t extra);
/* The group of an extra task. */
uint32_t extra_group(const struct element *e, uint32_t extra);
/* True if the task is an extra task that the job does not ask for any more. */
bool extra_is_dropped(const struct task *t);
/* The number of extra tasks that wait; that never had a node; that the element does not end without. */
uint32_t extras_waiting(const struct element *e);
uint32_t extras_never_placed(const struct element *e);
uint32_t extras_owed(const struct element *e);
/* The tasks of a group: those that started together, and the extra tasks that are not dropped. */
uint32_t extras_first_of(const struct element *e, uint32_t group);
uint32_t extras_asked_of(const struct element *e, uint32_t group);
/* The extra tasks as in ElementScaled, in the arena. */
uint32_t *extras_list(const struct element *e, struct arena *a);
/* Replaces the id of an extra task in a scheduler's decision by its job and element. */
void extra_translate(const struct state *state, uint64_t *job, uint32_t *element);

#ifdef STATE_WRITES
/*
 * together: the number of tasks that start together, whose groups are known; count: that of the others.
 */
void extras_add(struct state *state, struct element *e, uint64_t number, uint32_t together,
		uint32_t count);
void extras_drop(struct state *state, struct element *e);
/* Takes the list of ElementScaled. -EINVAL: it does not fit. */
int extras_scale(struct element *e, const uint32_t *list, size_t count);
#endif

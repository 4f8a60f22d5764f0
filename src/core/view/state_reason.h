/*
 * The reason of a waiting job, from the last word of the scheduler and from the state as it is now.
 */
#pragma once

#include "core/txn/txn.h"

struct state_reason {
	enum sched_why why; /* WHY_NONE: the scheduler has said nothing about the job */
	const char *text;   /* NULL: none */
	int64_t expected_us;
};

/*
 * Corrects *reason, which is what the scheduler last said about the job, by what the state tells.
 * Texts are constants or in the arena.
 */
void state_reason_correct(const struct txn *txn, const struct job *j, struct arena *a,
			  struct state_reason *reason);
/*
 * Why a node that is up takes no jobs at present: "has not registered since the controller started
 * 2 s ago". NULL: it is connected, or not up.
 */
char *state_reason_of_node(const struct txn *txn, const struct node *n, struct arena *a);

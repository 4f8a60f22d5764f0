/*
 * Why a member of a gang of jobs waits, if the gang is the reason.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * The sentence, in the arena, that says why j waits, if the gang is the reason (a member is
 * missing, held, withheld, or still being ended). NULL: j waits for the reason that the scheduler
 * gives for the first job of the gang.
 */
char *gang_text_reason(const struct txn *txn, const struct job *j, struct arena *a,
		       enum sched_why *ret_why);

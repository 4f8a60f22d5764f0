/*
 * Why a job of a gang of jobs waits, where the gang itself is the reason.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Why j waits, where the gang itself is the reason (somebody is missing, held, or still being ended):
 * the sentence, in the arena. NULL: it waits for what the scheduler says of its lead.
 */
char *gang_text_reason(const struct txn *txn, const struct job *j, struct arena *a,
		       enum sched_why *ret_why);

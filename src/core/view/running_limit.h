/* The limits of running elements that stop a job now, whatever it asks for. */
#pragma once

#include "core/state/job.h"
#include "core/txn/txn.h"
#include "sched/why.h"

/* The sentence and the word of the first limit that is reached; NULL: none is. */
char *running_limit_text(const struct txn *txn, const struct job *j, struct arena *a,
			 enum sched_why *ret_why);
/* The limits of an account; NULL: armada.conf does not list it. */
const struct sched_account *account_limits(const struct core_policy *p, const char *name);

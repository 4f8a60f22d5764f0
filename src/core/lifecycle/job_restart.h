/*
 * The restart of a running job with a changed specification.
 *
 * One record has JobRestarting, with the new specification, and the ends of all running elements. The
 * elements wait again. When no element has tasks any more, JobUpdated makes the change. Elements that
 * waited meanwhile did not start. The attempts that end so are no failures.
 */
#pragma once

#include "core/txn/txn.h"

/* Restarts a job that runs and is not being restarted. text: why, for the elements. */
void job_restart(struct txn *txn, const struct job *j, const Armada__JobSpec *spec,
		 const char *text);
/* Makes the change if the job exists, waits for it, and no element has tasks. */
void job_restart_settle(struct txn *txn, uint64_t job);
/* True if the element may wait again, as its job is now or will be after the restart. */
bool job_may_requeue(const struct job *j);

/*
 * What a job may be said to wait for, and how things stand with it when the job is made.
 *
 * Of a job that has left memory the core knows nothing: a request that names one is given to the
 * shell, which looks it up in the history and gives the request again. What has ended never changes,
 * so the answer is true whenever it comes.
 */
#pragma once

#include "core/admission/admission.h"

int admit_dependencies(struct admission *a);
/* (or it was refused) */
bool dependencies_ask_history(struct txn *txn, Armada__JobSpec *const *specs, size_t count,
			      const void *message);
/*
 * What a job of this spec waits for, as things are now. j: the job that it is of; NULL: one that is
 * made now.
 */
Armada__JobWaits *dependencies_now(struct txn *txn, const Armada__JobSpec *spec,
				   const struct job *j, uint32_t uid);
/* The same under the name that its spec has now. */
void dependencies_rename(struct txn *txn, Armada__JobWaits *w, const Armada__JobSpec *spec,
			 const struct job *j);
/* Nothing any more. */
bool dependencies_are_over(const struct txn *txn, const Armada__JobWaits *w);
/* What it costs to see whether it may wait so, in steps. */
int64_t dependencies_work(const struct txn *txn, const struct job *j, const Armada__JobSpec *spec);
/* The spec without what is kept apart from it. */
void dependencies_strip(Armada__JobSpec *spec);
/* Would the job, waiting so, wait for itself by way of others? Adds to work what it cost. */
bool dependencies_cycle(const struct txn *txn, const struct job *j, const Armada__JobSpec *spec,
			int64_t *work);

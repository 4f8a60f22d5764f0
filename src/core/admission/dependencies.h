/*
 * Dependencies that a job may have, and their state when the job is created or changed.
 *
 * The core has no data about a job that has left memory. A request that names such a job is given
 * back to armctld, which looks the job up in the history and passes the request to the core again
 * with the result. An ended job never changes, so the result is still valid then.
 */
#pragma once

#include "core/admission/admission.h"

/* Checks the dependencies and the begin time of a job. */
int admit_dependencies(struct admission *a);
/* Replaces places in the request by ids; first: the id of its first job. For admitted jobs. */
void dependencies_bind(Armada__JobSpec *spec, uint64_t first);

/*
 * Asks the history about named jobs that have left memory. True: the request comes again, or was
 * refused because it has too many dependencies.
 */
bool dependencies_ask_history(struct txn *txn, Armada__JobSpec *const *specs, size_t count,
			      const void *message);
/*
 * The dependencies of a spec with their present state. j: the job of the spec; NULL: a job that is
 * being created.
 */
Armada__JobWaits *dependencies_now(struct txn *txn, const Armada__JobSpec *spec,
				   const struct job *j, uint32_t uid);
/* Decides waiting singleton dependencies again for the new name in spec. */
void dependencies_rename(struct txn *txn, Armada__JobWaits *w, const Armada__JobSpec *spec,
			 const struct job *j);
/* True if the job does not have to wait: its dependencies are met and its begin time is past. */
bool dependencies_are_met(const struct txn *txn, const Armada__JobWaits *w);
/* The cost of checking these dependencies, in steps. */
int64_t dependencies_work(const struct txn *txn, const struct job *j, const Armada__JobSpec *spec);
/* Removes dependencies and begin time from the spec: they are stored separately. */
void dependencies_strip(Armada__JobSpec *spec);
/*
 * True if the job with these dependencies would wait for itself, directly or through others. Adds
 * the cost to work.
 */
bool dependencies_cycle(const struct txn *txn, const struct job *j, const Armada__JobSpec *spec,
			int64_t *work);

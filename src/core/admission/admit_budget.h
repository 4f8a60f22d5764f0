/*
 * How much looking at nodes one request may cause.
 *
 * Whether a job could ever start is asked of every node, for each of its labels and each name in
 * its lists; a request may have thousands of jobs. Nobody else is served meanwhile, so one that asks
 * for the same as the job before it is not looked at again, and once a request has caused so much
 * work, the rest of it is taken unseen: what can never start waits then, and its reason says why.
 */
#pragma once

#include "core/admission/admission.h"

/* The same labels, tolerations and lists of nodes? */
bool same_constraints(const Armada__JobSpec *a, const Armada__JobSpec *b);
/*
 * may so many jobs be looked for on the nodes in this input? It is charged. admit_budget_begin says so
 * of one (a->unseen), admit_budget_passed that all checks found it good.
 */
bool admit_budget_may_search(struct txn *txn, const Armada__JobSpec *const *specs, size_t count);
void admit_budget_begin(struct admission *a);
void admit_budget_passed(struct admission *a);

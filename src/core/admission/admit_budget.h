/*
 * The budget of one request for checking nodes.
 *
 * To find out whether a job could ever start, every node is checked, for each selector of the job
 * and each name in its lists. A request may have thousands of jobs, and no other request is served
 * meanwhile. So a job that asks for the same as the job before it is not checked again. Once a
 * request has used its budget, its remaining jobs are accepted without this check. A job that can
 * never start then waits, and its reason says why.
 */
#pragma once

#include "core/admission/admission.h"

/* True if both have the same selectors, tolerations and lists of nodes. */
bool same_constraints(const Armada__JobSpec *a, const Armada__JobSpec *b);
/*
 * _may_search: true if the budget of this input allows a search for these jobs; charges it. _begin
 * does the same for one job and sets a->unseen if it is not checked. _passed: call when a job
 * passed all checks.
 */
bool admit_budget_may_search(struct txn *txn, const Armada__JobSpec *const *specs, size_t count);
void admit_budget_begin(struct admission *a);
void admit_budget_passed(struct admission *a);

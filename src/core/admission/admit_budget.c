#include "core/admission/admit_budget.h"

#include "proto/task_division.h"

#include <string.h>

enum { LOOK_WORK = 20000000 }; /* comparisons: about 0.2 s */

static bool same_selectors(const Armada__JobSpec *a, const Armada__JobSpec *b)
{
	if (a->n_selectors != b->n_selectors || a->n_tolerations != b->n_tolerations)
		return false;
	for (size_t i = 0; i < a->n_selectors; i++)
		if (strcmp(a->selectors[i]->key, b->selectors[i]->key) != 0 ||
		    strcmp(a->selectors[i]->value, b->selectors[i]->value) != 0 ||
		    a->selectors[i]->negate != b->selectors[i]->negate ||
		    a->selectors[i]->alternative != b->selectors[i]->alternative)
			return false;
	for (size_t i = 0; i < a->n_tolerations; i++)
		if (strcmp(a->tolerations[i]->key, b->tolerations[i]->key) != 0 ||
		    strcmp(a->tolerations[i]->operator_, b->tolerations[i]->operator_) != 0 ||
		    strcmp(a->tolerations[i]->value, b->tolerations[i]->value) != 0)
			return false;
	return true;
}

static bool same_lists(const Armada__JobSpec *a, const Armada__JobSpec *b)
{
	if (a->n_nodes_include != b->n_nodes_include || a->n_nodes_exclude != b->n_nodes_exclude)
		return false;
	for (size_t i = 0; i < a->n_nodes_include; i++)
		if (strcmp(a->nodes_include[i], b->nodes_include[i]) != 0)
			return false;
	for (size_t i = 0; i < a->n_nodes_exclude; i++)
		if (strcmp(a->nodes_exclude[i], b->nodes_exclude[i]) != 0)
			return false;
	return true;
}

bool same_constraints(const Armada__JobSpec *a, const Armada__JobSpec *b)
{
	return same_selectors(a, b) && same_lists(a, b);
}

/* True if a search for nodes would give the same result. Scripts, times etc. do not matter. */
static bool asks_the_same(const Armada__JobSpec *a, const Armada__JobSpec *b)
{
	struct resources one, other;

	if (a->n_groups > 1 || b->n_groups > 1)
		return false;
	spec_task_request(a, &one);
	spec_task_request(b, &other);
	return memcmp(&one, &other, sizeof(one)) == 0 &&
	       a->groups[0]->replicas == b->groups[0]->replicas && a->nodes == b->nodes &&
	       a->tasks_per_node == b->tasks_per_node && a->min_available == b->min_available &&
	       job_spec_alone(a) == job_spec_alone(b) && strcmp(a->queue, b->queue) == 0 &&
	       strcmp(a->priority_class, b->priority_class) == 0 &&
	       strcmp(a->uniformity, b->uniformity) == 0 && same_constraints(a, b);
}

bool admit_budget_may_search(struct txn *txn, const Armada__JobSpec *const *specs, size_t count)
{
	int64_t each = 0;

	if (txn->looked_work > LOOK_WORK)
		return false;
	for (size_t i = 0; i < count; i++)
		each += 1 + (int64_t)(specs[i]->n_nodes_include + specs[i]->n_nodes_exclude) +
			(int64_t)specs[i]->n_selectors * 8;
	txn->looked_work += each * HASH_COUNT(txn->state->nodes);
	return true;
}

void admit_budget_begin(struct admission *a)
{
	const Armada__JobSpec *spec = a->spec;
	struct txn *txn = a->txn;

	a->unseen = (txn->looked_at && asks_the_same(txn->looked_at, spec)) ||
		    !admit_budget_may_search(txn, &spec, 1);
}

void admit_budget_passed(struct admission *a)
{
	if (!a->unseen)
		a->txn->looked_at = a->spec;
}

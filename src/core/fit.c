/*
 * Could the nodes of today ever hold a job, were they empty?
 *
 * Nodes that are drained or silent count: they may come back. O(nodes).
 */
#include "core/admit.h"
#include "util/mem.h"
#include "util/units.h"

#include <stdio.h>
#include <string.h>

static const char *label_of(const struct node *n, const char *key)
{
	for (size_t i = 0; i < n->set->n_labels; i++)
		if (strcmp(n->set->labels[i]->key, key) == 0)
			return n->set->labels[i]->value;
	return NULL;
}

static bool selects(const Armada__Selector *s, const struct node *n)
{
	const char *value = label_of(n, s->key);
	bool there = value && (!s->value[0] || strcmp(value, s->value) == 0);

	return there != s->negate;
}

static bool tolerates(const Armada__JobSpec *spec, const Armada__Taint *t)
{
	for (size_t i = 0; i < spec->n_tolerations; i++) {
		const Armada__Toleration *tol = spec->tolerations[i];

		if ((!tol->key[0] || strcmp(tol->key, t->key) == 0) &&
		    (strcmp(tol->operator_, "Exists") == 0 || strcmp(tol->value, t->value) == 0))
			return true;
	}
	return strcmp(t->effect, "NoSchedule") != 0;
}

static bool listed(const char *name, char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* By labels, taints and lists; resources apart. */
static bool allowed(const Armada__JobSpec *spec, const struct node *n)
{
	if (spec->n_nodes_include && !listed(n->name, spec->nodes_include, spec->n_nodes_include))
		return false;
	if (listed(n->name, spec->nodes_exclude, spec->n_nodes_exclude))
		return false;
	if (spec->uniformity[0] && !label_of(n, spec->uniformity))
		return false;
	for (size_t i = 0; i < spec->n_selectors; i++)
		if (!selects(spec->selectors[i], n))
			return false;
	for (size_t i = 0; i < n->set->n_taints; i++)
		if (!tolerates(spec, n->set->taints[i]))
			return false;
	return true;
}

static bool any_selected(const struct core *c, const Armada__Selector *s)
{
	for (const struct node *n = c->nodes; n; n = n->hh.next)
		if (selects(s, n))
			return true;
	return false;
}

/* Nodes that are not there, and labels that none has, by name. */
static int admit_constraints(struct admission *a)
{
	const Armada__JobSpec *spec = a->spec;
	bool any = false;

	for (size_t i = 0; i < spec->n_nodes_include; i++)
		if (!core_find_node(a->core, spec->nodes_include[i]))
			return admit_no(a, "node '%s' is not known (anode lists those that are)",
					spec->nodes_include[i]);
	for (size_t i = 0; i < spec->n_selectors; i++) {
		const Armada__Selector *s = spec->selectors[i];

		if (!any_selected(a->core, s))
			return admit_no(a, "%s node has the label '%s%s%s'",
					s->negate ? "not one" : "no", s->key,
					s->value[0] ? "=" : "", s->value);
	}
	for (const struct node *n = a->core->nodes; n; n = n->hh.next)
		any |= !spec->uniformity[0] || label_of(n, spec->uniformity);
	if (!any)
		return admit_no(a, "no node has the label '%s', which was to be uniform",
				spec->uniformity);
	for (const struct node *n = a->core->nodes; n; n = n->hh.next)
		if (allowed(spec, n))
			return 0;
	return admit_no(a, "no node is left by its labels, taints and node lists together");
}

static void count_fits(const struct core *c, const Armada__JobSpec *spec,
		       const struct resources *want, size_t *ret_fit, const struct node **ret_best,
		       int *ret_lacks)
{
	*ret_fit = 0;
	*ret_best = NULL;
	*ret_lacks = -1;
	for (const struct node *n = c->nodes; n; n = n->hh.next) {
		int lacks = -1;

		if (!allowed(spec, n))
			continue;
		for (size_t r = 0; r < c->resource_count && lacks < 0; r++)
			if (want->amount[r] > n->total.amount[r])
				lacks = r;
		if (lacks < 0) {
			++*ret_fit;
		} else if (!*ret_best ||
			   n->total.amount[lacks] > (*ret_best)->total.amount[lacks]) {
			*ret_best = n;
			*ret_lacks = lacks;
		}
	}
}

static void format_amount(const char *resource, int64_t amount, char *out, size_t size)
{
	if (strcmp(resource, "memory") == 0)
		format_size(amount, out, size);
	else if (strcmp(resource, "cpu") == 0)
		format_cpu(amount, out, size);
	else
		snprintf(out, size, "%" PRId64, amount);
}

/* A request that no node could ever hold, were it empty (the best node is named). */
int admit_fit(struct admission *a)
{
	uint32_t each = a->spec->tasks_per_node ? a->spec->tasks_per_node : 1;
	struct resources want;
	const struct node *best;
	char asked[32], has[32];
	const char *name;
	size_t fit;
	int lacks;

	spec_task_request(a->core, a->spec, &want);
	for (size_t r = 0; r < CORE_RESOURCES; r++)
		if (__builtin_mul_overflow(want.amount[r], each, &want.amount[r]))
			return admit_no(a, "more than any machine has");
	if (!a->core->nodes)
		return 0;
	if (admit_constraints(a) < 0)
		return -EINVAL;
	count_fits(a->core, a->spec, &want, &fit, &best, &lacks);
	if (fit && fit < a->spec->nodes)
		return admit_no(
			a,
			"%u nodes asked for; %zu of the %u nodes of this cluster could hold "
			"their part",
			a->spec->nodes, fit, HASH_COUNT(a->core->nodes));
	if (fit)
		return 0;
	name = a->core->resource_names[lacks];
	format_amount(name, want.amount[lacks], asked, sizeof(asked));
	format_amount(name, best->total.amount[lacks], has, sizeof(has));
	return admit_no(a, "%s: %s is more than any node has (the best is %s with %s)", name, asked,
			best->name, has);
}

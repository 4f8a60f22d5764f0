/*
 * Admission of licenses (licenses.h).
 *
 * Input: a spec whose groups have their resources. Output: 0, and the licenses of the spec: a sum for
 * each floating resource; or a refusal. With hold_impossible, a job that asks for more than there is
 * waits.
 */
#include "core/admission/licenses.h"

#include "util/plural.h"

#include <inttypes.h>
#include <string.h>

const struct conf_floating *floating_of(const struct core_policy *p, size_t resource)
{
	for (size_t i = 0; i < p->floating_count; i++)
		if (strcmp(p->floating[i].name, resource_name(resource)) == 0)
			return &p->floating[i];
	return NULL;
}

static int add(struct admission *a, struct resources *sum, const char *name, int64_t amount,
	       int64_t times)
{
	size_t r = (size_t)resource_index(name);

	if (__builtin_mul_overflow(amount, times, &amount) ||
	    __builtin_add_overflow(sum->amount[r], amount, &sum->amount[r]) ||
	    sum->amount[r] > INT64_C(1) << 53)
		return admit_no(a, "%s: more than the cluster has", name);
	return 0;
}

static int add_license(struct admission *a, struct resources *sum, const Armada__Resource *l)
{
	struct err err = {0};
	int r = resource_need(l->name, &err);

	if (r < 0)
		return admit_no(a, "license: %s", err.text);
	if (!resource_is_floating((size_t)r))
		return admit_no(a, "%s belongs to nodes, it is not a license: give --resource %s=N",
				l->name, l->name);
	if (l->size || l->amount < 0 || l->amount > INT64_C(1) << 53)
		return admit_no(a, "%s: expected a number of licenses", l->name);
	return add(a, sum, l->name, l->amount, 1);
}

/* The floating resources of a task leave the group. */
static int take_from_group(struct admission *a, struct resources *sum, Armada__TaskGroup *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_resources; i++) {
		Armada__Resource *r = g->resources[i];
		int at = resource_index(r->name);

		if (at < 0 || !resource_is_floating((size_t)at))
			g->resources[n++] = r;
		else if (add(a, sum, r->name, r->amount, g->replicas) < 0)
			return -EINVAL;
	}
	g->n_resources = n;
	return 0;
}

/* One entry for each resource, in the order of the table. */
static void put(struct admission *a, const struct resources *sum)
{
	Armada__JobSpec *s = a->spec;

	s->licenses = arena_alloc(a->txn->arena, resource_count() * sizeof(*s->licenses));
	s->n_licenses = 0;
	for (size_t r = 0; r < resource_count(); r++) {
		Armada__Resource *l;

		if (!sum->amount[r])
			continue;
		l = arena_alloc(a->txn->arena, sizeof(*l));
		armada__resource__init(l);
		l->name = (char *)resource_name(r);
		l->amount = sum->amount[r];
		s->licenses[s->n_licenses++] = l;
	}
}

int admit_licenses(struct admission *a)
{
	struct resources sum = {0};
	bool before;

	for (size_t i = 0; i < a->spec->n_licenses; i++)
		if (add_license(a, &sum, a->spec->licenses[i]) < 0)
			return -EINVAL;
	before = a->spec->n_licenses;
	for (size_t i = 0; i < a->spec->n_groups; i++)
		if (take_from_group(a, &sum, a->spec->groups[i]) < 0)
			return -EINVAL;
	if (before || memcmp(&sum, &(struct resources){0}, sizeof(sum)) != 0)
		put(a, &sum);
	return 0;
}

/* What is reserved for queues other than this one. */
static int64_t kept(const struct conf_floating *f, const char *queue)
{
	int64_t sum = 0;

	for (size_t i = 0; f && i < f->queue_count; i++)
		if (strcmp(f->queues[i].name, queue) != 0)
			sum += (int64_t)f->queues[i].value;
	return sum;
}

static int check(struct admission *a, size_t r, int64_t want)
{
	const char *name = resource_name(r);
	int64_t total = a->txn->state->floating_total.amount[r];
	int64_t others = kept(floating_of(a->txn->policy, r), a->spec->queue);

	if (want > total)
		return admit_no(a, "%s: %" PRId64 " is more than the cluster has (%" PRId64 ")",
				name, want, total);
	if (want && want > total - others)
		return admit_no(a,
				"%s: %" PRId64 " is more than queue '%s' may use (%" PRId64
				" of %" PRId64 "; %" PRId64 " %s reserved for other queues)",
				name, want, a->spec->queue, total - others, total, others,
				plural((uint64_t)others, "is", "are"));
	return 0;
}

int admit_licenses_fit(struct admission *a, Armada__JobSpec *const *specs, size_t spec_count)
{
	struct resources all = {0};
	int rc = 0;

	if (a->txn->policy->hold_impossible)
		return 0;
	for (size_t i = 0; i < spec_count; i++) {
		struct resources one;

		if (resources_floating(specs[i]->licenses, specs[i]->n_licenses, &one))
			resources_add(&all, &one, 1);
	}
	for (size_t r = 0; rc == 0 && r < resource_count(); r++)
		rc = check(a, r, all.amount[r]);
	return rc;
}

void admit_add_licenses(const Armada__JobSpec *spec, struct resources *sum)
{
	struct resources one;

	if (resources_floating(spec->licenses, spec->n_licenses, &one))
		resources_add(sum, &one, 1);
}

/*
 * Feasibility of a whole gang (gang_feasibility.h).
 *
 * Input: the specs of all members. Output: 0, or a refusal that names a resource, a kind of member,
 * or the number of nodes. Members that ask for the same are one kind. A seat is the part of a
 * member that goes on one node. A node set is a set of nodes that could hold the gang: all nodes,
 * or those with one value of the uniformity label.
 *
 * Caveat: necessary conditions only. Packing is not tried, and with more than KINDS_MAX kinds the
 * remaining members count only in the sums.
 */
#include "core/admission/gang_feasibility.h"

#include "core/admission/admit_budget.h"
#include "core/admission/feasibility.h"
#include "core/admission/licenses.h"
#include "core/admission/limit_feasibility.h"
#include "core/admission/running_quota.h"
#include "proto/task_division.h"
#include "util/plural.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 16 }; /* kinds of members; further kinds count only in the sums */

/* A kind: members that ask for the same. */
struct kind {
	const Armada__JobSpec *spec;
	struct resources want; /* of one seat: the part that goes on one node */
	uint64_t seats;
};

/* A node set: all nodes, or those with one value of the uniformity label. */
struct node_set {
	const char *value;
	size_t nodes;
	struct resources have;
	uint64_t rooms[KINDS_MAX];
	UT_hash_handle hh;
};

struct gang_fit {
	struct admission *a;
	const struct gang_sum *sum;
	struct kind kinds[KINDS_MAX];
	size_t kind_count;
	bool all_kinds;
	bool alone;                 /* at most one seat on a node */
	struct resources need, all; /* need: of the minimum; all: of every member */
	uint64_t seats;
	struct node_set *node_sets;
};

static uint32_t seats_of(const Armada__JobSpec *s)
{
	return s->groups[0]->replicas / (s->tasks_per_node ? s->tasks_per_node : 1);
}

static void seat_request(const struct gang_fit *f, const Armada__JobSpec *s, struct resources *ret)
{
	struct admission a = {.txn = f->a->txn, .spec = (Armada__JobSpec *)s};
	uint32_t members, each;

	admit_gang(&a, ret, &members, &each);
}

/* Adds members that ask for the same. */
static void add_kind(struct gang_fit *f, const Armada__JobSpec *s, uint64_t members)
{
	struct resources want;
	struct kind *k;

	seat_request(f, s, &want);
	for (size_t i = 0; i < f->kind_count; i++) {
		k = &f->kinds[i];
		if (memcmp(&k->want, &want, sizeof(want)) != 0 || !same_constraints(k->spec, s))
			continue;
		k->seats += seats_of(s) * members;
		return;
	}
	f->all_kinds = f->kind_count < KINDS_MAX;
	if (f->all_kinds)
		f->kinds[f->kind_count++] = (struct kind){s, want, seats_of(s) * members};
}

static int by_amount(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void add_amounts(int64_t *sum, int64_t amount, uint64_t members)
{
	int64_t more;

	if (members > INT64_MAX || __builtin_mul_overflow(amount, (int64_t)members, &more) ||
	    __builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

/* The known member that asks for least: of cpus, then of memory and so on. */
static const Armada__JobSpec *smallest(const struct gang_fit *f)
{
	const Armada__JobSpec *best = NULL;
	struct resources want, of_best = {{0}};

	for (size_t i = 0; i < f->sum->count; i++) {
		size_t r = 0;

		seat_request(f, f->sum->specs[i], &want);
		while (best && r < CORE_RESOURCES - 1 && want.amount[r] == of_best.amount[r])
			r++;
		if (best && want.amount[r] >= of_best.amount[r])
			continue;
		best = f->sum->specs[i];
		of_best = want;
	}
	return best;
}

/*
 * Sums up the needs. For each resource, need is the sum of the smallest requests of as many members
 * as the minimum: any set of members that starts needs at least that. Later members ask for as much
 * as the smallest one, so that they are counted first.
 */
static void add_needs(struct gang_fit *f)
{
	const struct gang_sum *sum = f->sum;
	uint64_t later = sum->later < sum->least ? sum->later : sum->least;
	int64_t *list = arena_alloc(f->a->txn->arena, sum->count * sizeof(*list));

	for (size_t r = 0; r < CORE_RESOURCES; r++) {
		for (size_t i = 0; i < sum->count; i++) {
			struct resources want;

			seat_request(f, sum->specs[i], &want);
			if (__builtin_mul_overflow(want.amount[r], (int64_t)seats_of(sum->specs[i]),
						   &list[i]))
				list[i] = INT64_MAX;
		}
		qsort(list, sum->count, sizeof(*list), by_amount);
		add_amounts(&f->need.amount[r], list[0], later);
		for (size_t i = 0; i + later < sum->least; i++)
			add_amounts(&f->need.amount[r], list[i], 1);
		add_amounts(&f->all.amount[r], list[0], sum->later);
		for (size_t i = 0; i < sum->count; i++)
			add_amounts(&f->all.amount[r], list[i], 1);
	}
}

static uint64_t room(const struct gang_fit *f, const struct kind *k, const struct node *n)
{
	uint64_t rooms = f->alone ? 1 : k->seats;

	for (size_t r = 0; r < CORE_RESOURCES; r++)
		if (k->want.amount[r] > 0 &&
		    (uint64_t)(n->total.amount[r] / k->want.amount[r]) < rooms)
			rooms = (uint64_t)(n->total.amount[r] / k->want.amount[r]);
	return rooms;
}

static struct node_set *node_set_of(struct gang_fit *f, const char *value)
{
	struct node_set *h;

	HASH_FIND_STR(f->node_sets, value, h);
	if (h)
		return h;
	h = arena_zalloc(f->a->txn->arena, 1, sizeof(*h));
	h->value = value;
	HASH_ADD_KEYPTR(hh, f->node_sets, h->value, strlen(h->value), h);
	return h;
}

static void add_node(struct gang_fit *f, const struct node *n)
{
	const char *label = f->sum->uniformity;
	const char *value = label[0] ? node_label(n, label) : "";
	bool serves = !f->all_kinds;
	struct node_set *h;

	if (!value)
		return;
	h = node_set_of(f, value);
	for (size_t k = 0; k < f->kind_count; k++) {
		if (!node_suits(f->kinds[k].spec, n))
			continue;
		h->rooms[k] += room(f, &f->kinds[k], n);
		serves = true;
	}
	h->nodes += serves;
	for (size_t r = 0; serves && r < CORE_RESOURCES; r++)
		h->have.amount[r] += n->total.amount[r];
}

/* The lack of a node set: a resource, room for a kind of member, or the number of nodes. */
struct lack {
	int resource, kind;
	bool nodes;
};

static bool holds(const struct gang_fit *f, const struct node_set *h, struct lack *ret)
{
	*ret = (struct lack){-1, -1, false};
	for (size_t r = 0; r < resource_count(); r++)
		if (f->need.amount[r] > h->have.amount[r]) {
			ret->resource = (int)r;
			return false;
		}
	if (f->sum->least < f->sum->count + f->sum->later)
		return true;
	for (size_t k = 0; k < f->kind_count; k++)
		if (h->rooms[k] < f->kinds[k].seats) {
			ret->kind = (int)k;
			return false;
		}
	ret->nodes = f->alone && h->nodes < f->seats;
	return !ret->nodes;
}

static const char *which_nodes(const struct gang_fit *f, const struct node_set *h)
{
	struct arena *a = f->a->txn->arena;
	const char *s = plural(h->nodes, "", "s"), *label = f->sum->uniformity;

	if (!label[0])
		return arena_printf(a, "the %zu node%s it may use", h->nodes, s);
	return arena_printf(a, "the %zu node%s with %s=%s (all must have one value of '%s')",
			    h->nodes, s, label, h->value, label);
}

static int refuse_node_set(const struct gang_fit *f, const struct node_set *h, const struct lack *l)
{
	const char *where = which_nodes(f, h);
	char need[32], have[32];

	if (l->resource >= 0) {
		const char *name = resource_name(l->resource);

		admit_amount(name, f->need.amount[l->resource], need, sizeof(need));
		admit_amount(name, h->have.amount[l->resource], have, sizeof(have));
		return admit_no(f->a, "%s: %s at once is more than %s have: %s", name, need, where,
				have);
	}
	if (l->kind >= 0)
		return admit_no(
			f->a,
			"%" PRIu64
			" tasks like those of %s must start together; %s hold at most %" PRIu64,
			f->kinds[l->kind].seats, f->kinds[l->kind].spec->name, where,
			h->rooms[l->kind]);
	return admit_no(f->a, "its members must be on %" PRIu64 " different nodes; %s are %zu",
			f->seats, where, h->nodes);
}

/*
 * One node set that holds the gang is enough. Otherwise the refusal names the one with most nodes.
 */
static int check_node_sets(struct gang_fit *f)
{
	const struct node_set *best = NULL;
	struct lack lack, of_best = {-1, -1, true};

	for (const struct node_set *h = f->node_sets; h; h = h->hh.next) {
		if (holds(f, h, &lack))
			return 0;
		if (best && h->nodes <= best->nodes)
			continue;
		best = h;
		of_best = lack;
	}
	return best ? refuse_node_set(f, best, &of_best) : 0;
}

int admit_gang_fit(struct admission *a, const struct gang_sum *sum)
{
	struct gang_fit f = {.a = a, .sum = sum, .all_kinds = true};
	struct resources all;
	int rc;

	for (size_t i = 0; i < sum->count; i++) {
		const Armada__JobSpec *s = sum->specs[i];

		if (f.all_kinds)
			add_kind(&f, s, 1);
		f.alone |= job_spec_alone(s) || (s->nodes && seats_of(s) > 1);
		f.seats += seats_of(s);
	}
	if (sum->later && f.all_kinds)
		add_kind(&f, smallest(&f), sum->later);
	if (sum->later)
		f.seats += seats_of(smallest(&f)) * sum->later;
	add_needs(&f);
	if (a->txn->policy->hold_impossible)
		return 0;
	rc = admit_licenses_fit(a, (Armada__JobSpec *const *)sum->specs, sum->count);
	if (rc < 0)
		return rc;
	all = f.all;
	for (size_t i = 0; i < sum->count; i++)
		admit_add_licenses(sum->specs[i], &all);
	rc = admit_running_quota(a, sum->count + sum->later, &all);
	if (rc < 0)
		return rc;
	rc = admit_limits_of(a, &f.need, (uint32_t)(f.seats < UINT32_MAX ? f.seats : UINT32_MAX));
	if (rc < 0 || !a->txn->state->nodes ||
	    !admit_budget_may_search(a->txn, sum->specs, f.kind_count))
		return rc;
	for (const struct node *n = a->txn->state->nodes; n; n = n->hh.next)
		add_node(&f, n);
	rc = check_node_sets(&f);
	HASH_CLEAR(hh, f.node_sets);
	return rc;
}

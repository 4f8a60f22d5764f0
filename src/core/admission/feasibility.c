/*
 * Feasibility: whether the present nodes, if they were empty, could hold a job.
 *
 * Input: a JobSpec with its resources filled in. Output: 0, or a refusal that names the reason: an
 * unknown node or label, a resource that no node has in that amount, too few nodes, or too little
 * room under one value of the uniformity label. The count covers the part of the job that must
 * start together (min_available, else all).
 *
 * Caveat: nothing is checked without nodes, with hold_impossible, or once the budget of the request
 * is used (admit_budget.h).
 */
#include "core/admission/feasibility.h"

#include "conf/selectors.h"
#include "core/admission/admit_budget.h"
#include "core/admission/licenses.h"
#include "core/admission/limit_feasibility.h"
#include "core/admission/task_groups.h"
#include "core/admission/user_queue.h"
#include "core/state/task_group.h"
#include "core/view/no_such.h"
#include "proto/task_division.h"
#include "util/buf.h"
#include "util/names.h"
#include "util/plural.h"

#include <stdio.h>
#include <string.h>

const char *node_label(const struct node *n, const char *key)
{
	for (size_t i = 0; i < n->set->n_labels; i++)
		if (strcmp(n->set->labels[i]->key, key) == 0)
			return n->set->labels[i]->value;
	return NULL;
}

static bool selects(const Armada__Selector *s, const struct node *n)
{
	const char *value = node_label(n, s->key);
	bool there = value && (!s->value[0] || strcmp(value, s->value) == 0);

	return there != s->negate;
}

/* The end of the condition that begins with selector `first`. */
static size_t condition_end(const Armada__JobSpec *spec, size_t first)
{
	size_t end = first + 1;

	while (end < spec->n_selectors && spec->selectors[end]->alternative)
		end++;
	return end;
}

/* Of the alternatives of a condition one is enough. */
static bool meets(const Armada__JobSpec *spec, size_t first, size_t end, const struct node *n)
{
	for (; first < end; first++)
		if (selects(spec->selectors[first], n))
			return true;
	return false;
}

static bool tolerates(const Armada__JobSpec *spec, const Armada__Taint *t)
{
	if (strcmp(t->effect, "PreferNoSchedule") == 0)
		return true;
	for (size_t i = 0; i < spec->n_tolerations; i++) {
		const Armada__Toleration *tol = spec->tolerations[i];
		bool exists = strcmp(tol->operator_, "Exists") == 0;

		if (tol->key[0] ? strcmp(tol->key, t->key) == 0 &&
					  (exists || strcmp(tol->value, t->value) == 0)
				: exists)
			return true;
	}
	return false;
}

static bool listed(const char *name, char *const *names, size_t count)
{
	return names_have((const char *const *)names, count, name);
}

bool node_suits(const Armada__JobSpec *spec, const struct node *n)
{
	if (spec->n_nodes_include && !listed(n->name, spec->nodes_include, spec->n_nodes_include))
		return false;
	if (listed(n->name, spec->nodes_exclude, spec->n_nodes_exclude))
		return false;
	if (spec->uniformity[0] && !node_label(n, spec->uniformity))
		return false;
	for (size_t i = 0, end; i < spec->n_selectors; i = end) {
		end = condition_end(spec, i);
		if (!meets(spec, i, end, n))
			return false;
	}
	for (size_t i = 0; i < n->set->n_taints; i++)
		if (!tolerates(spec, n->set->taints[i]))
			return false;
	return true;
}

static bool any_meets(const struct txn *txn, const Armada__JobSpec *spec, size_t first, size_t end)
{
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next)
		if (meets(spec, first, end, n))
			return true;
	return false;
}

/* "; nodes have gpu=h100, gpu=v100": other values of a label, at most some. */
static void add_other_values(const struct txn *txn, const char *key, struct buf *text)
{
	enum { SHOWN = 5 };
	const char *seen[SHOWN];
	size_t count = 0;

	for (const struct node *n = txn->state->nodes; n && count < SHOWN; n = n->hh.next) {
		const char *value = node_label(n, key);

		if (!value || names_have(seen, count, value))
			continue;
		buf_addf(text, "%s %s=%.64s", count ? "," : "; nodes have", key, value);
		seen[count++] = value;
	}
}

/* "no node has the label 'a=b'", "no node has one of the labels 'a=b' or '!c'" */
static int refuse_condition(struct admission *a, size_t first, size_t end)
{
	Armada__Selector *const *list = a->spec->selectors;
	CLEANUP_BUF struct buf text = {0};

	if (end == first + 1 && list[first]->negate)
		buf_addstr(&text, "not one node has the label");
	else
		buf_addf(&text, "no node has %s",
			 end == first + 1 ? "the label" : "one of the labels");
	for (size_t i = first; i < end; i++)
		buf_addf(&text, "%s '%s%s%s%s'", i > first ? " or" : "",
			 list[i]->negate && end > first + 1 ? "!" : "", list[i]->key,
			 list[i]->value[0] ? "=" : "", list[i]->value);
	if (end == first + 1 && !list[first]->negate && list[first]->value[0])
		add_other_values(a->txn, list[first]->key, &text);
	return admit_no(a, "%s", (const char *)text.data);
}

/* Refuses unknown nodes and labels that no node has, by name. */
static int admit_constraints(struct admission *a)
{
	const Armada__JobSpec *spec = a->spec;
	bool any = false;

	for (size_t i = 0; i < spec->n_nodes_include; i++)
		if (!node_find(a->txn->state, spec->nodes_include[i])) {
			a->code = 3;
			return admit_no(a, "%s", no_such_node(a->txn, spec->nodes_include[i]));
		}
	for (size_t i = 0, end; i < spec->n_selectors; i = end) {
		end = condition_end(spec, i);
		if (!any_meets(a->txn, spec, i, end))
			return refuse_condition(a, i, end);
	}
	for (const struct node *n = a->txn->state->nodes; n; n = n->hh.next)
		any |= !spec->uniformity[0] || node_label(n, spec->uniformity);
	if (!any)
		return admit_no(a, "uniformity: no node has the label '%s'", spec->uniformity);
	for (const struct node *n = a->txn->state->nodes; n; n = n->hh.next)
		if (node_suits(spec, n))
			return 0;
	return admit_no(a, "no node matches its labels, taints and node lists together");
}

/* The nodes with one value of the uniformity label. */
struct value {
	const char *name;
	uint64_t rooms;
	UT_hash_handle hh;
};

struct fit {
	struct admission *a;
	struct resources want; /* of one member */
	uint32_t members;      /* number that must start together */
	uint32_t larger; /* members with one task more, checked after all of them without it */
	bool alone;      /* at most one member on a node */
	size_t nodes;    /* number of nodes that hold at least one member */
	uint64_t rooms;  /* number of members that all nodes hold */
	struct value *values;
	const struct node *best; /* the best node that holds no member */
	int lacks;               /* the resource that it has too little of */
};

/* Forgets what was counted for other members. */
static void fit_again(struct fit *f)
{
	f->nodes = 0;
	f->rooms = 0;
	f->values = NULL;
	f->best = NULL;
	f->lacks = -1;
}

/*
 * The number of members that the empty node could hold. ret_lacks: the first resource of which it
 * has too little.
 */
static uint64_t room(const struct fit *f, const struct node *n, int *ret_lacks)
{
	uint64_t rooms = f->alone ? 1 : f->members;

	*ret_lacks = -1;
	for (size_t r = 0; r < resource_count(); r++) {
		int64_t want = f->want.amount[r], have = n->total.amount[r];

		if (want > have && *ret_lacks < 0)
			*ret_lacks = (int)r;
		if (want > 0 && (uint64_t)(have / want) < rooms)
			rooms = (uint64_t)(have / want);
	}
	return rooms;
}

static void add_value(struct fit *f, const char *name, uint64_t rooms)
{
	struct value *v;

	HASH_FIND_STR(f->values, name, v);
	if (!v) {
		v = arena_zalloc(f->a->txn->arena, 1, sizeof(*v));
		v->name = name;
		HASH_ADD_KEYPTR(hh, f->values, v->name, strlen(v->name), v);
	}
	v->rooms += rooms;
}

static void count_rooms(struct fit *f)
{
	const Armada__JobSpec *spec = f->a->spec;

	for (const struct node *n = f->a->txn->state->nodes; n; n = n->hh.next) {
		uint64_t rooms;
		int lacks;

		if (!node_suits(spec, n))
			continue;
		rooms = room(f, n, &lacks);
		f->nodes += rooms > 0;
		f->rooms += rooms;
		if (rooms && spec->uniformity[0])
			add_value(f, node_label(n, spec->uniformity), rooms);
		else if (!rooms &&
			 (!f->best || n->total.amount[lacks] > f->best->total.amount[lacks])) {
			f->best = n;
			f->lacks = lacks;
		}
	}
}

/* True if the job restricts its nodes. */
static bool restricts_nodes(const Armada__JobSpec *spec)
{
	return spec->n_selectors || spec->n_nodes_include || spec->n_nodes_exclude ||
	       spec->uniformity[0];
}

/* Refuses a job of which no node holds even one member; the message names the best node. */
static int refuse_size(const struct fit *f)
{
	const char *name = resource_name(f->lacks);
	const char *may = restricts_nodes(f->a->spec) ? " it may use" : "";
	char asked[32], has[32];

	admit_amount(name, f->want.amount[f->lacks], asked, sizeof(asked));
	if (!f->best->total.amount[f->lacks])
		return admit_no(f->a, "%s: %s requested, and no node%s has any", name, asked, may);
	admit_amount(name, f->best->total.amount[f->lacks], has, sizeof(has));
	return admit_no(f->a, "%s: %s is more than any node%s has (the best is %s with %s)", name,
			asked, may, f->best->name, has);
}

static int refuse_room(const struct fit *f)
{
	const Armada__JobSpec *spec = f->a->spec;
	unsigned all = HASH_COUNT(f->a->txn->state->nodes);
	const char *least = spec->min_available ? "at least " : "";

	if (spec->nodes)
		return admit_no(f->a,
				"%s%u %s requested; only %zu of the %u %s of this cluster could "
				"hold a part of the job",
				least, f->members, plural(f->members, "node", "nodes"), f->nodes,
				all, plural(all, "node", "nodes"));
	return admit_no(
		f->a,
		"%s%u %s %s%s; %zu of the %u %s of this cluster could hold tasks, at most %" PRIu64
		" in all",
		least, f->members, plural(f->members, "task", "tasks"),
		f->a->grows ? "requested" : "must start together",
		job_spec_alone(spec) ? ", each on a node of its own" : "", f->nodes, all,
		plural(all, "node", "nodes"), f->rooms);
}

/* The nodes with one value of the uniformity label must hold all members. */
static int check_values(struct fit *f)
{
	const char *label = f->a->spec->uniformity;
	const struct value *best = NULL;

	for (const struct value *v = f->values; v; v = v->hh.next)
		if (!best || v->rooms > best->rooms)
			best = v;
	if (!best || best->rooms >= f->members)
		return 0;
	return admit_no(
		f->a,
		"%s%u %s must be on nodes with one value of '%s'; the nodes with %s=%s could hold "
		"the most, %" PRIu64,
		f->a->spec->min_available ? "at least " : "", f->members,
		f->a->spec->nodes ? plural(f->members, "node", "nodes")
				  : plural(f->members, "task", "tasks"),
		label, label, best->name, best->rooms);
}

static int check_rooms(struct fit *f)
{
	int rc = 0;

	count_rooms(f);
	if (!f->nodes)
		rc = refuse_size(f);
	else if (f->rooms < f->members)
		rc = refuse_room(f);
	else
		rc = check_values(f);
	HASH_CLEAR(hh, f->values);
	return rc;
}

/* The selectors of the job, and those of its queue. */
static Armada__JobSpec *with_queue(struct admission *a)
{
	const struct queue *q = user_queue_for(a->txn, a->spec->queue);
	Armada__TaskGroup more = ARMADA__TASK_GROUP__INIT;
	struct selector_words *words;
	Armada__JobSpec *view;
	struct err err;

	if (!q || !q->spec->constraint[0] ||
	    selectors_parse(q->spec->constraint, a->txn->arena, &words, &more.n_selectors, &err) <
		    0)
		return a->spec;
	more.selectors = arena_zalloc(a->txn->arena, more.n_selectors, sizeof(*more.selectors));
	for (size_t i = 0; i < more.n_selectors; i++) {
		more.selectors[i] = arena_alloc(a->txn->arena, sizeof(*more.selectors[i]));
		armada__selector__init(more.selectors[i]);
		more.selectors[i]->key = (char *)words[i].key;
		more.selectors[i]->value = (char *)words[i].value;
		more.selectors[i]->negate = words[i].negate;
		more.selectors[i]->alternative = words[i].alternative;
	}
	view = arena_memdup(a->txn->arena, a->spec, sizeof(*a->spec));
	group_add_constraints(view, &more, a->txn->arena);
	return view;
}

/* Checks the nodes, with the labels that the job and its queue require. */
static int check_nodes(struct fit *f)
{
	struct admission *a = f->a;
	Armada__JobSpec *own = a->spec;
	struct resources one;
	int rc;

	a->spec = with_queue(a);
	rc = admit_constraints(a);
	if (rc == 0)
		rc = check_rooms(f);
	if (rc == 0 && f->larger) {
		spec_task_request(a->spec, &one);
		resources_add(&f->want, &one, 1);
		f->members = f->larger;
		fit_again(f);
		rc = check_rooms(f);
	}
	if (rc < 0 && a->spec != own)
		err_prefix(a->err, rc, "in queue '%s', whose jobs run only on nodes with %s",
			   own->queue, user_queue_for(a->txn, own->queue)->spec->constraint);
	a->spec = own;
	return rc;
}

/* Refuses a job that the nodes could never hold, even if they were empty. */
int admit_fit(struct admission *a)
{
	struct fit f = {.a = a, .lacks = -1};
	uint32_t each;

	if (admit_licenses_fit(a, &a->spec, 1) < 0)
		return -EINVAL;
	if (a->spec->n_groups > 1)
		return admit_groups_fit(a);
	admit_gang(a, &f.want, &f.members, &each);
	f.members = a->spec->min_available ? (a->spec->min_available + each - 1) / each : f.members;
	f.larger = task_division_of(a->spec).larger;
	f.alone = a->spec->nodes || job_spec_alone(a->spec);
	for (size_t r = 0; r < CORE_RESOURCES; r++)
		if (f.want.amount[r] == INT64_MAX)
			return admit_no(a, "more than any node has");
	if (!a->txn->state->nodes || a->txn->policy->hold_impossible)
		return 0;
	admit_budget_begin(a);
	if (a->unseen)
		return 0;
	return check_nodes(&f);
}

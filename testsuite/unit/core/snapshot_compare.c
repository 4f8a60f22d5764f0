/*
 * Compares two states, a live one and one restored from its snapshot, member by member. The
 * first pass pairs the structs of both states, the second compares the members of each pair. How
 * a member is compared follows from its type (KIND).
 */
#include "unit/core/snapshot_compare.h"

#include "core/core.h"
#include "snapshot_fields.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

/* How a member is compared. */
enum kind {
	BYTES,
	TEXT,   /* char * */
	NOUN,   /* a pointer to another noun: both states point to the same one */
	RANGES, /* struct rangeset */
	SET,    /* a pointer to a struct rangeset */
	BUF,
	OTHERS, /* visited below, derived from another member, or the place of an item in the state */
};

/* clang-format off */
#define KIND(s, m) _Generic(&((struct s *)0)->m, \
	char **: TEXT, \
	struct rangeset *: RANGES, \
	const struct rangeset **: SET, \
	struct buf *: BUF, \
	const struct job **: NOUN, \
	const struct element **: NOUN, \
	const struct task **: NOUN, \
	const struct node **: NOUN, \
	const struct queue **: NOUN, \
	const struct spec **: NOUN, \
	const struct user **: NOUN, \
	const struct blob **: NOUN, \
	const struct gang **: NOUN, \
	const struct gang_spec **: NOUN, \
	const struct spec_group **: NOUN, \
	const struct queue_user **: NOUN, \
	const struct user_usage **: NOUN, \
	const struct account_user **: NOUN, \
	const struct account_usage **: NOUN, \
	const struct same_name **: NOUN, \
	const struct depend **: NOUN, \
	const struct target **: NOUN, \
	const struct avoids **: NOUN, \
	const struct avoid **: NOUN, \
	const struct array_ends **: NOUN, \
	const struct share_note **: NOUN, \
	const struct task_replacement **: NOUN, \
	const struct extras **: NOUN, \
	const struct submit_key **: NOUN, \
	const struct key_user **: NOUN, \
	const struct token **: NOUN, \
	const struct job_set **: NOUN, \
	const struct job_set_user **: NOUN, \
	const struct element_edges **: OTHERS, \
	const struct spec_label **: OTHERS, \
	const struct extra_slot **: OTHERS, \
	const struct holder **: OTHERS, \
	const struct job *const **: OTHERS, \
	const struct element *const **: OTHERS, \
	struct edges *: OTHERS, \
	struct slot *: OTHERS, \
	struct slots *: OTHERS, \
	struct arena **: OTHERS, \
	struct shared *const *: OTHERS, \
	struct shared **: OTHERS, \
	uint8_t **: OTHERS, \
	uint32_t **: OTHERS, \
	uint64_t **: OTHERS, \
	char ***: OTHERS, \
	const char **: OTHERS, \
	const struct permit **: OTHERS, \
	const struct resources **: OTHERS, \
	const struct sched_fraction **: OTHERS, \
	const Armada__QueueSpec **: OTHERS, \
	const Armada__NodeSet **: OTHERS, \
	default: BYTES)
/* clang-format on */

/* All members by struct; seen: the member was other than zero. */
#define ONE(s, m) {#s "." #m, KIND(s, m), false},
#define ROWS(s)   FIELDS_##s(ONE)
static struct member {
	const char *name;
	enum kind kind;
	bool seen;
} members[] = {STRUCTS(ROWS)};

/* Two structs of a noun, live and restored, that are the same item. */
struct pair {
	const void *live, *restored;
	UT_hash_handle hh;
};
static struct pair *pairs;

static struct member *member_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (strcmp(members[i].name, name) == 0)
			return &members[i];
	return NULL;
}

/* Sizes of arrays, and the state's own tables, whose order does not matter. */
static bool is_place(const char *name)
{
	size_t len = strlen(name);

	return strcmp(name + len - 3, "cap") == 0 || strcmp(name, "state.job_slots") == 0 ||
	       strcmp(name, "queue_user.of") == 0 || strcmp(name, "account_user.of") == 0 ||
	       strcmp(name, "fold.over") == 0;
}

/* Of OTHERS: visited in visit_all, or derived from a member beside it, which is compared. */
static bool is_walked(const char *name)
{
	static const char *const known[] = {"job.elements",       "job.slot",
					    "element.slot",       "node.slot",
					    "gang.slot",          "gang.members",
					    "gang.next",          "gang.job_set",
					    "spec.labels", /* of its members' specs */
					    "target.whole",       "target.corr",
					    "target.by_element",  "blob.bytes",
					    "spec.packed",        "extras.slots",
					    "spec.queue",         "spec.job_set",
					    "spec.name",          "spec.priority_class",
					    "user.gids",          "node.set",
					    "node.set_arena",     "queue.arena",
					    "queue.spec",         "queue.owners",
					    "queue.group_owners", "queue.permissions",
					    "queue.class_limits", "blob.holders",
					    "spec.holders",       "spec.account",
					    "spec.licenses"};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i], name) == 0)
			return true;
	return false;
}

static bool is_zero(const void *p, size_t size)
{
	const char *at = p;

	for (size_t i = 0; i < size; i++)
		if (at[i])
			return false;
	return true;
}

static bool sets_equal(const struct rangeset *a, const struct rangeset *b)
{
	return a->total == b->total && a->count == b->count &&
	       (!a->count || memcmp(a->ranges, b->ranges, a->count * sizeof(*a->ranges)) == 0);
}

static bool equal(enum kind kind, const void *a, const void *b, size_t size)
{
	const void *p = NULL, *q = NULL;
	const struct buf *x = a, *y = b;
	struct pair *pair;

	if (kind == TEXT || kind == NOUN || kind == SET) {
		memcpy(&p, a, sizeof(p));
		memcpy(&q, b, sizeof(q));
		if (!p || !q)
			return p == q;
	}
	switch (kind) {
	case TEXT:
		return strcmp(p, q) == 0;
	case NOUN:
		HASH_FIND_PTR(pairs, &p, pair);
		return pair && pair->restored == q;
	case RANGES:
		return sets_equal(a, b);
	case SET:
		return sets_equal(p, q);
	case BUF:
		return x->len == y->len && (!x->len || memcmp(x->data, y->data, x->len) == 0);
	default:
		return memcmp(a, b, size) == 0;
	}
}

static void compare_member(const char *name, enum kind kind, const char *a, const char *b,
			   size_t size)
{
	struct member *m = member_named(name);

	if (!is_zero(a, size))
		m->seen = true;
	if (kind == OTHERS && !is_walked(name))
		ok(false, "%s is not compared: add it to snapshot_compare.c", name);
	if (kind != OTHERS && !is_place(name) && !equal(kind, a, b, size))
		ok(false, "the snapshot forgets %s", name);
}

#define COMPARE(s, m)                                                                              \
	compare_member(#s "." #m, KIND(s, m), a + offsetof(struct s, m),                           \
		       b + offsetof(struct s, m), sizeof(((struct s *)0)->m));
#define COMPARE_ALL(s)                                                                             \
	static void compare_##s(const char *a, const char *b)                                      \
	{                                                                                          \
		FIELDS_##s(COMPARE)                                                                \
	}

COMPARE_ALL(avoid)
COMPARE_ALL(avoids)
COMPARE_ALL(edge)
COMPARE_ALL(depend)
COMPARE_ALL(target)
COMPARE_ALL(task)
COMPARE_ALL(element)
COMPARE_ALL(array_ends)
COMPARE_ALL(gang)
COMPARE_ALL(blob)
COMPARE_ALL(gang_spec)
COMPARE_ALL(spec_label)
COMPARE_ALL(spec_group)
COMPARE_ALL(spec)
COMPARE_ALL(user)
COMPARE_ALL(job)
COMPARE_ALL(node)
COMPARE_ALL(queue)
COMPARE_ALL(user_usage)
COMPARE_ALL(queue_user)
COMPARE_ALL(account_usage)
COMPARE_ALL(account_user)
COMPARE_ALL(same_name)
COMPARE_ALL(share_note)
COMPARE_ALL(submit_key)
COMPARE_ALL(key_user)
COMPARE_ALL(job_set)
COMPARE_ALL(token)
COMPARE_ALL(job_set_user)
COMPARE_ALL(task_replacement)
COMPARE_ALL(extras)
COMPARE_ALL(extra_slot)

typedef void compare_fn(const char *a, const char *b);

/* The first pass notes the pairs, the second compares them. False if one of the two is missing. */
static bool visit(bool compare, const void *a, const void *b, compare_fn *fn)
{
	struct pair *pair;

	if (!a || !b)
		return false;
	if (compare) {
		fn(a, b);
		return true;
	}
	HASH_FIND_PTR(pairs, &a, pair);
	if (pair)
		return true;
	pair = xcalloc(1, sizeof(*pair));
	pair->live = a;
	pair->restored = b;
	HASH_ADD_PTR(pairs, live, pair);
	return true;
}

static void visit_spec(bool compare, const struct spec *a, const struct spec *b)
{
	visit(compare, a, b, compare_spec);
	visit(compare, a->gang, b->gang, compare_gang_spec);
	visit(compare, a->script, b->script, compare_blob);
	visit(compare, a->env, b->env, compare_blob);
	for (size_t i = 0; i < a->label_count && i < b->label_count; i++)
		visit(compare, &a->labels[i], &b->labels[i], compare_spec_label);
	for (size_t i = 0; a->groups && b->groups && i < a->group_count; i++) {
		visit(compare, &a->groups[i], &b->groups[i], compare_spec_group);
		visit(compare, a->groups[i].script, b->groups[i].script, compare_blob);
	}
}

static void visit_depend(bool compare, const struct depend *a, const struct depend *b)
{
	if (!visit(compare, a, b, compare_depend) || a->edge_count != b->edge_count)
		return;
	for (uint32_t i = 0; i < a->edge_count; i++)
		visit(compare, &a->edges[i], &b->edges[i], compare_edge);
}

static void visit_element(bool compare, const struct element *a, const struct element *b)
{
	if (!visit(compare, a, b, compare_element) || a->task_count != b->task_count)
		return;
	if (visit(compare, a->extras, b->extras, compare_extras))
		for (uint32_t i = 0; i < a->extras->count && i < b->extras->count; i++)
			visit(compare, &a->extras->slots[i], &b->extras->slots[i],
			      compare_extra_slot);
	for (uint32_t i = 0; i < a->task_count; i++) {
		visit(compare, &a->tasks[i], &b->tasks[i], compare_task);
		visit(compare, a->tasks[i].replacement, b->tasks[i].replacement,
		      compare_task_replacement);
	}
}

static void visit_job(bool compare, const struct job *a, const struct job *b)
{
	if (!visit(compare, a, b, compare_job)) {
		ok(false, "the snapshot forgets job %llu", (unsigned long long)a->id);
		return;
	}
	visit_spec(compare, a->spec, b->spec);
	if (a->next && b->next)
		visit_spec(compare, a->next, b->next);
	visit(compare, a->user, b->user, compare_user);
	visit(compare, a->queue_user, b->queue_user, compare_queue_user);
	visit(compare, a->queue_user->of.user_usage, b->queue_user->of.user_usage,
	      compare_user_usage);
	if (visit(compare, a->account_user, b->account_user, compare_account_user))
		visit(compare, a->account_user->of.account, b->account_user->of.account,
		      compare_account_usage);
	visit(compare, a->gang, b->gang, compare_gang);
	visit(compare, a->same_name, b->same_name, compare_same_name);
	visit(compare, a->job_set, b->job_set, compare_job_set);
	visit(compare, a->ends, b->ends, compare_array_ends);
	visit(compare, a->target, b->target, compare_target);
	visit_depend(compare, a->depend, b->depend);
	if (visit(compare, a->avoids, b->avoids, compare_avoids) &&
	    a->avoids->count == b->avoids->count)
		for (size_t i = 0; i < a->avoids->count; i++)
			visit(compare, &a->avoids->list[i], &b->avoids->list[i], compare_avoid);
	for (size_t i = 0; i < a->element_count; i++)
		visit_element(compare, a->elements[i], element_find(b, a->elements[i]->index));
}

static void visit_all(bool compare, const struct state *a, const struct state *b)
{
	for (const struct queue *q = a->queues; q; q = q->hh.next) {
		const struct queue *other = queue_find(b, q->name);

		if (!visit(compare, q, other, compare_queue))
			ok(false, "the snapshot forgets queue %s", q->name);
		else
			visit(compare, q->noted, other->noted, compare_share_note);
	}
	for (const struct node *n = a->nodes; n; n = n->hh.next)
		if (!visit(compare, n, node_find(b, n->name), compare_node))
			ok(false, "the snapshot forgets node %s", n->name);
	for (const struct submit_key *k = a->keys; k; k = k->hh.next) {
		ProtobufCBinaryData key = {sizeof(k->id.key), (uint8_t *)k->id.key};

		const struct submit_key *other = submit_key_find(b, k->id.uid, &key);

		if (!visit(compare, k, other, compare_submit_key))
			ok(false, "the snapshot forgets a submission key");
		else
			visit(compare, k->user, other->user, compare_key_user);
	}
	for (const struct job_set *s = a->job_sets; s; s = s->hh.next) {
		const struct queue *q = queue_find(b, s->queue->name);
		const struct job_set *other = q ? job_set_find(b, q, s->name) : NULL;

		if (!visit(compare, s, other, compare_job_set))
			ok(false, "the snapshot forgets job set %s", s->name);
		else
			visit(compare, s->idle_user, other->idle_user, compare_job_set_user);
	}
	for (const struct token *t = a->tokens; t; t = t->hh.next)
		if (!visit(compare, t, token_find(b, t->number), compare_token))
			ok(false, "the snapshot forgets token %llu", (unsigned long long)t->number);
	for (size_t i = 0; i < a->job_slots; i++)
		if (a->jobs[i])
			visit_job(compare, a->jobs[i], job_find(b, a->jobs[i]->id));
}

/* The items of the tables are visited; of the state only members that are no table are compared. */
#define COMPARE_STATE(s, m)                                                                        \
	if (KIND(s, m) != NOUN && KIND(s, m) != OTHERS)                                            \
		compare_member(#s "." #m, KIND(s, m), a + offsetof(struct s, m),                   \
			       b + offsetof(struct s, m), sizeof(((struct s *)0)->m));             \
	else                                                                                       \
		member_named(#s "." #m)->seen = true;

static void compare_state(const char *a, const char *b)
{
	FIELDS_state(COMPARE_STATE)
}

/* Structs that are not nouns: parts of nouns, data of the fold, positions in the state. */
static bool is_part(const char *name)
{
	static const char *const parts[] = {"fold.",    "slot.",          "slots.",
					    "edges.",   "usage.",         "resources.",
					    "use_sum.", "element_edges.", "token_scope."};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strncmp(name, parts[i], strlen(parts[i])) == 0)
			return true;
	return false;
}

static void report(void)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	struct buf path CLEANUP_BUF = {0};
	FILE *f = NULL;

	if (build) {
		buf_addf(&path, "%s/testsuite/unit/core/%s.members", build,
			 program_invocation_short_name);
		f = fopen((const char *)path.data, "we");
	}

	for (size_t i = 0; f && i < ARRAY_SIZE(members); i++)
		if (!is_part(members[i].name) && !is_place(members[i].name) &&
		    members[i].kind != OTHERS)
			fprintf(f, "%s %s\n", members[i].seen ? "saw" : "has", members[i].name);
	if (f)
		fclose(f);
}

void snapshot_compare(const struct core *live, const struct core *restored)
{
	const struct state *a = core_state(live), *b = core_state(restored);
	static bool registered;
	struct pair *pair, *next;

	if (!registered)
		atexit(report);
	registered = true;
	visit_all(false, a, b);
	visit_all(true, a, b);
	compare_state((const char *)a, (const char *)b);
	HASH_ITER (hh, pairs, pair, next) {
		HASH_DEL(pairs, pair);
		free(pair);
	}
}

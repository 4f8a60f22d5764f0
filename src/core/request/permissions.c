/*
 * PERMISSIONS: the rights of a user, each with its reason.
 *
 * Users ask about themselves. Administrators ask about everybody, and the owners of a queue about
 * any user in their queue. The answer has a row for each queue and verb, and rows for the cluster.
 * The groups of another user are looked up by the shell; the request then comes again with them.
 */
#include "core/request/request.h"
#include "core/txn/name_lookup.h"
#include "core/txn/reply.h"
#include "core/view/no_such.h"
#include "core/view/rights.h"
#include "util/mem.h"

#include <string.h>

enum { EXIT_REFUSED = 1, EXIT_NOT_FOUND = 3, EXIT_DENIED = 4 };

struct right_row {
	const char *word;
	enum verb verb;
};

/* The rows of each queue. */
static const struct right_row in_queue[] = {
	/* clang-format off */
	{"submit",		VERB_SUBMIT},
	{"cancel",		VERB_CANCEL},
	{"reprioritise",	VERB_REPRIORITISE},
	{"preempt",		VERB_PREEMPT},
	{"watch",		VERB_WATCH},
	{"manage",		VERB_QUEUE_MANAGE},
	/* clang-format on */
};

/* The rows of the cluster. */
static const struct right_row in_cluster[] = {
	{"queues", VERB_QUEUE},
	{"administer", VERB_ADMIN},
};

struct asking {
	struct txn *txn;
	const Armada__PermissionsRequest *m;
	const struct caller *about;
	bool other; /* the question is about another user */
	bool admin; /* the caller is an administrator */
	Armada__PermissionsReply reply;
};

static void add_row(struct asking *x, const struct queue *q, const struct right_row *t)
{
	struct arena *a = x->txn->arena;
	Armada__PermissionRow *row = arena_alloc(a, sizeof(*row));
	bool allowed;

	armada__permission_row__init(row);
	row->queue = q ? q->name : (char *)"";
	row->verb = (char *)t->word;
	row->why = (char *)rights_may_why(x->txn, x->about, t->verb, q, a, &allowed);
	row->allowed = allowed;
	x->reply.rows[x->reply.n_rows++] = row;
}

static void add_queue(struct asking *x, const struct queue *q)
{
	for (size_t i = 0; i < ARRAY_SIZE(in_queue); i++)
		add_row(x, q, &in_queue[i]);
}

/* True if the caller may ask about this queue. About other users: its owners and administrators. */
static bool may_ask(const struct asking *x, const struct queue *q)
{
	return !x->other || x->admin ||
	       rights_may(x->txn, x->txn->in->caller, VERB_QUEUE_MANAGE, NULL, q);
}

static void refuse_asking(struct asking *x, const char *queue)
{
	reply_refuse(x->txn, EXIT_DENIED, "the rights of %s%s%s are shown only to %s%s%s",
		     x->m->user, queue ? " in queue " : "", queue ? queue : "", x->m->user,
		     queue ? ", the queue's owners" : "",
		     queue ? " and administrators"
			   : " and administrators; for one queue, also to its owners");
}

/* False for automatic queues of other users in which the user has no rights. */
static bool is_of_interest(const struct asking *x, const struct queue *q)
{
	return (x->other && !x->admin) || !q->spec->automatic || rights_queue_knows(x->about, q);
}

static bool add_all(struct asking *x)
{
	for (const struct queue *q = x->txn->state->queues; q; q = q->hh.next)
		if (may_ask(x, q) && is_of_interest(x, q))
			add_queue(x, q);
	if (x->other && !x->admin)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(in_cluster); i++)
		add_row(x, NULL, &in_cluster[i]);
	return true;
}

/* A named queue; NULL: the request was refused. */
static const struct queue *find_named(struct asking *x, const char *name)
{
	const struct queue *q = queue_find(x->txn->state, name);

	if (!q)
		reply_refuse(x->txn, EXIT_NOT_FOUND, "%s", no_such_queue(x->txn, name));
	else if (!may_ask(x, q))
		refuse_asking(x, name);
	else
		return q;
	return NULL;
}

static bool add_named(struct asking *x)
{
	for (size_t i = 0; i < x->m->n_queues; i++)
		if (!find_named(x, x->m->queues[i]))
			return false;
	for (size_t i = 0; i < x->m->n_queues; i++)
		add_queue(x, queue_find(x->txn->state, x->m->queues[i]));
	return true;
}

/*
 * True if the request was refused because it names more queues than there are. Some are named twice
 * then, and the answer would have no bounds.
 */
static bool names_too_many(struct asking *x)
{
	if (x->m->n_queues <= HASH_COUNT(x->txn->state->queues))
		return false;
	for (size_t i = 0; i < x->m->n_queues; i++)
		if (!find_named(x, x->m->queues[i]))
			return true;
	reply_refuse(x->txn, EXIT_REFUSED, "%zu queues are named, more than there are",
		     x->m->n_queues);
	return true;
}

/* Checks the rights of the caller before the name of the user is looked up. */
static bool may_ask_at_all(struct asking *x)
{
	for (size_t i = 0; i < x->m->n_queues; i++)
		if (!find_named(x, x->m->queues[i]))
			return false;
	if (x->m->n_queues)
		return true;
	for (const struct queue *q = x->txn->state->queues; q; q = q->hh.next)
		if (may_ask(x, q))
			return true;
	refuse_asking(x, NULL);
	return false;
}

/* False: the request was answered, or comes again with the user's groups. */
static bool find_user(struct asking *x, struct caller *other)
{
	struct names names = {0};
	const struct core_name *n;

	if (!x->admin && !may_ask_at_all(x))
		return false;
	if (strspn(x->m->user, "0123456789") == strlen(x->m->user)) {
		reply_refuse(x->txn, EXIT_REFUSED, "user %s: expected a name, not a number",
			     x->m->user);
		return false;
	}
	name_lookup_want(x->txn, &names, false, x->m->user);
	if (name_lookup_ask(x->txn, &names, x->m))
		return false;
	n = name_lookup_find(x->txn, false, x->m->user);
	*other = (struct caller){.role = ROLE_CLIENT,
				 .uid = n->id,
				 .user = n->name,
				 .gids = n->gids,
				 .gid_count = n->gid_count,
				 .groups = n->groups,
				 .group_count = n->gid_count};
	x->about = other;
	return true;
}

void req_permissions(struct txn *txn, const Armada__PermissionsRequest *m)
{
	const struct caller *who = txn->in->caller;
	struct asking x = {.txn = txn, .m = m, .about = who};
	struct caller other;
	size_t queues = x.m->n_queues ? x.m->n_queues : HASH_COUNT(txn->state->queues);

	x.other = x.m->user[0] && (!who->user || strcmp(x.m->user, who->user) != 0);
	x.admin = rights_may(txn, who, VERB_ADMIN, NULL, NULL);
	if (x.other && !find_user(&x, &other))
		return;
	if (names_too_many(&x))
		return;
	armada__permissions_reply__init(&x.reply);
	x.reply.user = (char *)(x.about->user ? x.about->user : "");
	x.reply.groups = (char **)x.about->groups;
	x.reply.n_groups = x.about->group_count;
	x.reply.rows =
		arena_alloc(txn->arena, (queues * ARRAY_SIZE(in_queue) + ARRAY_SIZE(in_cluster)) *
						sizeof(*x.reply.rows));
	if (x.m->n_queues ? add_named(&x) : add_all(&x))
		reply(txn, MSG_PERMISSIONS_REPLY, &x.reply);
}

/*
 * The table of rights, and the functions that apply it.
 *
 * Input: the caller with uid, user name and group names, a verb, and a job or a queue. Output:
 * yes or no, or the reason in words. relations() computes the relations of the caller to the
 * object, as bits. The table `given` has for each verb the bits of which one is enough, and the
 * permissions that set IS_PERMITTED. Caveats: a verb without a row is denied. A queue without
 * owners and permissions is open to submissions. Answers about seeing jobs are cached in
 * txn->sight for the input.
 */
#include "core/view/rights.h"

#include <string.h>

/* The relations of a caller to an object, as bits. */
enum relation {
	IS_ANYBODY = 1,
	IS_ADMIN = 2,
	IS_JOB_OWNER = 4,
	IS_QUEUE_OWNER = 8,
	IS_QUEUE_OPEN = 16, /* the queue has no owners and no permissions: all may submit */
	IS_PERMITTED = 32,  /* by a permission of the queue, or of all queues */
	IS_PUBLIC = 64,     /* visible to all users unless the cluster is private */
	IS_CONTROLLER = 128,
};

#define PERMIT(verb) (1u << PERMIT_##verb)

static const struct {
	unsigned to;      /* relations; one of them is enough */
	unsigned permits; /* permissions that give the verb */
} given[VERB_COUNT] = {
	/* clang-format off */
	[VERB_NONE]	= {0, 0},
	[VERB_LOOK]	= {IS_ANYBODY, 0},
	[VERB_SUBMIT]	= {IS_ADMIN | IS_QUEUE_OWNER | IS_QUEUE_OPEN | IS_PERMITTED, PERMIT(SUBMIT)},
	/* a permission to change the jobs of others includes the right to see them */
	[VERB_WATCH]	= {IS_ADMIN | IS_JOB_OWNER | IS_QUEUE_OWNER | IS_PUBLIC | IS_PERMITTED,
			   PERMIT(WATCH) | PERMIT(CANCEL) | PERMIT(REPRIORITISE) | PERMIT(PREEMPT)},
	[VERB_CANCEL]	= {IS_ADMIN | IS_JOB_OWNER | IS_QUEUE_OWNER | IS_PERMITTED, PERMIT(CANCEL)},
	[VERB_RELEASE]	= {IS_ADMIN | IS_QUEUE_OWNER | IS_PERMITTED, PERMIT(CANCEL)},
	[VERB_UPDATE]	= {IS_ADMIN | IS_JOB_OWNER | IS_QUEUE_OWNER, 0},
	[VERB_REPRIORITISE] = {IS_ADMIN | IS_JOB_OWNER | IS_QUEUE_OWNER | IS_PERMITTED,
			       PERMIT(REPRIORITISE)},
	[VERB_PREEMPT]	= {IS_ADMIN | IS_QUEUE_OWNER | IS_PERMITTED, PERMIT(PREEMPT)},
	/* in addition to VERB_PREEMPT */
	[VERB_PREEMPT_SAFE] = {IS_ADMIN | IS_JOB_OWNER, 0},
	[VERB_SECRET]	= {IS_ADMIN | IS_JOB_OWNER, 0},
	[VERB_STEP]	= {IS_JOB_OWNER, 0},
	[VERB_QUEUE_MANAGE] = {IS_ADMIN | IS_QUEUE_OWNER, 0},
	[VERB_QUEUE]	= {IS_ADMIN, 0},
	[VERB_TOKEN]	= {IS_ANYBODY, 0},
	[VERB_ADMIN]	= {IS_ADMIN, 0},
	[VERB_CONTROLLER] = {IS_CONTROLLER, 0},
	/* clang-format on */
};

/* A token without the word admin does not give what only administrators may. */
bool rights_is_admin(const struct core_policy *policy, const struct caller *who)
{
	if (!token_allows(who->scope, VERB_ADMIN))
		return false;
	for (size_t i = 0; i < policy->admin_count; i++)
		if (policy->admin_uids[i] == who->uid)
			return true;
	for (size_t i = 0; i < policy->admin_gid_count; i++)
		for (size_t g = 0; g < who->gid_count; g++)
			if (policy->admin_gids[i] == who->gids[g])
				return true;
	return false;
}

static bool is_of_group(const struct caller *who, const char *group)
{
	for (size_t g = 0; g < who->group_count; g++)
		if (strcmp(group, who->groups[g]) == 0)
			return true;
	return false;
}

static bool is_among(const struct caller *who, const char *const *users, size_t count)
{
	for (size_t i = 0; who->user && i < count; i++)
		if (strcmp(users[i], who->user) == 0)
			return true;
	return false;
}

static bool is_one_of(const struct caller *who, const struct core_people *people)
{
	if (!people->restricted || is_among(who, people->users, people->user_count))
		return true;
	for (size_t i = 0; i < people->group_count; i++)
		if (is_of_group(who, people->groups[i]))
			return true;
	return false;
}

bool rights_may_use_class(const struct core_policy *policy, const struct caller *who, size_t index)
{
	const struct core_class *class = policy->class_rules ? &policy->class_rules[index] : NULL;

	return !class || is_one_of(who, &class->people) || rights_is_admin(policy, who);
}

bool rights_has_account(const struct core_policy *policy, const struct caller *who, size_t index)
{
	const struct core_account *account = &policy->account_rules[index];

	return is_one_of(who, &account->people) ||
	       is_among(who, account->default_for, account->default_count);
}

bool rights_may_use_account(const struct core_policy *policy, const struct caller *who,
			    size_t index)
{
	return rights_has_account(policy, who, index) || rights_is_admin(policy, who);
}

static bool is_owner(const struct caller *who, const struct queue *q)
{
	for (size_t i = 0; who->user && i < q->spec->n_owners; i++)
		if (strcmp(q->spec->owners[i], who->user) == 0)
			return true;
	return false;
}

/* The first of the queue's group owners that the caller belongs to; NULL: none. */
static const char *owner_group(const struct caller *who, const struct queue *q)
{
	for (size_t i = 0; i < q->spec->n_group_owners; i++)
		if (is_of_group(who, q->spec->group_owners[i]))
			return q->spec->group_owners[i];
	return NULL;
}

static bool is_subject(const struct caller *who, const struct permit *p)
{
	switch (p->kind) {
	case PERMIT_USER:
		return who->user && strcmp(p->name, who->user) == 0;
	case PERMIT_GROUP:
		return is_of_group(who, p->name);
	case PERMIT_ALL:
		return true;
	}
	return false;
}

/* The first entry that gives the caller any of these verbs. */
static const struct permit *find_permit(const struct caller *who, const struct permit *list,
					size_t count, unsigned verbs)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].verbs & verbs && is_subject(who, &list[i]))
			return &list[i];
	return NULL;
}

static const struct permit *find_cluster(const struct txn *txn, const struct caller *who,
					 enum verb verb)
{
	return find_permit(who, txn->policy->permissions, txn->policy->permission_count,
			   given[verb].permits);
}

static const struct permit *find_queue(const struct caller *who, const struct queue *q,
				       enum verb verb)
{
	return find_permit(who, q->permissions, q->permission_count, given[verb].permits);
}

static bool is_open(const struct queue *q)
{
	return !q->spec->n_owners && !q->spec->n_group_owners && !q->permission_count;
}

bool rights_queue_knows(const struct caller *who, const struct queue *q)
{
	return is_owner(who, q) || owner_group(who, q) ||
	       find_permit(who, q->permissions, q->permission_count, PERMIT_EVERY);
}

/* The relations of the caller to the job and the queue. */
static unsigned relations(const struct txn *txn, const struct caller *who, enum verb verb,
			  const struct job *j, const struct queue *q)
{
	unsigned is = IS_ANYBODY;

	if (!txn->policy->private)
		is |= IS_PUBLIC;
	if (j && j->user->uid == who->uid)
		is |= IS_JOB_OWNER;
	if (rights_is_admin(txn->policy, who))
		is |= IS_ADMIN;
	if (!who->scope && who->uid == txn->policy->controller_uid)
		is |= IS_CONTROLLER;
	if (q && is_open(q))
		is |= IS_QUEUE_OPEN;
	if (q && (is_owner(who, q) || owner_group(who, q)))
		is |= IS_QUEUE_OWNER;
	if (q && (find_queue(who, q, verb) || find_cluster(txn, who, verb)))
		is |= IS_PERMITTED;
	return is;
}

bool rights_may(const struct txn *txn, const struct caller *who, enum verb verb,
		const struct job *j, const struct queue *q)
{
	if (j && !q)
		q = j->queue;
	if (!token_allows_in(who->scope, verb, q ? q->name : NULL))
		return false;
	return (given[verb].to & relations(txn, who, verb, j, q)) != 0;
}

bool rights_in_scope(const struct caller *who, enum verb verb)
{
	return token_allows(who->scope, verb);
}

static const char *permit_why(const struct permit *p, enum verb verb, const char *where,
			      struct arena *a)
{
	unsigned gives = p->verbs & given[verb].permits;
	char with[PERMIT_TEXT] = "";

	/* a verb that several permissions give, such as watch */
	if (given[verb].permits & (given[verb].permits - 1))
		permit_print_verbs(gives, with);
	if (p->kind == PERMIT_ALL)
		return arena_printf(a, "all users have %s%s (all)", with[0] ? with : "it", where);
	return arena_printf(a, "%s %s has %s%s", p->kind == PERMIT_USER ? "user" : "group", p->name,
			    with[0] ? with : "it", where);
}

const char *rights_may_why(const struct txn *txn, const struct caller *who, enum verb verb,
			   const struct queue *q, struct arena *a, bool *ret_may)
{
	unsigned is = relations(txn, who, verb, NULL, q) & given[verb].to;
	const struct permit *p = NULL;

	*ret_may = is != 0;
	if (is & IS_ADMIN)
		return "administrator";
	if (is & IS_QUEUE_OWNER)
		return is_owner(who, q) ? "owner"
					: arena_printf(a, "owner, as a member of group %s",
						       owner_group(who, q));
	if (is & IS_PERMITTED)
		p = find_queue(who, q, verb);
	if (p)
		return permit_why(p, verb, "", a);
	if (is & IS_PERMITTED)
		return permit_why(find_cluster(txn, who, verb), verb, " in all queues", a);
	if (is & IS_QUEUE_OPEN)
		return "the queue is open: it has no owners and no permissions";
	if (is & IS_PUBLIC)
		return "all users see all jobs: the cluster is not private";
	return is ? "all users may" : "no entry gives it";
}

bool rights_sees_all(struct txn *txn)
{
	const struct caller *who = txn->in->caller;

	if (!txn->sight.known) {
		txn->sight.known = true;
		txn->sight.all =
			rights_may(txn, who, VERB_WATCH, NULL, NULL) ||
			(token_sees_jobs(who->scope) && find_cluster(txn, who, VERB_WATCH));
	}
	return txn->sight.all;
}

bool rights_sees_users(const struct txn *txn, const struct caller *who)
{
	return rights_is_admin(txn->policy, who) ||
	       (token_sees_jobs(who->scope) && find_cluster(txn, who, VERB_WATCH));
}

static bool sees_in(struct txn *txn, const struct queue *q)
{
	if (txn->sight.queue != q) {
		txn->sight.queue = q;
		txn->sight.in_queue = rights_may(txn, txn->in->caller, VERB_WATCH, NULL, q);
	}
	return txn->sight.in_queue;
}

bool rights_sees(struct txn *txn, const struct job *j)
{
	const struct caller *who = txn->in->caller;

	return rights_sees_all(txn) || (j->user->uid == who->uid && token_sees_jobs(who->scope)) ||
	       sees_in(txn, j->queue);
}

bool rights_sees_named(struct txn *txn, const char *user, const char *queue)
{
	const struct caller *who = txn->in->caller;
	const struct queue *q;

	if (rights_sees_all(txn))
		return true;
	if (!token_sees_jobs(who->scope))
		return false;
	if (who->user && strcmp(who->user, user) == 0)
		return true;
	q = queue_find(txn->state, queue);
	return q && sees_in(txn, q);
}

#include "core/admission/grant_check.h"

#include "core/view/rights.h"

#include <errno.h>
#include <string.h>

static const enum verb verb_of[PERMIT_VERBS] = {
	[PERMIT_SUBMIT] = VERB_SUBMIT,
	[PERMIT_CANCEL] = VERB_CANCEL,
	[PERMIT_REPRIORITISE] = VERB_REPRIORITISE,
	[PERMIT_PREEMPT] = VERB_PREEMPT,
	[PERMIT_WATCH] = VERB_WATCH,
};

static bool has_entry(const struct queue *q, const Armada__Permission *m, int verb)
{
	for (size_t i = 0; i < q->permission_count; i++)
		if ((int)q->permissions[i].kind == (int)m->kind &&
		    strcmp(q->permissions[i].name, m->name) == 0)
			return q->permissions[i].verbs >> verb & 1;
	return false;
}

/* Rights that an entry gave before may stay, even if the caller does not hold them. */
static int check_given(const struct txn *txn, const struct queue *q, const Armada__Permission *m,
		       struct err *err)
{
	for (size_t i = 0; i < m->n_verbs; i++) {
		int verb = (int)m->verbs[i];

		if (has_entry(q, m, verb))
			continue;
		if (!permit_verb_name(verb) ||
		    !rights_may(txn, txn->in->caller, verb_of[verb], NULL, q))
			return err_set(
				err, -EPERM,
				"permissions: you cannot give %s, because you do not have it in "
				"this queue",
				permit_verb_name(verb) ? permit_verb_name(verb) : "that");
	}
	return 0;
}

static bool would_own(const struct caller *who, const Armada__QueueSpec *m)
{
	for (size_t i = 0; who->user && i < m->n_owners; i++)
		if (strcmp(m->owners[i], who->user) == 0)
			return true;
	for (size_t i = 0; i < m->n_group_owners; i++)
		for (size_t g = 0; g < who->group_count; g++)
			if (strcmp(m->group_owners[i], who->groups[g]) == 0)
				return true;
	return false;
}

int grants_check(const struct txn *txn, const struct queue *q, const Armada__QueueSpec *made,
		 struct err *err)
{
	const struct caller *who = txn->in->caller;

	for (size_t i = 0; i < made->n_permissions; i++) {
		int rc = check_given(txn, q, made->permissions[i], err);

		if (rc < 0)
			return rc;
	}
	if (rights_may(txn, who, VERB_ADMIN, NULL, NULL) || would_own(who, made))
		return 0;
	return err_set(
		err, -EPERM,
		"owners: you would not be an owner any more: keep '%s' or one of your groups "
		"among the owners and group owners; only an administrator can remove your last "
		"right",
		who->user ? who->user : "your name");
}

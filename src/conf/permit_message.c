/*
 * Converts permissions between struct permit and the message Permission (permit_message.h).
 * Messages come from a peer or from the log: permit_of_message refuses anything that is unknown or
 * incomplete, and permit_take_known, for stored messages, ignores it.
 */
#include "conf/permit_message.h"

#include "conf/syntax_checks.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)PERMIT_USER == ARMADA__SUBJECT_KIND__SUBJECT_USER &&
		       (int)PERMIT_GROUP == ARMADA__SUBJECT_KIND__SUBJECT_GROUP &&
		       (int)PERMIT_ALL == ARMADA__SUBJECT_KIND__SUBJECT_ALL,
	       "the kinds of subjects are the schema's");
_Static_assert((int)PERMIT_SUBMIT == ARMADA__QUEUE_VERB__QUEUE_MAY_SUBMIT &&
		       (int)PERMIT_CANCEL == ARMADA__QUEUE_VERB__QUEUE_MAY_CANCEL &&
		       (int)PERMIT_REPRIORITISE == ARMADA__QUEUE_VERB__QUEUE_MAY_REPRIORITISE &&
		       (int)PERMIT_PREEMPT == ARMADA__QUEUE_VERB__QUEUE_MAY_PREEMPT &&
		       (int)PERMIT_WATCH == ARMADA__QUEUE_VERB__QUEUE_MAY_WATCH,
	       "the verbs are the schema's");

Armada__Permission *permit_message(const struct permit *p, struct arena *a)
{
	Armada__Permission *m = arena_alloc(a, sizeof(*m));

	armada__permission__init(m);
	m->kind = (Armada__SubjectKind)p->kind;
	m->name = arena_strdup(a, p->name);
	m->verbs = arena_alloc(a, PERMIT_VERBS * sizeof(*m->verbs));
	for (int v = 1; v < PERMIT_VERBS; v++)
		if (p->verbs & 1u << v)
			m->verbs[m->n_verbs++] = (Armada__QueueVerb)v;
	return m;
}

int permit_of_message(const Armada__Permission *m, struct permit *ret_permit, struct err *err)
{
	struct permit p = {.kind = (enum permit_kind)m->kind};
	char subject[PERMIT_TEXT];

	if (p.kind != PERMIT_USER && p.kind != PERMIT_GROUP && p.kind != PERMIT_ALL)
		return err_set(err, -EINVAL,
			       "permission: no subject: expected a user, a group or all");
	if (strlen(m->name) >= sizeof(p.name))
		return err_set(err, -EINVAL, "permission: '%.64s' is longer than %d characters",
			       m->name, PERMIT_NAME - 1);
	if (p.kind == PERMIT_ALL ? m->name[0] != '\0'
				 : strchr(m->name, '=') || check_user(m->name, err) < 0)
		return err_set(err, -EINVAL, "permission: '%.64s' is not the name of a subject",
			       m->name);
	snprintf(p.name, sizeof(p.name), "%s", m->name);
	permit_print_subject(&p, subject);
	for (size_t i = 0; i < m->n_verbs; i++) {
		if (!permit_verb_name((int)m->verbs[i]))
			return err_set(err, -EINVAL,
				       "%s: verb %d is not known to this release: expected submit, "
				       "cancel, reprioritise, preempt or watch",
				       subject, (int)m->verbs[i]);
		if (p.verbs & 1u << m->verbs[i])
			return err_set(err, -EINVAL, "%s: %s is given twice", subject,
				       permit_verb_name((int)m->verbs[i]));
		p.verbs |= 1u << m->verbs[i];
	}
	if (!p.verbs)
		return err_set(
			err, -EINVAL,
			"%s: no verb: expected submit, cancel, reprioritise, preempt or watch",
			subject);
	*ret_permit = p;
	return 0;
}

void permit_take_known(const Armada__Permission *m, struct permit *ret_permit)
{
	*ret_permit = (struct permit){.kind = PERMIT_USER};
	if (m->kind != ARMADA__SUBJECT_KIND__SUBJECT_USER &&
	    m->kind != ARMADA__SUBJECT_KIND__SUBJECT_GROUP &&
	    m->kind != ARMADA__SUBJECT_KIND__SUBJECT_ALL)
		return;
	ret_permit->kind = (enum permit_kind)m->kind;
	snprintf(ret_permit->name, sizeof(ret_permit->name), "%s", m->name);
	for (size_t i = 0; i < m->n_verbs; i++)
		if (permit_verb_name((int)m->verbs[i]))
			ret_permit->verbs |= 1u << m->verbs[i];
}

int permits_of_messages(Armada__Permission *const *list, size_t count, struct permit **ret_list,
			struct err *err)
{
	struct permit *all = count ? xcalloc(count, sizeof(*all)) : NULL;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = permit_of_message(list[i], &all[i], err);
	if (r == 0)
		r = permits_check(all, count, err);
	if (r < 0) {
		free(all);
		return r;
	}
	*ret_list = all;
	return 0;
}

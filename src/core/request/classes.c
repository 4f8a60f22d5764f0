/*
 * CLASSES: the priority classes in effect, and which of them the caller may ask for.
 */
#include "core/request/request.h"
#include "conf/conf.h"
#include "core/state/fraction.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"

#include <string.h>

static void add_rules(Armada__ClassRow *row, const struct core_class *rules)
{
	row->default_time_s = rules->default_s;
	row->max_time_s = rules->max_s;
	row->restricted = rules->people.restricted;
	row->users = (char **)(uintptr_t)rules->people.users;
	row->n_users = rules->people.user_count;
	row->groups = (char **)(uintptr_t)rules->people.groups;
	row->n_groups = rules->people.group_count;
}

static Armada__ClassRow *row_of(struct txn *txn, size_t i)
{
	const struct core_policy *p = txn->policy;
	const struct sched_class *class = &p->classes[i];
	Armada__ClassRow *row = arena_alloc(txn->arena, sizeof(*row));

	armada__class_row__init(row);
	row->name = (char *)(uintptr_t) class->name;
	row->priority = class->priority;
	row->fair_share_preemptible = class->fair_share_preemptible;
	row->urgency_preemptible = class->urgency_preemptible;
	row->is_default = strcmp(class->name, p->default_class) == 0;
	row->usable = rights_may_use_class(p, txn->in->caller, i);
	row->max_fraction_per_queue =
		fraction_give(resource_names(), resource_count(), &class->limit, txn->arena,
			      &row->n_max_fraction_per_queue);
	if (p->class_rules)
		add_rules(row, &p->class_rules[i]);
	return row;
}

void req_classes(struct txn *txn, const Armada__ClassesRequest *m)
{
	Armada__ClassesReply r = ARMADA__CLASSES_REPLY__INIT;

	(void)m;
	r.rows = arena_alloc(txn->arena, txn->policy->class_count * sizeof(*r.rows));
	for (size_t i = 0; i < txn->policy->class_count; i++)
		r.rows[r.n_rows++] = row_of(txn, i);
	reply(txn, MSG_CLASSES_REPLY, &r);
}

/*
 * The queues that armada.conf declares. They are made, or brought to what it says, whenever it is read:
 * what was changed since by hand holds until then, but a cordon stays where the file says nothing of
 * one. A queue that it no longer names stays as it is.
 */
#include "conf/conf.h"
#include "conf/permit_message.h"
#include "core/fraction.h"
#include "core/queue.h"
#include "util/mem.h"

#include <string.h>

static void give_labels(const struct core_queue *p, Armada__QueueSpec *m, struct arena *a)
{
	m->labels = arena_alloc(a, (p->label_count + 1) * sizeof(*m->labels));
	for (size_t i = 0; i < p->label_count; i++) {
		const char *eq = strchr(p->labels[i], '=');
		Armada__Label *l = arena_alloc(a, sizeof(*l));

		if (!eq)
			continue;
		armada__label__init(l);
		l->key = arena_printf(a, "%.*s", (int)(eq - p->labels[i]), p->labels[i]);
		l->value = (char *)eq + 1;
		m->labels[m->n_labels++] = l;
	}
}

static void give_class_limits(const struct core_queue *p, Armada__QueueSpec *m, struct arena *a)
{
	m->class_limits = arena_alloc(a, (p->class_limit_count + 1) * sizeof(*m->class_limits));
	for (size_t i = 0; i < p->class_limit_count; i++) {
		Armada__ClassLimit *l = arena_alloc(a, sizeof(*l));

		armada__class_limit__init(l);
		l->priority_class = (char *)p->class_limits[i].class_name;
		l->limits = fraction_give(conf_resources, CONF_RESOURCES, &p->class_limits[i].limit,
					  a, &l->n_limits);
		m->class_limits[m->n_class_limits++] = l;
	}
}

static void give_defaults(const struct core_queue *p, Armada__QueueSpec *m, struct arena *a)
{
	if (p->default_class)
		m->default_class = (char *)p->default_class;
	m->default_resources = arena_alloc(a, CONF_RESOURCES * sizeof(*m->default_resources));
	for (size_t r = 0; r < CONF_RESOURCES; r++) {
		Armada__Resource *one = arena_alloc(a, sizeof(*one));

		if (!(p->has_default >> r & 1))
			continue;
		armada__resource__init(one);
		one->name = (char *)conf_resources[r];
		one->amount = p->default_amount[r];
		m->default_resources[m->n_default_resources++] = one;
	}
}

Armada__QueueSpec *declared_spec(const struct core_queue *p, struct arena *a)
{
	Armada__QueueSpec *m = arena_alloc(a, sizeof(*m));

	armada__queue_spec__init(m);
	m->name = (char *)p->name;
	m->priority_factor = p->factor;
	m->cordoned = p->cordoned;
	m->lease_s = p->lease_s;
	m->default_time_s = p->default_time_s;
	m->max_time_s = p->max_time_s;
	m->owners = (char **)p->owners;
	m->n_owners = p->owner_count;
	m->group_owners = (char **)p->group_owners;
	m->n_group_owners = p->group_owner_count;
	m->permissions = arena_alloc(a, (p->permission_count + 1) * sizeof(*m->permissions));
	for (size_t i = 0; i < p->permission_count; i++)
		m->permissions[i] = permit_message(&p->permissions[i], a);
	m->n_permissions = p->permission_count;
	m->limits = fraction_give(conf_resources, CONF_RESOURCES, &p->limit, a, &m->n_limits);
	m->most = most_give(&p->most, a, &m->n_most);
	m->user_most = most_give(&p->user_most, a, &m->n_user_most);
	give_labels(p, m, a);
	give_class_limits(p, m, a);
	give_defaults(p, m, a);
	queue_spec_settle(m, a);
	return m;
}

Armada__QueueSpec *declared_for(const struct queue *q, const struct core_queue *p, struct arena *a)
{
	Armada__QueueSpec *m = declared_spec(p, a);

	if (q && !p->cordoned && !p->says_cordoned)
		m->cordoned = q->cordoned;
	return m;
}

const struct core_queue *declared_find(const struct core_policy *p, const char *name)
{
	for (size_t i = 0; i < p->queue_count; i++)
		if (strcmp(p->queues[i].name, name) == 0)
			return &p->queues[i];
	return NULL;
}

/* Both are written by us in one order, so equal ones are equal bytes. */
static bool differs(const struct queue *q, const Armada__QueueSpec *want, struct arena *a)
{
	CLEANUP_BUF struct buf now = {0}, then = {0};
	Armada__QueueSpec *is;

	if (!q)
		return true;
	is = queue_spec(q, a);
	is->automatic = want->automatic;
	msg_pack(is, &now);
	msg_pack(want, &then);
	return now.len != then.len || memcmp(now.data, then.data, now.len) != 0;
}

void queues_declare(struct core *c)
{
	for (size_t i = 0; i < c->policy->queue_count; i++) {
		const struct core_queue *p = &c->policy->queues[i];
		const struct queue *q = core_find_queue(c, p->name);
		Armada__QueueSpec *want = declared_for(q, p, c->arena);
		Armada__QueueSet *m;
		Armada__Event *ev;

		if (!differs(q, want, c->arena))
			continue;
		ev = event_make(c, ARMADA__EVENT__KIND_QUEUE_SET, &m);
		m->by = (char *)"armada.conf";
		m->spec = want;
		emit(c, ev);
	}
}

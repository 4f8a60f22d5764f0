/*
 * The queues that armada.conf declares. They are made, or brought to what it says, whenever it is read:
 * what was changed since by hand holds until then. One that it no longer names stays as it is.
 */
#include "conf/conf.h"
#include "conf/permit_message.h"
#include "core/fraction.h"
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

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
		Armada__QueueSpec *want = declared_spec(&c->policy->queues[i], c->arena);
		Armada__QueueSet *m;
		Armada__Event *ev;

		if (!differs(core_find_queue(c, want->name), want, c->arena))
			continue;
		ev = event_make(c, ARMADA__EVENT__KIND_QUEUE_SET, &m);
		m->by = (char *)"armada.conf";
		m->spec = want;
		emit(c, ev);
	}
}

/* QUEUE and LIST_QUEUES. */
#include "conf/conf.h"
#include "core/deadline.h"
#include "core/fraction.h"
#include "core/names.h"
#include "util/mem.h"

#include <string.h>

enum { NAME_LONGEST = 64 };

static bool name_is_good(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t len = strlen(name);

	return len && len <= NAME_LONGEST && name[0] != '-' && strspn(name, letters) == len;
}

/* 0: not given. Within the bounds of armada.conf, so that every weight is a number. */
static bool factor_is_good(double factor)
{
	return factor == 0 || (factor >= 1e-6 && factor <= 1e6);
}

static const char *by(const struct core *c)
{
	return c->in->caller->user ? c->in->caller->user : "an administrator";
}

static void set_queue(struct core *c, Armada__QueueSpec *spec, const char *done)
{
	Armada__QueueSet *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_QUEUE_SET, &m);

	m->spec = spec;
	m->by = (char *)by(c);
	m->by_uid = c->in->caller->uid;
	emit(c, ev);
	reply_ok(c, "queue %s %s", spec->name, done);
}

/* As admit.c asks of a job's own. */
static bool lease_is_good(struct core *c, const Armada__QueueSpec *spec)
{
	int64_t least_s = c->policy->node_timeout_us / 1000000;

	if (spec->lease_s == 0 || (spec->lease_s > least_s && spec->lease_s <= LEASE_MAX_S))
		return true;
	refuse(c, 1,
	       "queue '%s': lease: must be longer than the %" PRId64
	       " s after which a node is silent (agents.node_timeout), and at most %d days",
	       spec->name, least_s, LEASE_MAX_S / 86400);
	return false;
}

static void create(struct core *c, Armada__QueueSpec *spec, struct queue *q)
{
	if (q) {
		refuse(c, 1, "queue '%s' exists already", spec->name);
		return;
	}
	if (spec->priority_factor == 0)
		spec->priority_factor = 1;
	if (lease_is_good(c, spec))
		set_queue(c, spec, "created");
}

static void update(struct core *c, Armada__QueueSpec *spec, struct queue *q)
{
	Armada__QueueSpec *now;
	struct err err;

	if (!q) {
		refuse(c, 3, "queue '%s' does not exist", spec->name);
		return;
	}
	now = queue_spec(q, c->arena);
	if (spec->priority_factor != 0)
		now->priority_factor = spec->priority_factor;
	if (spec->set_owners) {
		now->owners = spec->owners;
		now->n_owners = spec->n_owners;
	}
	if (spec->set_group_owners) {
		now->group_owners = spec->group_owners;
		now->n_group_owners = spec->n_group_owners;
	}
	if (spec->set_limits) {
		now->limits = spec->limits;
		now->n_limits = spec->n_limits;
	}
	if (spec->set_lease)
		now->lease_s = spec->lease_s;
	if (spec->set_cordoned)
		now->cordoned = spec->cordoned;
	if (spec->set_default_time)
		now->default_time_s = spec->default_time_s;
	if (spec->set_max_time)
		now->max_time_s = spec->max_time_s;
	if (!lease_is_good(c, now))
		return;
	if (deadline_check_queue(now->default_time_s, now->max_time_s, &err) < 0) {
		refuse(c, 1, "queue '%s': %s", spec->name, err.text);
		return;
	}
	/* the fold replaces what `now` borrows: give it a copy of its own */
	for (size_t i = 0; i < 2; i++) {
		char **list = i ? now->group_owners : now->owners;
		size_t n = i ? now->n_group_owners : now->n_owners;
		char **copy = arena_alloc(c->arena, (n + 1) * sizeof(*copy));

		for (size_t k = 0; k < n; k++)
			copy[k] = arena_strdup(c->arena, list[k]);
		if (i)
			now->group_owners = copy;
		else
			now->owners = copy;
	}
	set_queue(c, now, "updated");
}

static void delete_queue(struct core *c, const Armada__QueueSpec *spec, struct queue *q)
{
	Armada__QueueDeleted *m;
	Armada__Event *ev;

	if (!q) {
		refuse(c, 3, "queue '%s' does not exist", spec->name);
		return;
	}
	if (q->jobs) {
		refuse(c, 1, "queue '%s' holds %" PRIu64 " job%s: cancel or wait for %s first",
		       q->name, q->jobs, q->jobs == 1 ? "" : "s", q->jobs == 1 ? "it" : "them");
		return;
	}
	ev = event_make(c, ARMADA__EVENT__KIND_QUEUE_DELETED, &m);
	m->name = spec->name;
	emit(c, ev);
	reply_ok(c, "queue %s deleted", spec->name);
}

void req_queue(struct core *c, const void *message)
{
	const Armada__QueueRequest *m = message;
	struct queue *q;
	struct err err;

	if (!m->spec || !name_is_good(m->spec->name)) {
		refuse(c, 1, "a queue's name has 1 to %d letters, digits, '.', '_' or '-'",
		       NAME_LONGEST);
		return;
	}
	if (!factor_is_good(m->spec->priority_factor)) {
		refuse(c, 1,
		       "queue '%s': a priority factor is from 0.000001 to 1000000 (the lower, the "
		       "larger the share)",
		       m->spec->name);
		return;
	}
	if (fraction_check(conf_resources, CONF_RESOURCES, m->spec->limits, m->spec->n_limits,
			   &err) < 0) {
		refuse(c, 1, "queue '%s': %s", m->spec->name, err.text);
		return;
	}
	if (deadline_check_queue(m->spec->default_time_s, m->spec->max_time_s, &err) < 0) {
		refuse(c, 1, "queue '%s': %s", m->spec->name, err.text);
		return;
	}
	q = core_find_queue(c, m->spec->name);
	switch (m->verb) {
	case ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE:
		create(c, m->spec, q);
		break;
	case ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE:
		update(c, m->spec, q);
		break;
	case ARMADA__QUEUE_REQUEST__VERB__QUEUE_DELETE:
		delete_queue(c, m->spec, q);
		break;
	default:
		refuse(c, 1, "this release does not know what to do to queue '%s'", m->spec->name);
	}
}

static Armada__Resource **allocated_in(struct core *c, const struct queue *q, size_t *ret_count)
{
	struct resources sum = {0};
	Armada__Resource **list = arena_alloc(c->arena, c->resource_count * sizeof(*list));

	for (const struct node *n = c->nodes; n; n = n->hh.next) {
		const struct task *t;

		LIST_FOREACH (t, &n->tasks, on_node)
			for (size_t r = 0; r < c->resource_count; r++)
				if (t->element->job->queue == q && t->state != TASK_ENDED)
					sum.amount[r] += task_request(t)->amount[r];
	}
	for (size_t r = 0; r < c->resource_count; r++) {
		list[r] = arena_alloc(c->arena, sizeof(**list));
		armada__resource__init(list[r]);
		list[r]->name = c->resource_names[r];
		list[r]->amount = sum.amount[r];
	}
	*ret_count = c->resource_count;
	return list;
}

static void add_queue(struct core *c, const struct queue *q, Armada__ListQueuesReply *r)
{
	Armada__QueueRow *row = arena_alloc(c->arena, sizeof(*row));

	armada__queue_row__init(row);
	row->spec = queue_spec(q, c->arena);
	row->waiting = q->waiting;
	row->running = q->active;
	row->allocated = allocated_in(c, q, &row->n_allocated);
	row->created_us = q->created_us;
	row->created_by = q->created_by;
	r->queues[r->n_queues++] = row;
}

void req_list_queues(struct core *c, const void *message)
{
	const Armada__ListQueuesRequest *m = message;
	Armada__ListQueuesReply r = ARMADA__LIST_QUEUES_REPLY__INIT;
	size_t most = m->n_names ? m->n_names : HASH_COUNT(c->queues);

	r.queues = arena_alloc(c->arena, most * sizeof(*r.queues));
	r.missing = arena_alloc(c->arena, most * sizeof(*r.missing));
	if (!m->n_names)
		for (const struct queue *q = c->queues; q; q = q->hh.next)
			add_queue(c, q, &r);
	for (size_t i = 0; i < m->n_names; i++) {
		const struct queue *q = core_find_queue(c, m->names[i]);

		if (q)
			add_queue(c, q, &r);
		else
			r.missing[r.n_missing++] = m->names[i];
	}
	reply(c, MSG_LIST_QUEUES_REPLY, &r);
}

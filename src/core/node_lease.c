/*
 * Leases as the controller counts them. It begins when it last heard of the node, the node earlier:
 * when it stamped what was heard. And it waits longer, by a margin for clocks that do not run alike.
 * So when a lease is over here, the shepherd that holds it has ended its task (agent/lease.h).
 *
 * Nothing of this is in the log but extensions: a controller that begins counts every lease, and
 * every extension, as if it had heard of the node just then.
 */
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"

/* Clocks that NTP steers differ by no more than a part in a thousand; twice that. */
enum { DRIFT = 500 };

int64_t lease_ms_of(const struct core *c, const struct job *j)
{
	if (j->spec->no_fence)
		return LEASE_NONE;
	if (j->spec->lease_s)
		return j->spec->lease_s * 1000;
	return j->queue->lease_s ? j->queue->lease_s * 1000 : c->policy->lease_us / 1000;
}

int64_t element_lease_us(const struct core *c, const struct element *e)
{
	if (e->lease_ms == LEASE_NONE)
		return 0;
	return e->lease_ms ? e->lease_ms * 1000 : c->policy->lease_us;
}

static int64_t extension_over_us(const struct node *n)
{
	return n->extension_us ? n->extended_from_us + n->extension_us : 0;
}

static int64_t margin_us(const struct core *c, int64_t counted_us)
{
	return c->policy->lease_margin_us + counted_us / DRIFT;
}

int64_t lease_over_us(const struct core *c, const struct node *n, const struct element *e)
{
	int64_t lease_us = element_lease_us(c, e), over_us = n->heard_us + lease_us;
	int64_t extended_us = extension_over_us(n);

	if (!lease_us)
		return 0;
	if (extended_us > over_us)
		over_us = extended_us;
	return over_us + margin_us(c, lease_us > n->extension_us ? lease_us : n->extension_us);
}

int64_t node_extension_ms(const struct core *c, const struct node *n)
{
	int64_t left_us = extension_over_us(n) - c->in->steady_us;

	return left_us > 0 ? left_us / 1000 : 0;
}

static bool is_over(const struct core *c, const struct task *t, const void *arg)
{
	int64_t over_us = lease_over_us(c, t->node, t->element);

	(void)arg;
	return over_us && c->in->steady_us > over_us;
}

static void extension_ends(struct core *c, const struct node *n)
{
	Armada__LeaseExtended *m;
	Armada__Event *ev;

	if (!n->extension_us ||
	    c->in->steady_us <= extension_over_us(n) + margin_us(c, n->extension_us))
		return;
	ev = event_make(c, ARMADA__EVENT__KIND_LEASE_EXTENDED, &m);
	m->name = n->name;
	emit(c, ev);
}

void node_leases_tick(struct core *c, struct node *n)
{
	extension_ends(c, n);
	/* one that was heard of in time has leases that are not over, and most are */
	if (c->in->steady_us - n->heard_us <= c->policy->node_timeout_us)
		return;
	proof_ends(c, n, PROOF_LEASE, is_over, NULL,
		   arena_printf(c->arena,
				"node %s was silent for longer than the lease: it has ended the "
				"task by itself",
				n->name));
}

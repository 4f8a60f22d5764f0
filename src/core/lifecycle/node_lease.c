#include "core/lifecycle/node_lease.h"

#include "core/lifecycle/death_proof.h"
#include "core/view/lease_time.h"
#include "core/txn/emit.h"

static bool is_over(const struct txn *txn, const struct task *t, const void *arg)
{
	int64_t over_us = lease_over_us(txn, t->node, t->element);

	(void)arg;
	return over_us && txn->in->steady_us > over_us;
}

static void extension_ends(struct txn *txn, const struct node *n)
{
	Armada__LeaseExtended *m;
	Armada__Event *ev;

	if (!n->extension_us || txn->in->steady_us <= lease_extension_over_us(txn, n) +
							      lease_margin_us(txn, n->extension_us))
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_LEASE_EXTENDED, &m);
	m->name = n->name;
	emit_event(txn, ev);
}

void node_leases_tick(struct txn *txn, const struct node *n)
{
	extension_ends(txn, n);
	/* fast path: leases are longer than node_timeout, and most nodes were heard of in time */
	if (txn->in->steady_us - live_node(txn->live, n)->heard_us <= txn->policy->node_timeout_us)
		return;
	death_proof_ends(
		txn, n, PROOF_LEASE, is_over, NULL,
		arena_printf(txn->arena,
			     "node %s was silent for longer than the lease: it has ended the "
			     "task by itself",
			     n->name));
}

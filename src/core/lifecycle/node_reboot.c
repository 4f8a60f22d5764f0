#include "core/lifecycle/node_reboot.h"

#include "core/lifecycle/death_proof.h"
#include "core/lifecycle/element.h"
#include "core/lifecycle/node_life.h"
#include "core/lifecycle/orders.h"
#include "core/txn/emit.h"

#define NODE(name) ARMADA__NODE_STATE__NODE_##name

static void emit_reboot(struct txn *txn, const struct node *n, const Armada__NodeReboot *as)
{
	Armada__NodeReboot *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_NODE_REBOOT, &m);

	*m = *as;
	m->name = n->name;
	emit_event(txn, ev);
}

void node_reboot_ask(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
		     const char *by)
{
	Armada__NodeReboot as = ARMADA__NODE_REBOOT__INIT;
	bool drained = n->state == NODE(DRAINED) && !n->reboot;
	const struct task *t, *next;

	as.asked = true;
	as.resume = n->reboot ? n->resumes && !m->stay_drained : !drained && !m->stay_drained;
	as.reason = m->reason;
	as.by = arena_strdup(txn->arena, by);
	as.was = drained && n->reason ? arena_strdup(txn->arena, n->reason) : (char *)"";
	emit_reboot(txn, n, &as);
	node_event(txn, n, NODE_EV_DRAIN,
		   arena_printf(txn->arena, "reboot%s%s", *m->reason ? ": " : "", m->reason), by);
	for (t = m->now ? LIST_FIRST(&n->tasks) : NULL; t; t = next) {
		next = LIST_NEXT(t, on_node);
		if (task_is_live(txn, t, NULL))
			element_end(txn, t->element, ARMADA__END_REASON__ENDING_REQUEUE,
				    arena_printf(txn->arena, "node %s is rebooted", n->name),
				    txn->in->caller->uid);
	}
	live_node(txn->live, n)->reboot_sent_us = 0;
	node_reboot_tick(txn, n);
}

void node_reboot_forget(struct txn *txn, const struct node *n)
{
	Armada__NodeReboot as = ARMADA__NODE_REBOOT__INIT;

	if (n->reboot)
		emit_reboot(txn, n, &as);
}

void node_reboot_done(struct txn *txn, const struct node *n)
{
	const char *was = n->reboot_was && *n->reboot_was ? n->reboot_was : "";
	bool resumes = n->resumes;

	if (!n->reboot)
		return;
	was = arena_strdup(txn->arena, was);
	node_reboot_forget(txn, n);
	if (n->state != NODE(DRAINED))
		return;
	if (resumes)
		node_event(txn, n, NODE_EV_RESUME, "", "armctld");
	else
		node_event(txn, n, NODE_EV_DRAIN, *was ? was : "rebooted", "armctld");
}

/* Repeats the order until the node is gone. The node obeys only while nothing runs there. */
void node_reboot_tick(struct txn *txn, const struct node *n)
{
	struct node_live *live = live_node(txn->live, n);
	bool waits = live->reboot_sent_us &&
		     txn->in->steady_us - live->reboot_sent_us < 2 * txn->policy->heartbeat_us;

	if (!n->reboot || !live->conn || live->registering || waits || node_live(n))
		return;
	live->reboot_sent_us = txn->in->steady_us;
	order_reboot(txn, n);
}

/* A node is rebooted: no new jobs, then none at all, then the order, then it is back. */
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"

#define NODE(name) ARMADA__NODE_STATE__NODE_##name

static void emit_reboot(struct core *c, const struct node *n, const Armada__NodeReboot *as)
{
	Armada__NodeReboot *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_NODE_REBOOT, &m);

	*m = *as;
	m->name = n->name;
	emit(c, ev);
}

void node_reboot_ask(struct core *c, struct node *n, const Armada__UpdateNodeRequest *m,
		     const char *by)
{
	Armada__NodeReboot as = ARMADA__NODE_REBOOT__INIT;
	bool drained = n->state == NODE(DRAINED) && !n->reboot;
	struct task *t, *next;

	as.asked = true;
	as.resume = n->reboot ? n->resumes && !m->stay_drained : !drained && !m->stay_drained;
	as.reason = m->reason;
	as.by = arena_strdup(c->arena, by);
	as.was = drained && n->reason ? arena_strdup(c->arena, n->reason) : (char *)"";
	emit_reboot(c, n, &as);
	node_event(c, n, NODE_EV_DRAIN,
		   arena_printf(c->arena, "reboot%s%s", *m->reason ? ": " : "", m->reason), by);
	for (t = m->now ? LIST_FIRST(&n->tasks) : NULL; t; t = next) {
		next = LIST_NEXT(t, on_node);
		if (task_is_live(c, t, NULL))
			element_end(c, t->element, ARMADA__END_REASON__ENDING_REQUEUE,
				    arena_printf(c->arena, "node %s is rebooted", n->name),
				    c->in->caller->uid);
	}
	n->reboot_sent_us = 0;
	node_reboot_tick(c, n);
}

void node_reboot_forget(struct core *c, struct node *n)
{
	Armada__NodeReboot as = ARMADA__NODE_REBOOT__INIT;

	if (n->reboot)
		emit_reboot(c, n, &as);
}

void node_reboot_done(struct core *c, struct node *n)
{
	const char *was = n->reboot_was && *n->reboot_was ? n->reboot_was : "";
	bool resumes = n->resumes;

	if (!n->reboot)
		return;
	was = arena_strdup(c->arena, was);
	node_reboot_forget(c, n);
	if (n->state != NODE(DRAINED))
		return;
	if (resumes)
		node_event(c, n, NODE_EV_RESUME, "", "armctld");
	else
		node_event(c, n, NODE_EV_DRAIN, *was ? was : "rebooted", "armctld");
}

/* Said again until it has gone: it obeys only while nothing runs there. */
void node_reboot_tick(struct core *c, struct node *n)
{
	bool waits = n->reboot_sent_us &&
		     c->in->steady_us - n->reboot_sent_us < 2 * c->policy->heartbeat_us;

	if (!n->reboot || !n->conn || n->registering || waits || node_live(n))
		return;
	n->reboot_sent_us = c->in->steady_us;
	order_reboot(c, n);
}

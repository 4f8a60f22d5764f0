/*
 * Orders: an order of an older epoch has no effect; no task begins that is not in the spool;
 * signals and steps reach only running tasks. No record of a signal is kept, so an order for a
 * signal must be carried out once at most, however often it arrives.
 */
#include "asim/storm/invariant/table.h"
#include "asim/storm/spool.h"

/* A signal that a node carried out, in this life of its armd; a new armd forgets it. */
struct signal {
	int node;
	uint32_t life;
	uint64_t epoch, number;
};

struct signals {
	struct signal *list;
	size_t count, cap;
};

static void signal_once(struct storm *s, struct signals *all, const struct sim_node *n,
			const struct order *o)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct signal *x = &all->list[i];

		if (x->node == n->index && x->life == n->life && x->epoch == o->epoch &&
		    x->number == o->number)
			storm_violate(s, "%s carries signal %llu out twice", n->name,
				      (unsigned long long)o->number);
	}
	RUN_GROW(s, all->list, all->cap, all->count);
	all->list[all->count++] = (struct signal){n->index, n->life, o->epoch, o->number};
	s->count.signals++;
}

static void on_order(struct storm *s, void *own, const struct sim_node *n, const struct order *o,
		     const struct ledger_effects *effects)
{
	if (o->epoch < n->highest_epoch && effects->count)
		storm_violate(s, "an order of epoch %llu has an effect on %s, which saw %llu",
			      (unsigned long long)o->epoch, n->name,
			      (unsigned long long)n->highest_epoch);
	if (o->kind == ORDER_SIGNAL && effects->count && effects->list[0].kind == LEDGER_SIGNAL)
		signal_once(s, own, n, o);
}

static void on_effect(struct storm *s, void *own UNUSED, const struct sim_node *n,
		      const struct ledger_effect *e, const struct sim_attempt *a)
{
	bool step = e->kind == LEDGER_STEP;

	s->count.steps += step;
	if (e->kind == LEDGER_START && !a)
		storm_violate(s, "a task is started that the spool does not know");
	if (e->kind == LEDGER_SETTINGS && (!a || !a->alive || a->ended))
		storm_violate(s, "%s gets settings for a task that it does not have", n->name);
	if ((step || e->kind == LEDGER_SIGNAL) && (!a || !a->alive || !a->start_us || a->ended))
		storm_violate(s, "%s gets a %s for a task that does not run", n->name,
			      step ? "step" : "signal");
}

const struct invariant invariant_order = {
	.size = sizeof(struct signals),
	.on_order = on_order,
	.on_effect = on_effect,
};

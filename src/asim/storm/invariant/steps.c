/*
 * The number of a step is used once in an attempt, although the controller keeps steps in memory only. A copy
 * of an order has its epoch; an order of another epoch is another step.
 */
#include "asim/storm/invariant/table.h"
#include "asim/storm/node.h"

struct number {
	struct task_key key;
	uint64_t number, epoch;
};

struct numbers {
	struct number *list;
	size_t count, cap;
};

static void on_order(struct storm *s, void *own, const struct sim_node *n UNUSED,
		     const struct order *o, const struct ledger_effects *effects)
{
	struct numbers *all = own;

	if (o->kind != ORDER_STEP || !o->number || o->number >> 32 || !effects->count)
		return; /* further layers of a step have its number */
	for (size_t i = 0; i < all->count; i++) {
		const struct number *x = &all->list[i];

		if (x->number == o->number && x->epoch != o->epoch &&
		    task_key_equal(&x->key, &o->key))
			storm_violate(s, "step %llu of job %llu begins twice",
				      (unsigned long long)o->number - 1,
				      (unsigned long long)o->key.job);
	}
	RUN_GROW(s, all->list, all->cap, all->count);
	all->list[all->count++] = (struct number){o->key, o->number, o->epoch};
}

const struct invariant invariant_steps = {
	.size = sizeof(struct numbers),
	.on_order = on_order,
};

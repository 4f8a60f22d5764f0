#include "asim/storm/byzantine.h"
#include "asim/storm/node.h"

#include <string.h>

void sim_byzantine_capture(struct storm *s, const struct sim_order *order)
{
	struct sim_byzantine *b = s->byzantine;

	RUN_GROW(s, b->captured, b->cap, b->count);
	b->captured[b->count++] = *order;
}

/*
 * First the node seems to lose the orders; then it falls silent; then its launcher gets the orders
 * after all.
 */
void sim_byzantine_begin(struct storm *s, struct sim_node *n)
{
	n->byzantine_until_us = s->now_us + (int64_t)storm_random(s, 200000000);
	storm_trace(s, "%s: withholds its orders", n->name);
}

bool sim_byzantine_withholds(struct storm *s, struct sim_node *n, const struct order *o,
			     const uint8_t *bytes)
{
	if (o->kind != ORDER_LAUNCH || n->byzantine_until_us <= s->now_us)
		return false;
	for (size_t i = s->byzantine->count; i > 0 && !n->kept; i--)
		if (memcmp(s->byzantine->captured[i - 1].bytes, bytes, ORDER_SIZE) == 0)
			n->kept = i;
	return true;
}

const struct sim_order *sim_byzantine_draw(struct storm *s, struct sim_node *n)
{
	const struct sim_byzantine *b = s->byzantine;
	size_t i;

	if (!b->count)
		return NULL;
	i = storm_random(s, b->count);
	if (n->kept && n->byzantine_until_us <= s->now_us) {
		i = n->kept - 1;
		n->kept = 0;
	}
	return &b->captured[i];
}

/*
 * Progressive filling: serve the queue whose cost divided by its weight is the smallest after its next
 * gang. A gang of a more urgent class goes first; among equals a running gang that is to be put back, then
 * the queue with the lesser name.
 */
#include <armada/order.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PREFER_LARGE, BACKFILL };

static const struct armada_option options[] = {
	[PREFER_LARGE] =
		{.name = "prefer_large",
		 .type = ARMADA_OPTION_BOOL,
		 .def = "false",
		 .help = "A queue goes before other queues if its share also covers its next "
			 "gang. Among such queues, the queue with the smallest present cost goes "
			 "first, and at equal cost the queue with the larger next gang."},
	[BACKFILL] =
		{.name = "backfill",
		 .type = ARMADA_OPTION_BOOL,
		 .def = "true",
		 .help = "The first gang that waits for room holds a reservation, computed from the "
			 "time limits and grace periods of running jobs; a job without a time "
			 "limit counts as endless. Other gangs start only if they do not delay it."},
};

struct progressive {
	bool prefer_large;
};

static int progressive_open(void **ret_handle, const struct armada_option_value *values,
			    const struct armada_policy *policy,
			    struct armada_order_traits *ret_traits, struct armada_error *err)
{
	struct progressive *p = calloc(1, sizeof(*p));

	(void)policy;
	if (!p) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	p->prefer_large = values[PREFER_LARGE].i != 0;
	*ret_traits = (struct armada_order_traits){.backfill = values[BACKFILL].i != 0};
	*ret_handle = p;
	return 0;
}

static int sign(double a, double b)
{
	return (a > b) - (a < b);
}

/* Less than 0: a first. */
static int compare_large(const struct armada_order_head *a, const struct armada_order_head *b)
{
	bool in_a = a->cost_with <= a->budget, in_b = b->cost_with <= b->budget;

	if (in_a != in_b)
		return in_a ? -1 : 1;
	if (!in_a)
		return sign(a->cost_with, b->cost_with);
	if (a->cost != b->cost)
		return sign(a->cost, b->cost);
	return sign((b->cost_with - b->cost) * b->weight, (a->cost_with - a->cost) * a->weight);
}

static bool progressive_before(const void *handle, const struct armada_order_head *a,
			       const struct armada_order_head *b)
{
	const struct progressive *p = handle;
	int c;

	if (a->class_priority != b->class_priority)
		return a->class_priority > b->class_priority;
	c = p->prefer_large ? compare_large(a, b) : sign(a->cost_with, b->cost_with);
	if (c)
		return c < 0;
	if (a->evicted != b->evicted && a->cost_with == b->cost_with)
		return a->evicted;
	return a->queue < b->queue;
}

static const struct armada_order_ops ops = {
	.open = progressive_open,
	.close = free,
	.before = progressive_before,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_ORDER, "progressive",
	      "the queue that uses the smallest fraction of its share", options, ops);

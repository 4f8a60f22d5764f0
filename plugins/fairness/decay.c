/*
 * Fairness over time: the past usage of a queue counts, with half of its weight after each half-life.
 *
 * Usage is measured in cpus: an amount of another resource equals a core if the cluster has that amount for
 * each core. The priority of a queue is the number `memory` that the host keeps for it. While the usage is
 * constant, the priority approaches it:
 *
 *	priority = priority * beta + usage * (1 - beta),  beta = 0.5 ^ (time / half_life)
 *
 * The old manual of Armada swaps beta and 1 - beta. A priority that is updated often would then equal the
 * present usage; at time = half_life both formulas are the same. With the formula above a time may be
 * divided into any parts, and half of the distance is left after one half-life. That is what the old manual
 * and its model, HTCondor, say in words.
 *
 * The effective priority of a queue is its priority, at least the floor, times its priority factor. Its
 * weight is 1 divided by that. Its cost is its present usage as a part of the whole. So cost divided by
 * weight grows with present and with past usage, and costs can be compared with shares by weight.
 */
#include <armada/fairness.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HALF_LIFE, FLOOR };
enum { CPU }; /* the first resource; in millicores */

static const struct armada_option options[] = {
	[HALF_LIFE] = {.name = "half_life",
		       .type = ARMADA_OPTION_DURATION,
		       .def = "1d",
		       .min = 1e6,
		       .max = 3650 * 86400e6,
		       .help = "After this time the past usage of a queue counts half. With a day, "
			       "as in HTCondor, a queue with much usage yesterday gets less today. "
			       "Where jobs last for minutes, a value like 20m reacts sooner."},
	[FLOOR] = {.name = "floor",
		   .type = ARMADA_OPTION_DOUBLE,
		   .def = "0.5",
		   .min = 1e-6,
		   .max = 1e9,
		   .help = "Lower bound of the priority that the plugin computes for a queue, in "
			   "cores of usage. Without it the weight of a new queue would be "
			   "unlimited."},
};

struct decay {
	double half_life_us, floor;
	double whole;  /* the value of all nodes, as of begin */
	double *worth; /* of one unit as the host counts: millicores, bytes, gpus; as of begin */
	size_t count;
};

static int decay_open(void **ret_handle, const struct armada_option_value *values,
		      const struct armada_policy *policy, struct armada_error *err)
{
	struct decay *d = calloc(1, sizeof(*d));
	double *worth = calloc(policy->resource_count, sizeof(*worth));

	if (!d || !worth) {
		free(d);
		free(worth);
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	d->half_life_us = (double)values[HALF_LIFE].i;
	d->floor = values[FLOOR].d;
	d->worth = worth;
	d->count = policy->resource_count;
	*ret_handle = d;
	return 0;
}

static void decay_close(void *handle)
{
	struct decay *d = handle;

	free(d->worth);
	free(d);
}

/* In cores. A resource that the cluster does not have has the value 0. */
static double worth_of_one(const int64_t *totals, size_t resource)
{
	return totals[resource] > 0 && totals[CPU] > 0
		       ? 1e-3 * (double)totals[CPU] / (double)totals[resource]
		       : 0;
}

static double usage(const struct decay *d, const int64_t *allocated, const int64_t *totals)
{
	double sum = 0;

	for (size_t r = 0; r < d->count; r++)
		if (allocated[r] > 0)
			sum += (double)allocated[r] *
			       (totals ? worth_of_one(totals, r) : d->worth[r]);
	return sum;
}

static double decay_lapse(const void *handle, const struct armada_fairness_lapse *lapse,
			  double memory)
{
	const struct decay *d = handle;
	double halvings = (double)lapse->us / d->half_life_us;
	double rest = -expm1(-M_LN2 * halvings); /* 1 - beta, exact where the time is short */

	return memory * exp2(-halvings) + usage(d, lapse->allocated, lapse->totals) * rest;
}

static void decay_begin(void *handle, const struct armada_fairness_round *round,
			double *ret_weights)
{
	struct decay *d = handle;

	for (size_t r = 0; r < d->count; r++)
		d->worth[r] = worth_of_one(round->totals, r);
	d->whole = usage(d, round->totals, NULL);
	for (size_t q = 0; q < round->queues->count; q++) {
		double priority = round->memory[q] > d->floor ? round->memory[q] : d->floor;

		ret_weights[q] = 1 / (priority * round->queues->factors[q]);
	}
}

static double decay_cost(const void *handle, const int64_t *allocated)
{
	const struct decay *d = handle;

	return d->whole > 0 ? usage(d, allocated, NULL) / d->whole : 0;
}

static const struct armada_fairness_ops ops = {
	.open = decay_open,
	.close = decay_close,
	.begin = decay_begin,
	.cost = decay_cost,
	.lapse = decay_lapse,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_FAIRNESS, "decay",
	      "usage with a half-life, times the queue's priority factor", options, ops);

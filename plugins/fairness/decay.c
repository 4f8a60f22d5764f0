/*
 * Fairness over time: what a queue has used is remembered, and forgotten by half in each half-life.
 *
 * Usage is in units of cpu: of every resource, as much is worth a core as the cluster has of it for
 * each core. A queue's priority is the number that the host keeps for it. While its usage stays as it
 * is, the priority comes nearer to it:
 *
 *	priority = priority * beta + usage * (1 - beta),  beta = 0.5 ^ (time / half_life)
 *
 * Armada's old description has beta the other way round, with which a priority that is updated often
 * would be the usage of the moment; at time = half_life both say the same. As it stands here a time
 * may be cut into any parts, and half of the distance is left after one half-life, which is what that
 * description and HTCondor's, after which it was made, say in words.
 *
 * A queue weighs 1 over its effective priority, which is its priority, at least the floor, times its
 * priority factor. What it costs is what it uses now, as a part of the whole: so cost over weight
 * grows with what is used now and with what was, and shares by weight can be compared with costs.
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
		       .help = "After this time half of what a queue has used is forgotten. A day, "
			       "as in HTCondor, makes up today for what was had yesterday; where "
			       "jobs last for minutes, something like 20m answers sooner."},
	[FLOOR] = {.name = "floor",
		   .type = ARMADA_OPTION_DOUBLE,
		   .def = "0.5",
		   .min = 1e-6,
		   .max = 1e9,
		   .help = "No priority is less than this many cores of usage, so that a new queue "
			   "does not count for endlessly more than all others."},
};

struct decay {
	double half_life_us, floor;
	double whole;  /* what all nodes are worth, as of begin */
	double *worth; /* of one in the numbers that the host counts in; likewise */
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

/* In cores. What the cluster has none of is worth nothing. */
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

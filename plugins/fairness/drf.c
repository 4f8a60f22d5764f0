/*
 * Dominant resource fairness: the cost of an allocation is the largest of its shares of the whole, each
 * multiplied by the multiplier of its resource. The weight of a queue is 1 divided by its priority factor.
 */
#include <armada/fairness.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MULTIPLIERS };

static const struct armada_option options[] = {
	[MULTIPLIERS] =
		{.name = "multipliers",
		 .type = ARMADA_OPTION_NUMBERS,
		 .max = 1e6,
		 .help = "How much each resource counts: the share of a resource is multiplied by "
			 "this number before the largest share is taken. A resource that is not "
			 "listed, or has 0, does not count. Empty: every resource counts 1."},
};

struct drf {
	size_t count;
	struct {
		double multiplier;
		double total; /* as of begin */
	} of[];
};

static double multiplier(const struct armada_option_value *v, const char *name)
{
	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->pairs[i].name, name) == 0)
			return v->pairs[i].value;
	return v->count ? 0 : 1;
}

static int drf_open(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err)
{
	struct drf *d = calloc(1, sizeof(*d) + policy->resource_count * sizeof(d->of[0]));

	if (!d) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	d->count = policy->resource_count;
	for (size_t r = 0; r < d->count; r++)
		d->of[r].multiplier = multiplier(&values[MULTIPLIERS], policy->resources[r]);
	*ret_handle = d;
	return 0;
}

static void drf_begin(void *handle, const struct armada_fairness_round *round, double *ret_weights)
{
	struct drf *d = handle;

	for (size_t r = 0; r < d->count; r++)
		d->of[r].total = (double)round->totals[r];
	for (size_t q = 0; q < round->queues->count; q++)
		ret_weights[q] = 1 / round->queues->factors[q];
}

static double drf_cost(const void *handle, const int64_t *allocated)
{
	const struct drf *d = handle;
	double cost = 0;

	for (size_t r = 0; r < d->count; r++) {
		double share;

		if (!(d->of[r].total > 0) || allocated[r] <= 0)
			continue;
		share = d->of[r].multiplier * (double)allocated[r] / d->of[r].total;
		if (share > cost)
			cost = share;
	}
	return cost;
}

static const struct armada_fairness_ops ops = {
	.open = drf_open,
	.close = free,
	.begin = drf_begin,
	.cost = drf_cost,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_FAIRNESS, "drf",
	      "largest share of any resource divided by the queue's weight", options, ops);

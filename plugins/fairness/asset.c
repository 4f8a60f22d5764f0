/*
 * Asset fairness: the value of an allocation is cpu + w_gpu * gpu + w_memory * memory, in cores, gpus and
 * GiB. Without the option weights, w_gpu is 1 and w_memory is 0. Every lease counts, whether or not its
 * tasks have started. The weight of a queue is 1 divided by its priority factor.
 *
 * The cost is the value divided by the value of all nodes. The value alone would give the same order of
 * queues, but preemption compares costs with shares.
 */
#include <armada/fairness.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHTS };

static const struct armada_option options[] = {
	[WEIGHTS] = {.name = "weights",
		     .type = ARMADA_OPTION_NUMBERS,
		     .max = 1e6,
		     .help = "Value of a unit of each resource, in cores; the unit of memory is a "
			     "GiB. A resource that is not listed has the value 0; cpu and gpu have "
			     "1."},
};

struct asset {
	double total; /* as of begin */
	size_t count;
	double weights[]; /* of one unit as the host counts: millicores, bytes, gpus */
};

static double weight(const struct armada_option_value *v, const char *name)
{
	double unit = strcmp(name, "cpu") == 0      ? 1e-3
		      : strcmp(name, "memory") == 0 ? 1.0 / (1 << 30)
						    : 1;

	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->pairs[i].name, name) == 0)
			return v->pairs[i].value * unit;
	if (strcmp(name, "cpu") == 0 || strcmp(name, "gpu") == 0)
		return unit;
	return 0;
}

static int asset_open(void **ret_handle, const struct armada_option_value *values,
		      const struct armada_policy *policy, struct armada_error *err)
{
	struct asset *a = calloc(1, sizeof(*a) + policy->resource_count * sizeof(a->weights[0]));

	if (!a) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	a->count = policy->resource_count;
	for (size_t r = 0; r < a->count; r++)
		a->weights[r] = weight(&values[WEIGHTS], policy->resources[r]);
	*ret_handle = a;
	return 0;
}

static double worth(const struct asset *a, const int64_t *amounts)
{
	double sum = 0;

	for (size_t r = 0; r < a->count; r++)
		if (amounts[r] > 0)
			sum += a->weights[r] * (double)amounts[r];
	return sum;
}

static void asset_begin(void *handle, const struct armada_fairness_round *round,
			double *ret_weights)
{
	struct asset *a = handle;

	a->total = worth(a, round->totals);
	for (size_t q = 0; q < round->queues->count; q++)
		ret_weights[q] = 1 / round->queues->factors[q];
}

static double asset_cost(const void *handle, const int64_t *allocated)
{
	const struct asset *a = handle;

	return a->total > 0 ? worth(a, allocated) / a->total : 0;
}

static const struct armada_fairness_ops ops = {
	.open = asset_open,
	.close = free,
	.begin = asset_begin,
	.cost = asset_cost,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_FAIRNESS, "asset",
	      "value of an allocation divided by the queue's weight", options, ops);

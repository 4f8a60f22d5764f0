/*
 * The emptiest node where it fits: tasks are far from one another, and have what is left between
 * them.
 */
#include <armada/select.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spread {
	size_t count;
	uint32_t sequence[];
};

/* Cpu and memory, which come first in every policy, stay first. */
static void sort_others(struct spread *b, const char *const *names)
{
	for (size_t i = 3; i < b->count; i++) {
		uint32_t r = b->sequence[i];
		size_t at = i;

		for (; at > 2 && strcmp(names[b->sequence[at - 1]], names[r]) > 0; at--)
			b->sequence[at] = b->sequence[at - 1];
		b->sequence[at] = r;
	}
}

static int spread_open(void **ret_handle, const struct armada_option_value *values,
		       const struct armada_policy *policy, struct armada_error *err)
{
	size_t n = policy->resource_count;
	struct spread *b = calloc(1, sizeof(*b) + n * sizeof(b->sequence[0]));

	(void)values;
	if (!b) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	b->count = n;
	for (size_t i = 0; i < n; i++)
		b->sequence[i] = (uint32_t)i;
	sort_others(b, policy->resources);
	*ret_handle = b;
	return 0;
}

static void spread_sequence(const void *handle, uint32_t *ret_sequence)
{
	const struct spread *b = handle;

	memcpy(ret_sequence, b->sequence, b->count * sizeof(b->sequence[0]));
}

/* What is used, as a part of what the node has, summed up. */
static void spread_score(const void *handle, const int64_t *request,
			 const struct armada_select_nodes *nodes, double *ret_scores)
{
	const struct spread *b = handle;

	(void)request;
	for (size_t i = 0; i < nodes->count; i++) {
		double sum = 0;

		for (size_t r = i * b->count; r < (i + 1) * b->count; r++)
			if (nodes->total[r] > 0)
				sum += (double)(nodes->total[r] - nodes->free[r]) /
				       (double)nodes->total[r];
		ret_scores[i] = sum;
	}
}

static const struct armada_select_ops ops = {
	.open = spread_open,
	.close = free,
	.sequence = spread_sequence,
	.score = spread_score,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "spread", "the emptiest node where it fits", ops);

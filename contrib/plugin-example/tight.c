/*
 * select/tight: prefers the node with the smallest free amount of one
 * resource. The other resources decide between equal nodes.
 */
#include <armada/select.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tight {
	size_t count, first;
};

static const struct armada_option options[] = {
	{
		.name = "first",
		.type = ARMADA_OPTION_STRING,
		.def = "memory",
		.help = "The resource to fill up.",
	},
};

static int tight_open(void **ret_handle,
		      const struct armada_option_value *values,
		      const struct armada_policy *policy,
		      struct armada_error *err)
{
	struct tight *t;
	size_t i = 0;

	while (i < policy->resource_count &&
	       strcmp(policy->resources[i], values[0].s) != 0)
		i++;
	if (i == policy->resource_count) {
		snprintf(err->text, sizeof(err->text),
			 "first: no resource is called \"%s\"",
			 values[0].s);
		return -EINVAL;
	}
	t = malloc(sizeof(*t));
	if (!t) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	t->count = policy->resource_count;
	t->first = i;
	*ret_handle = t;
	return 0;
}

static void tight_sequence(const void *handle, uint32_t *ret_sequence)
{
	const struct tight *t = handle;
	size_t n = 0;

	ret_sequence[n++] = (uint32_t)t->first;
	for (size_t i = 0; i < t->count; i++)
		if (i != t->first)
			ret_sequence[n++] = (uint32_t)i;
}

static const struct armada_select_ops ops = {
	.open = tight_open,
	.close = free,
	.sequence = tight_sequence,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_SELECT, "tight",
	      "least free of one resource", options, ops);

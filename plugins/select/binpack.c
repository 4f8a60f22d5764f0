/*
 * The fullest node where it fits: least free cpu, then least free memory, then the least of the
 * other resources in the order of their names. Large holes stay for what is large.
 */
#include <armada/select.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct binpack {
	size_t count;
	uint32_t sequence[];
};

/* Cpu and memory, which come first in every policy, stay first. */
static void sort_others(struct binpack *b, const char *const *names)
{
	for (size_t i = 3; i < b->count; i++) {
		uint32_t r = b->sequence[i];
		size_t at = i;

		for (; at > 2 && strcmp(names[b->sequence[at - 1]], names[r]) > 0; at--)
			b->sequence[at] = b->sequence[at - 1];
		b->sequence[at] = r;
	}
}

static int binpack_open(void **ret_handle, const struct armada_option_value *values,
			const struct armada_policy *policy, struct armada_error *err)
{
	size_t n = policy->resource_count;
	struct binpack *b = calloc(1, sizeof(*b) + n * sizeof(b->sequence[0]));

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

static void binpack_sequence(const void *handle, uint32_t *ret_sequence)
{
	const struct binpack *b = handle;

	memcpy(ret_sequence, b->sequence, b->count * sizeof(b->sequence[0]));
}

static const struct armada_select_ops ops = {
	.open = binpack_open,
	.close = free,
	.sequence = binpack_sequence,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_SELECT, "binpack", "the fullest node where it fits", ops);

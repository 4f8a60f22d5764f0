#include "sequence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cpu and memory are the first two resources of every policy and keep their places. */
static void sort_others(struct sequence *s, const char *const *names)
{
	for (size_t i = 3; i < s->count; i++) {
		uint32_t r = s->order[i];
		size_t at = i;

		for (; at > 2 && strcmp(names[s->order[at - 1]], names[r]) > 0; at--)
			s->order[at] = s->order[at - 1];
		s->order[at] = r;
	}
}

int sequence_open(void **ret_handle, const struct armada_option_value *values,
		  const struct armada_policy *policy, struct armada_error *err)
{
	size_t n = policy->resource_count;
	struct sequence *s = calloc(1, sizeof(*s) + n * sizeof(s->order[0]));

	(void)values;
	if (!s) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	s->count = n;
	for (size_t i = 0; i < n; i++)
		s->order[i] = (uint32_t)i;
	sort_others(s, policy->resources);
	*ret_handle = s;
	return 0;
}

void sequence_give(const void *handle, uint32_t *ret_sequence)
{
	const struct sequence *s = handle;

	memcpy(ret_sequence, s->order, s->count * sizeof(s->order[0]));
}

void sequence_used(const struct sequence *s, const struct armada_select_nodes *nodes,
		   const int64_t *own, double *ret_scores)
{
	for (size_t i = 0; i < nodes->count; i++) {
		double sum = 0;

		for (size_t r = i * s->count; r < (i + 1) * s->count; r++)
			if (nodes->total[r] > 0)
				sum += (double)(nodes->total[r] - nodes->free[r] -
						(own ? own[r] : 0)) /
				       (double)nodes->total[r];
		ret_scores[i] = sum;
	}
}

/*
 * The order in which the select plugins of this folder look at resources: cpu, memory, then the others
 * by name. Linked into each of them; the handle is freed with free().
 */
#pragma once

#include <armada/select.h>

#include <stddef.h>
#include <stdint.h>

struct sequence {
	size_t count;
	uint32_t order[];
};

/* armada_select_ops.open and .sequence. */
int sequence_open(void **ret_handle, const struct armada_option_value *values,
		  const struct armada_policy *policy, struct armada_error *err);
void sequence_give(const void *handle, uint32_t *ret_sequence);
/* What is used of each node, less what own says of it (NULL: nothing), in parts of all it has, summed up. */
void sequence_used(const struct sequence *s, const struct armada_select_nodes *nodes,
		   const int64_t *own, double *ret_scores);

/*
 * The order in which the select plugins of this folder compare resources: cpu, memory, then the others by
 * name. Each plugin links this file; its handle is freed with free().
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
/* Score of each node: its usage less own (NULL: 0), as a part of its total, summed over the resources. */
void sequence_used(const struct sequence *s, const struct armada_select_nodes *nodes,
		   const int64_t *own, double *ret_scores);

/*
 * Select plugins: which of the nodes where it fits is best?
 *
 * The host keeps the nodes sorted, least free first, comparing resource by resource in the sequence
 * that the plugin names, then by the order in which the nodes were declared. Without `score` the
 * first node of that order where the member fits is taken, and finding it is cheap. With `score`
 * every node where it fits is shown to the plugin, which costs in proportion.
 */
#ifndef ARMADA_SELECT_H
#define ARMADA_SELECT_H

#include <armada/policy.h>

/* Nodes where one member fits now, in the host's order; rows of resources. */
struct armada_select_nodes {
	size_t count;
	const int64_t *free;
	const int64_t *total;
	const int64_t *queue_used; /* by the queue of the member */
};

struct armada_select_ops {
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err);
	void (*close)(void *handle);
	/* Every number below resource_count once: which resource is compared first, second... */
	void (*sequence)(const void *handle, uint32_t *ret_sequence);
	/* Lower is better, of equals the first; finite. NULL: the first node is best. */
	void (*score)(const void *handle, const int64_t *request,
		      const struct armada_select_nodes *nodes, double *ret_scores);
};

#endif

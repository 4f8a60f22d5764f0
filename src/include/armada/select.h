/*
 * Select plugins: choose the node for a member among the nodes where it fits.
 *
 * The host keeps the nodes sorted by free resources, least first. It compares the resources in the
 * sequence that the plugin gives, and equal nodes by the order of their declaration. Without `score`
 * the first node where the member fits is taken, which is cheap. With `score` the plugin gets every
 * node where the member fits, so the cost is proportional to their number.
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
	/* ret_sequence: a permutation of the resources, in the order of their comparison. */
	void (*sequence)(const void *handle, uint32_t *ret_sequence);
	/* Finite scores. The lowest is best, and the first of equal ones. NULL: the first node is best. */
	void (*score)(const void *handle, const int64_t *request,
		      const struct armada_select_nodes *nodes, double *ret_scores);
};

#endif

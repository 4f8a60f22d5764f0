/*
 * Fairness plugins: what does a queue's allocation cost, and what is its weight?
 *
 * Queues are served so that cost divided by weight grows alike in all of them. A cost is a share of
 * what there is: 0 for nothing; the whole cluster is 1 where the policy knows such a thing. It must
 * not fall when the allocation grows.
 */
#ifndef ARMADA_FAIRNESS_H
#define ARMADA_FAIRNESS_H

#include <armada/policy.h>

struct armada_fairness_round {
	int64_t now_us;
	const int64_t *totals;              /* of the nodes that count */
	const struct armada_queues *queues; /* without weights, cost and shares */
	/*
	 * One number for each queue, the plugin's own. The host keeps it from round to round (and
	 * over restarts); a new queue's is 0. For usage that decays.
	 */
	double *memory;
};

struct armada_fairness_ops {
	/* values: one for each row of the option table. 0 or a negative errno and a sentence. */
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err);
	void (*close)(void *handle);
	/* A round begins: set ret_weights (greater than 0), one for each queue. */
	void (*begin)(void *handle, const struct armada_fairness_round *round, double *ret_weights);
	/* The cost of an allocation in this round: finite, not negative. */
	double (*cost)(const void *handle, const int64_t *allocated);
};

#endif

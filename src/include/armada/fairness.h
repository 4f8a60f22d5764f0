/*
 * Fairness plugins: compute the cost of a queue's allocation, and the weight of the queue.
 *
 * The scheduler serves queues so that cost divided by weight grows equally in all of them. A cost is
 * a share of the cluster: 0 for no resources, usually 1 for the whole cluster. It must not fall when
 * the allocation grows.
 */
#ifndef ARMADA_FAIRNESS_H
#define ARMADA_FAIRNESS_H

#include <armada/policy.h>

struct armada_fairness_round {
	int64_t now_us;
	const int64_t *totals;              /* resources of the nodes that count */
	const struct armada_queues *queues; /* without weights, cost and shares */
	/*
	 * One number of the plugin for each queue, for usage that decays; 0 for a new queue. The host
	 * keeps it between rounds and over restarts. With `lapse` it is the value at now_us, and
	 * changes are ignored. Without `lapse` the plugin may change it here.
	 */
	double *memory;
};

/* An interval in which neither the allocation of the queue nor the totals changed. */
struct armada_fairness_lapse {
	const int64_t *totals;    /* of the nodes that counted */
	const int64_t *allocated; /* of the queue */
	int64_t us;               /* length of the interval, greater than 0 */
};

struct armada_fairness_ops {
	/* values: one for each row of the option table. 0 or a negative errno and a sentence. */
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err);
	void (*close)(void *handle);
	/* A round begins: set ret_weights (greater than 0), one for each queue. */
	void (*begin)(void *handle, const struct armada_fairness_round *round, double *ret_weights);
	/*
	 * The cost of an allocation in this round: finite, not negative. The history of shares has the
	 * cost of the mean use over an interval. Mean amounts of resources like gpus are no integers, so
	 * the host asks for the cost of 1,000 times the mean, and divides it by 1,000. The host may call
	 * it from another thread, but not while begin runs.
	 */
	double (*cost)(const void *handle, const int64_t *allocated);
	/*
	 * Returns the memory of the queue after the interval. The result must depend only on the
	 * arguments and the options. The host calls it at each change of the allocation or the totals,
	 * so two parts of an interval must give the same result as the whole. The host does not call
	 * it for a queue without resources whose memory is 0. NULL: the memory changes only in rounds.
	 */
	double (*lapse)(const void *handle, const struct armada_fairness_lapse *lapse,
			double memory);
};

#endif

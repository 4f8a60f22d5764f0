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
	 * over restarts); a new queue's is 0. For usage that decays. A plugin with `lapse` finds it
	 * as of now_us, and what it writes here is forgotten; another may change it here.
	 */
	double *memory;
};

/* A time in which neither what a queue had nor the whole changed. */
struct armada_fairness_lapse {
	const int64_t *totals;    /* of the nodes that counted */
	const int64_t *allocated; /* of the queue */
	int64_t us;               /* how long: greater than 0 */
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
	/*
	 * What the queue's memory is once this time has passed. Of the arguments and the options
	 * alone, since rounds may be few: it is called whenever something changes, and a time that
	 * is cut in two must give what it gives as a whole. Not called for a queue that has nothing
	 * and whose memory is 0. NULL: memory stands still between rounds.
	 */
	double (*lapse)(const void *handle, const struct armada_fairness_lapse *lapse,
			double memory);
};

#endif

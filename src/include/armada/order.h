/*
 * Order plugins: which gang is tried next?
 *
 * Inside a queue the order is fixed (class priority, job priority, submission). Between queues the
 * plugin decides among their heads, each the first gang of its queue that may still fit. It does so
 * either by comparing two of them, and the host keeps a heap, or by picking one of all. A head
 * changes only when its queue is served.
 */
#ifndef ARMADA_ORDER_H
#define ARMADA_ORDER_H

#include <armada/policy.h>

struct armada_order_head {
	uint32_t queue;
	uint32_t members;
	int64_t class_priority; /* higher is more urgent; in a later pass the one it was started at */
	const int64_t *request;   /* of one member */
	const int64_t *allocated; /* of the queue, now */
	double cost, cost_with; /* of the queue without and with this gang, divided by its weight */
	double budget;          /* capped share divided by weight */
	double weight;
	bool evicted; /* it runs and would be put back */
};

struct armada_order_round {
	uint64_t seed;
	const int64_t *totals;
	const int64_t *free; /* in all nodes that may be used */
	const struct armada_queues *queues;
};

struct armada_order_traits {
	bool backfill; /* the first gang without room holds a reservation */
};

enum { ARMADA_ORDER_NONE = -1 };

struct armada_order_ops {
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_order_traits *ret_traits,
		    struct armada_error *err);
	void (*close)(void *handle);
	/* A round begins. NULL: nothing to do. */
	void (*begin)(void *handle, const struct armada_order_round *round);
	/*
	 * Is a tried before b? A strict order over heads of different queues: exactly one of
	 * before(a, b) and before(b, a), and transitive.
	 */
	bool (*before)(const void *handle, const struct armada_order_head *a,
		       const struct armada_order_head *b);
	/*
	 * Instead of before, which may then be NULL: the index in heads of the one to try, or
	 * ARMADA_ORDER_NONE to end the round. NULL: before decides.
	 */
	int64_t (*pick)(void *handle, const struct armada_order_head *heads, size_t count);
	/* The gang of this head was tried, and placed or not. NULL: no matter. */
	void (*served)(void *handle, const struct armada_order_head *head, bool placed);
};

#endif

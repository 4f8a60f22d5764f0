/*
 * Order plugins: choose the gang that is tried next.
 *
 * Within a queue the order is fixed (class priority, job priority, submission time). The head of a
 * queue is its first gang that may still fit. The plugin orders the heads of the queues: either it
 * compares two of them (`before`) and the host keeps a heap, or it chooses one of all (`pick`). A
 * head changes only when its queue is served.
 *
 * A round may have stages. Before the host tries a new gang it calls `consider`, and the plugin may
 * pass over the gang or close its queue for this stage. When no head remains, `again` may begin the
 * next stage. Gangs that were passed over come back then. Gangs that were started, or that did not
 * fit, do not.
 */
#ifndef ARMADA_ORDER_H
#define ARMADA_ORDER_H

#include <armada/policy.h>

struct armada_order_head {
	uint32_t queue;
	uint32_t members;
	int64_t class_priority; /* higher is more urgent; evicted: the priority at its start */
	const int64_t *request;   /* of one member */
	const int64_t *allocated; /* of the queue, now */
	double cost, cost_with; /* of the queue without and with this gang, divided by its weight */
	double budget;          /* capped share divided by weight */
	double weight;
	bool evicted; /* a running gang that was evicted in this round; tried on its own nodes */
	const int64_t *sum; /* the request of all members; NULL: evicted */
};

struct armada_order_round {
	uint64_t seed;
	const int64_t *totals;
	const int64_t *free; /* sum over all usable nodes */
	const struct armada_queues *queues;
	const bool *waiting; /* by queue: true if it has gangs that are ready, even if they do not fit */
};

/* The answer of `consider` for a gang. */
enum armada_order_turn {
	ARMADA_ORDER_TRY,
	ARMADA_ORDER_PASS,  /* skip it, and gangs of the same shape in its queue, in this stage */
	ARMADA_ORDER_LEAVE, /* skip all new gangs of its queue in this stage */
};

/* The reason for ORDER_PASS: its queue had `slice` of a resource, and `left` remains. */
struct armada_order_excess {
	uint32_t resource;
	double slice, left;
};

enum { ARMADA_ORDER_STAGES = 8 }; /* the most stages of a round */

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
	 * True if a is tried before b. A strict total order over heads of different queues: exactly
	 * one of before(a, b) and before(b, a) is true, and the relation is transitive.
	 */
	bool (*before)(const void *handle, const struct armada_order_head *a,
		       const struct armada_order_head *b);
	/*
	 * Returns the index of the head to try, or ARMADA_ORDER_NONE to end the round. If it is set,
	 * `before` is not used and may be NULL. NULL: `before` decides.
	 */
	int64_t (*pick)(void *handle, const struct armada_order_head *heads, size_t count);
	/* The gang of this head was tried; placed: it got nodes. May be NULL. */
	void (*served)(void *handle, const struct armada_order_head *head, bool placed);
	/*
	 * Called before a new gang is tried, if no limit blocks it. Passing over costs as much as
	 * trying, because only gangs that would fit come back. After a gang was passed over, gangs
	 * of its queue with the same shape are passed over without a call in this stage. NULL: all
	 * gangs are tried.
	 */
	enum armada_order_turn (*consider)(void *handle, const struct armada_order_head *head,
					   struct armada_order_excess *ret_excess);
	/*
	 * Called when no head remains. True: the next stage begins with the gangs that were skipped,
	 * in the order of the queues. O(subqueues). Not called if a limit or the time ended the
	 * round. NULL: false.
	 */
	bool (*again)(void *handle);
};

#endif

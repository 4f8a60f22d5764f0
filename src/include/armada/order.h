/*
 * Order plugins: which gang is tried next?
 *
 * Inside a queue the order is fixed (class priority, job priority, submission). Between queues the
 * plugin decides among their heads, each the first gang of its queue that may still fit. It does so
 * either by comparing two of them, and the host keeps a heap, or by picking one of all. A head
 * changes only when its queue is served.
 *
 * A round may have stages. Before a new gang is tried the plugin is asked whether it wants that, and
 * may pass it over, or leave its queue alone; when no head remains, it may have the queues begun
 * again. What was started or found not to fit does not come back, what was passed over does.
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
	const int64_t *sum; /* the request of all members; NULL: evicted */
};

struct armada_order_round {
	uint64_t seed;
	const int64_t *totals;
	const int64_t *free; /* in all nodes that may be used */
	const struct armada_queues *queues;
	const bool *waiting; /* by queue: it has gangs that are ready, whether they fit or not */
};

/* A gang's turn has come: what of it? */
enum armada_order_turn {
	ARMADA_ORDER_TRY,
	ARMADA_ORDER_PASS,  /* not in this stage, nor others of its queue that are like it */
	ARMADA_ORDER_LEAVE, /* nor anything else of its queue that is new */
};

/* Why a gang is passed over, for people: its queue had `slice` of a resource, of which `left` is left. */
struct armada_order_excess {
	uint32_t resource;
	double slice, left;
};

enum { ARMADA_ORDER_STAGES = 8 }; /* a round has no more */

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
	/*
	 * This new gang is about to be tried; no limit is in its way. To pass it over costs what
	 * trying costs: only what would fit comes back. Of a queue's gangs that are like one that
	 * was passed, none is asked about again in this stage. NULL: all are tried.
	 */
	enum armada_order_turn (*consider)(void *handle, const struct armada_order_head *head,
					   struct armada_order_excess *ret_excess);
	/*
	 * No head remains. True: begin again with what was passed over and left alone, in the order
	 * of the queues; O(lanes). Not asked when a limit or the time ended the round. NULL: false.
	 */
	bool (*again)(void *handle);
};

#endif

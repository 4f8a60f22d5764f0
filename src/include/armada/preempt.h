/*
 * Preempt plugins: choose who may be displaced.
 *
 * A gang that finds no free room may displace others. They come from one list (armada-fairness(7)),
 * which begins with the lowest priority class, and within it with the queue that uses the largest
 * fraction of its share. In the list are (a) the running gangs that the plugin has evicted at the
 * start of the round and that did not get their room back yet, and (b) gangs of a lower class that
 * urgency may displace. The plugin names the gangs of (a), says with its traits whether there are any
 * of (a) and (b), and may leave single gangs out of the list.
 *
 * An evicted gang competes with waiting jobs for its own nodes. If nobody displaces it, it continues
 * to run. The host evicts gangs as a whole, and never evicts gangs that their priority class
 * protects.
 */
#ifndef ARMADA_PREEMPT_H
#define ARMADA_PREEMPT_H

#include <armada/policy.h>

enum { ARMADA_NO_NODE = -1 };

/* Running gangs, one row for each; by queue, and in each queue in running order. */
struct armada_running {
	size_t count;
	const uint32_t *queue;
	const uint32_t *members; /* number of its members */
	/* The number of the node of each member; (uint32_t)ARMADA_NO_NODE: the member has ended. */
	const uint32_t *const *nodes;
	const int64_t *class_priority; /* of its most urgent member, at its start */
	const uint8_t *preemptible;    /* 1: by fair share, 2: by urgency, 3: both */
	const int64_t *start_us;
	const int64_t *request; /* rows: of the whole gang */
};

struct armada_preempt_round {
	uint64_t seed;
	int64_t now_us;
	const struct armada_queues *queues;
	const struct armada_running *running;
};

/* A gang in the list of what may be displaced, and the gang in hand. */
struct armada_displacement {
	uint32_t queue;
	int64_t class_priority; /* of its most urgent member */
	int64_t start_us;       /* the time of the round: started in this round */
	const int64_t *request; /* of all its members */
	uint32_t for_queue;
	int64_t for_class_priority;
	bool urgency; /* a more urgent class displaces it; false: fair share */
};

struct armada_preempt_traits {
	bool fair_share; /* evict is called; gangs may be preempted for fair share */
	bool urgency;    /* a gang of a higher class may displace one of a lower class */
	/* Limit of tasks that are preempted for fair share: in a second, at once; burst 0: none. */
	double rate, burst;
};

struct armada_preempt_ops {
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_preempt_traits *ret_traits,
		    struct armada_error *err);
	void (*close)(void *handle);
	/*
	 * Sets ret_evict[i] (initially false) for each running gang that is evicted. Rows that are
	 * not preemptible for fair share are ignored. NULL: none.
	 */
	void (*evict)(void *handle, const struct armada_preempt_round *round, bool *ret_evict);
	/*
	 * True: the gang is left out of the list for this gang in hand. Called once for each gang and
	 * list, in the order of the list within each queue. NULL: false.
	 */
	bool (*spares)(void *handle, const struct armada_displacement *displacement);
};

#endif

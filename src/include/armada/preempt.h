/*
 * Preempt plugins: choose the running elements that are evicted at the start of a round.
 *
 * In the round an evicted element competes with waiting jobs, but only for its own nodes. If it gets
 * them it continues to run; otherwise it is preempted. The host evicts gangs as a whole, never evicts
 * elements that their priority class protects, and decides the order. The plugin only selects the
 * candidates.
 */
#ifndef ARMADA_PREEMPT_H
#define ARMADA_PREEMPT_H

#include <armada/policy.h>

/* Running elements, one row for each. */
struct armada_running {
	size_t count;
	const uint32_t *queue;
	const uint32_t *node; /* number of the node of its first member; for random choices */
	const int64_t *class_priority; /* the priority at its start */
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

struct armada_preempt_traits {
	bool fair_share; /* evict is called; elements may be preempted for fair share */
	bool urgency;    /* a job of a higher class may preempt one of a lower class */
	/* Limit of tasks that are preempted for fair share: in a second, at once; burst 0: none. */
	double rate, burst;
};

struct armada_preempt_ops {
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_preempt_traits *ret_traits,
		    struct armada_error *err);
	void (*close)(void *handle);
	/*
	 * Sets ret_evict[i] (initially false) for each running element that is a candidate. Rows that
	 * are not preemptible for fair share are ignored. NULL: no candidates.
	 */
	void (*evict)(void *handle, const struct armada_preempt_round *round, bool *ret_evict);
};

#endif

/*
 * Preempt plugins: which running tasks are put back in the queue at the start of a round?
 *
 * What is put back is tried again on its own node among everything else; what finds no room there
 * is preempted. The host completes gangs, leaves alone whatever its priority class protects, and
 * chooses the victims in the order of the round; the plugin only says who takes part.
 */
#ifndef ARMADA_PREEMPT_H
#define ARMADA_PREEMPT_H

#include <armada/policy.h>

/* What runs, one row for each element. */
struct armada_running {
	size_t count;
	const uint32_t *queue;
	const uint32_t *node; /* a number for the node of its first member; for drawing lots */
	const int64_t *class_priority; /* at which it was started */
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
	bool fair_share; /* evict is asked, and may displace for balance */
	bool urgency;    /* a higher class may displace a lower one */
	/* Tasks displaced for balance, in a second and at once; burst 0: no such limit. */
	double rate, burst;
};

struct armada_preempt_ops {
	int (*open)(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_preempt_traits *ret_traits,
		    struct armada_error *err);
	void (*close)(void *handle);
	/*
	 * Set ret_evict[i] (all false) for each running element that is to be put back for balance.
	 * Rows that are not fair-share-preemptible are ignored. NULL: nobody.
	 */
	void (*evict)(void *handle, const struct armada_preempt_round *round, bool *ret_evict);
};

#endif

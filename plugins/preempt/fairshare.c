/*
 * preempt/fairshare: evicts running jobs of queues above their protected share at the start of a round.
 *
 * In: cost and shares of the queues, and the running gangs. Out: the gangs to evict. The scheduler puts an
 * evicted gang back on its nodes unless another gang displaces it. Jobs of a more urgent class displace jobs
 * of a less urgent one.
 */
#include <armada/preempt.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROTECTED_FRACTION, EVICTION_PROBABILITY, SEED, RATE, BURST };

static const struct armada_option options[] = {
	[PROTECTED_FRACTION] =
		{.name = "protected_fraction",
		 .type = ARMADA_OPTION_DOUBLE,
		 .def = "1.0",
		 .max = 1e6,
		 .help = "Running jobs of a queue are not preempted for fair share while its "
			 "cost is at most this number times its adjusted share, which ashare "
			 "displays."},
	[EVICTION_PROBABILITY] =
		{.name = "eviction_probability",
		 .type = ARMADA_OPTION_DOUBLE,
		 .def = "1.0",
		 .max = 1,
		 .help = "Probability that a round considers the jobs of a node for preemption for "
			 "fair share. A lot is drawn for each node; a gang with a task on a drawn "
			 "node is considered as a whole."},
	[SEED] = {.name = "seed",
		  .type = ARMADA_OPTION_INT,
		  .def = "1",
		  .max = 9007199254740992.0,
		  .help = "Seed of the random choices, combined with the seed of the round."},
	[RATE] =
		{.name = "rate",
		 .type = ARMADA_OPTION_DOUBLE,
		 .def = "0",
		 .max = 1e12,
		 .help = "Maximum number of tasks preempted for fair share in a second, on average. "
			 "Applies only if burst is not 0."},
	[BURST] = {.name = "burst",
		   .type = ARMADA_OPTION_DOUBLE,
		   .def = "0",
		   .max = 1e12,
		   .help = "Maximum number of tasks preempted for fair share at once. 0: no limit, "
			   "and rate does not apply."},
};

struct fairshare {
	double protected_fraction, probability;
	uint64_t seed;
};

static int fairshare_open(void **ret_handle, const struct armada_option_value *values,
			  const struct armada_policy *policy,
			  struct armada_preempt_traits *ret_traits, struct armada_error *err)
{
	struct fairshare *f = calloc(1, sizeof(*f));

	(void)policy;
	if (!f) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	f->protected_fraction = values[PROTECTED_FRACTION].d;
	f->probability = values[EVICTION_PROBABILITY].d;
	f->seed = (uint64_t)values[SEED].i;
	*ret_traits = (struct armada_preempt_traits){.fair_share = true,
						     .urgency = true,
						     .rate = values[RATE].d,
						     .burst = values[BURST].d};
	*ret_handle = f;
	return 0;
}

/* A random number from 0 to below 1, determined by seed, round and node. splitmix64. */
static double lot(uint64_t seed, uint64_t round, uint32_t node)
{
	uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + round * UINT64_C(0xd1b54a32d192ed03) +
		     (node + UINT64_C(1)) * UINT64_C(0x8cb92ba72f3d8dd7);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (double)(z >> 11) / 9007199254740992.0;
}

static bool is_protected(const struct fairshare *f, const struct armada_queues *q, uint32_t i)
{
	double share =
		q->capped_share[i] > q->fair_share[i] ? q->capped_share[i] : q->fair_share[i];

	return q->cost[i] <= f->protected_fraction * share;
}

/* Is the lot of a node of the gang drawn? */
static bool is_drawn(const struct fairshare *f, const struct armada_preempt_round *round, size_t i)
{
	const uint32_t *nodes = round->running->nodes[i];

	if (f->probability >= 1)
		return true;
	for (uint32_t k = 0; k < round->running->members[i]; k++)
		if (nodes[k] != (uint32_t)ARMADA_NO_NODE &&
		    lot(f->seed, round->seed, nodes[k]) < f->probability)
			return true;
	return false;
}

static void fairshare_evict(void *handle, const struct armada_preempt_round *round, bool *ret_evict)
{
	const struct armada_running *r = round->running;
	const struct fairshare *f = handle;

	for (size_t i = 0; i < r->count; i++)
		ret_evict[i] =
			!is_protected(f, round->queues, r->queue[i]) && is_drawn(f, round, i);
}

static const struct armada_preempt_ops ops = {
	.open = fairshare_open,
	.close = free,
	.evict = fairshare_evict,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_PREEMPT, "fairshare",
	      "preemption of jobs beyond the fair share, and of less urgent jobs", options, ops);

/*
 * A world that the referee and two schedulers are told alike, but for the order in which the second
 * hears of the nodes. In each round both schedulers must decide as the referee does with their order
 * of nodes, and where no two nodes were alike, as one another; what they decide must be sound; and
 * their books must be as they were.
 *
 * A program draws worlds from seeds with contest_draw, tells of changes with the calls below, and
 * plays rounds. What the harness draws for itself comes from another stream, so that a seed stands
 * for the same world when checks are added.
 */
#pragma once

#include "unit/sched/referee.h"
#include "unit/sched/rig.h"

/* What the preempt plugin was shown and said, so that lots need not be drawn again. */
struct contest_spy {
	const struct armada_preempt_ops *ops;
	void *handle;
	int64_t start[REF_UNITS];
	uint32_t node[REF_UNITS], queue[REF_UNITS];
	bool evict[REF_UNITS];
	size_t count;
};

struct contest {
	struct ref w;
	struct rig rigs[REF_TWINS];
	struct ref_purse purses[REF_TWINS];
	struct contest_spy spies[REF_TWINS];
	struct sched_class classes[REF_CLASSES];
	struct armada_option_pair pairs[REF_DIMS];
	const char *plugins[4]; /* fairness, order, preempt, select */
	bool fpga, timed;       /* some jobs have time limits */
	bool users;             /* whom there are limits for */
	double eviction_probability;
	int refuse; /* one in so many decisions to start is not taken; 0: none */
	uint64_t seed, random, side, third;
	int round, orders[REF_TWINS];
	int64_t now_us, starts;
	int budget; /* of the next round; -1: none */
	unsigned long reserved, held;
	unsigned long preempted, started, ties, near, quiet, lots, lots_drawn;
	unsigned long decided; /* by the last round */
	unsigned long settled; /* rounds until nothing more was decided */
	double spent;          /* tasks started, in all */
};

/* Which unit a decision is about. */
static inline int contest_unit(const struct sched_decision *d)
{
	return (int)((d->job & ~SCHED_TASK_IDS) - 1) * REF_ELEMENTS + (int)d->element;
}

int contest_draw(struct contest *c, int below);
static inline bool contest_one_in(struct contest *c, int n)
{
	return contest_draw(c, n) == 0;
}
/* The same from the harness's own stream. */
int contest_side(struct contest *c, int below);

/* As the schedulers know it. */
uint64_t contest_id(const struct contest *c, int job);
extern const struct ref_quota contest_no_quota;

/* From a third one, for what was added to the worlds when their seeds were known already. */
int contest_third(struct contest *c, int below);

/* After policy and classes are in c->w: makes the schedulers. */
void contest_open(struct contest *c);
void contest_done(struct contest *c);

extern const char *const contest_names[REF_NODES + 1], *const contest_queues[REF_QUEUES],
							       *const contest_users[REF_USERS + 1];

/* Tell of what is in c->w now. */
void contest_tell_node(struct contest *c, int node);
/* All nodes that are present, to the second scheduler in an order of its own. */
void contest_tell_nodes(struct contest *c);
void contest_drop_node(struct contest *c, int node);
void contest_tell_queue(struct contest *c, int queue);
void contest_tell_job(struct contest *c, int job);
/* Change c->w and tell of it. */
void contest_wait(struct contest *c, int unit);
void contest_unwait(struct contest *c, int unit);
void contest_end(struct contest *c, int unit);
void contest_member_end(struct contest *c, int unit, int member);
void contest_pin(struct contest *c, int unit, bool pinned);
void contest_yield(struct contest *c, int unit);
void contest_left(struct contest *c, int unit, int elements);
void contest_tell_users(struct contest *c); /* limits of users in all queues */
void contest_hold(struct contest *c, int job, bool held);
void contest_remove_job(struct contest *c, int job); /* none of its units may run */
/* The shape's number; one that is there already is used again. */
int contest_shape(struct contest *c, const struct ref_shape *shape);

/* One round; false, and says why, when anything is wrong. */
bool contest_round(struct contest *c);

/*
 * Rounds in which nothing comes or goes but what the rounds themselves do, until one decides
 * nothing. What was preempted waits in its old place, and may displace others in its turn, but not
 * for ever.
 */
bool contest_settle(struct contest *c);

/* contest_check.c: what is wrong, or NULL. */
const char *contest_check_books(const struct contest *c, int twin);
const char *contest_check_decisions(const struct contest *c, const struct sched_result *res,
				    const struct ref_shares *shares);

/* Plays the kept seeds, then those asked for: by arguments, by ARMADA_SEED and ARMADA_WORLDS, or
 * `worlds` from seed 1. With ARMADA_STOP until one fails. */
int contest_main(int argc, char **argv, bool (*play)(struct contest *c), const uint64_t *kept,
		 size_t kept_count, uint64_t worlds);

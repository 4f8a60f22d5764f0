/*
 * Compares two schedulers with the referee (referee.h) in a random world. All three get the same
 * input; only the order in which the nodes are added differs. In each round, each scheduler must
 * decide as the referee does with the same order of nodes, and both schedulers must decide the same
 * unless two nodes were equal. The decisions must respect all limits, and the records that a
 * scheduler keeps of nodes and queues must agree with its input.
 *
 * A program draws worlds from seeds with contest_draw(), reports changes with the functions below,
 * and runs rounds. The harness draws its own random numbers from another stream, so that a seed
 * makes the same world when checks are added.
 */
#pragma once

#include "unit/sched/referee.h"
#include "unit/sched/rig.h"

/*
 * The input and the answers of the preempt plugin, so that the referee uses the same random draws.
 */
struct contest_spy {
	const struct armada_preempt_ops *ops;
	void *handle;
	int64_t start[REF_UNITS];
	uint32_t queue[REF_UNITS], members[REF_UNITS], nodes[REF_UNITS][REF_MEMBERS];
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
	bool users;             /* some users have limits */
	int keepers; /* one in so many jobs has nodes only beside jobs of its user; 0: none */
	bool lends;  /* some jobs scavenge */
	bool grows;  /* some jobs are extra tasks of running jobs */
	bool minima; /* the parts of some jobs have minima of their own */
	double eviction_probability;
	int refuse; /* one of this many decisions to start is not accepted; 0: all are accepted */
	uint64_t seed, random, side, third, fourth, fifth, sixth, seventh;
	int round, orders[REF_TWINS];
	int64_t now_us, starts;
	int budget; /* of starts in the next round; -1: no limit */
	unsigned long reserved, held, dropped;
	unsigned long preempted, started, ties, near, quiet, lots, lots_drawn;
	unsigned long decided; /* number of decisions of the last round */
	unsigned long settled; /* rounds until a round made no decisions */
	double spent;          /* number of tasks that were started */
};

/* The unit of a decision. */
static inline int contest_unit(const struct sched_decision *d)
{
	return (int)((d->job & ~SCHED_TASK_IDS) - 1) * REF_ELEMENTS + (int)d->element;
}
/* The unit that a unit was preempted for. */
static inline int contest_for(const struct sched_decision *d)
{
	return (int)((d->for_job & ~SCHED_TASK_IDS) - 1) * REF_ELEMENTS + (int)d->for_element;
}

int contest_draw(struct contest *c, int below);
static inline bool contest_one_in(struct contest *c, int n)
{
	return contest_draw(c, n) == 0;
}
/* A random number from the stream of the harness. */
int contest_side(struct contest *c, int below);

/* The id of the job in the schedulers. */
uint64_t contest_id(const struct contest *c, int job);
extern const struct ref_quota contest_no_quota;

/*
 * A random number from a third stream, for features that were added to the worlds later, so that
 * earlier seeds make the same worlds.
 */
int contest_third(struct contest *c, int below);
/* The same from a fourth stream, for accounts. */
int contest_fourth(struct contest *c, int below);
/* The same from a fifth stream, for jobs that scavenge. */
int contest_fifth(struct contest *c, int below);
/* The same from a sixth stream, for extra tasks. */
int contest_sixth(struct contest *c, int below);
/* The same from a seventh stream, for minima of parts. */
int contest_seventh(struct contest *c, int below);

/* Makes the schedulers; policy and classes must be set in c->w. */
void contest_open(struct contest *c);
void contest_done(struct contest *c);

extern const char *const contest_names[REF_NODES + 1],
	*const contest_queues[REF_QUEUES], *const contest_users[REF_USERS + 1],
						   *const contest_accounts[REF_ACCOUNTS + 1];

/* These functions report the present contents of c->w to the schedulers. */
void contest_tell_node(struct contest *c, int node);
/* Reports all present nodes, to the second scheduler in another order. */
void contest_tell_nodes(struct contest *c);
void contest_drop_node(struct contest *c, int node);
void contest_tell_queue(struct contest *c, int queue);
void contest_tell_job(struct contest *c, int job);
/* These functions change c->w and report the change. */
void contest_wait(struct contest *c, int unit);
void contest_unwait(struct contest *c, int unit);
/* The waiting unit was displaced for the other one, and spares it (referee.h). */
void contest_spare(struct contest *c, int unit, int other);
void contest_end(struct contest *c, int unit);
void contest_member_end(struct contest *c, int unit, int member);
void contest_pin(struct contest *c, int unit, bool pinned);
void contest_yield(struct contest *c, int unit);
void contest_left(struct contest *c, int unit, int elements);
/* The limits of users in all queues, and of accounts. */
void contest_tell_users(struct contest *c);
void contest_hold(struct contest *c, int job, bool held);
void contest_remove_job(struct contest *c, int job); /* no unit of the job may run */
/* The index of the shape; an equal shape has one index. */
int contest_shape(struct contest *c, const struct ref_shape *shape);

/* Runs and checks a round. Returns false and prints the first error. */
bool contest_round(struct contest *c);

/*
 * Runs rounds without other changes until one makes no decisions. Preempted units are pending again
 * and may preempt others, but this must end.
 */
bool contest_settle(struct contest *c);

/* contest_check.c: return an error, or NULL. */
const char *contest_check_books(const struct contest *c, int twin);
const char *contest_check_decisions(const struct contest *c, const struct sched_result *res,
				    const struct ref_shares *shares);

/*
 * Runs the kept seeds, then those of the command line (FIRST-SEED, COUNT), of ARMADA_SEED and
 * ARMADA_WORLDS, or `worlds` seeds from 1. With ARMADA_STOP it stops at the first failure.
 */
int contest_main(int argc, char **argv, bool (*play)(struct contest *c), const uint64_t *kept,
		 size_t kept_count, uint64_t worlds);

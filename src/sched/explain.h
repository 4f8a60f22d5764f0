/*
 * Why one job waits, in full, and the smallest single change that would start it now.
 *
 * A pure function over the sched's model, which decides and remembers the same afterwards (only the counts in
 * sched_result.work may differ). It runs the round as it would run now and watches the job. Then it runs the
 * round again for each change it tries, with the changed job at its old place in the queue. A change is shown
 * only if that round started an element of the job. Costs one round for the explanation and about twenty for
 * the change; each of these ends as soon as the job cannot start in it. `stop` ends the search early.
 *
 * The order of changes, from the smallest:
 *
 * 1. An amount (of a resource, members, the time limit) is reduced by at most half. The smallest reduction
 * comes first, as a fraction of the request; of equal reductions the time limit, then the resources in their
 * order, then members. The amount is found by bisection: the job starts with it, but not with one unit more.
 * Units are whole cores (tenths if a task asks for one core or less), MiB, minutes (seconds if the limit is a
 * minute or less), and one of any other resource. For a member with several tasks, the units of cores and
 * other resources are multiplied by their number. A time limit for a job without one counts as a reduction by
 * half.
 *
 * 2. A demand is changed, in this order: another value of a label, no label, no lists of nodes, no
 * uniformity, not exclusive, a tolerated taint, another class. Changes of one kind are tried in the order of
 * the selectors, then by name; classes by the difference of their priority. At most 8 values are tried for
 * one selector, and at most 8 taints.
 *
 * 3. An amount is reduced by more than half, in the order of 1.
 *
 * A gang whose members are not alike is not changed. Combinations of changes are not tried.
 */
#pragma once

#include "sched/sched.h"

/* What excludes a node. A node is counted once, under the first of these that holds. */
enum sched_excluder {
	EXCLUDED_DOWN = 1,  /* down, drained, silent */
	EXCLUDED_LIST,      /* not on its list of nodes, or on the one to avoid */
	EXCLUDED_LABEL,     /* what: the selector */
	EXCLUDED_TAINT,     /* what: the taint */
	EXCLUDED_TOO_SMALL, /* what: the resource it has too little of at all */
	EXCLUDED_BUSY,      /* what: the resource it has too little of now */
	EXCLUDED_OCCUPIED,  /* wanted whole, and something runs there; or given whole to another */
	EXCLUDED_RESERVED,  /* held for the gang with the reservation */
	EXCLUDED_AVOIDED,   /* could not start it just now */
	EXCLUDED_KEPT,      /* an exclusive_user job, this one or one there, does not share it */
};
struct sched_exclusion {
	enum sched_excluder by;
	/* "gpu=a100", "maint:NoSchedule", "memory"; NULL if there is nothing to name */
	const char *what;
	uint32_t nodes;
};

/* A few of some nodes by name, and the number of all. */
enum { SCHED_NAMED = 4 };
struct sched_named {
	const char *nodes[SCHED_NAMED];
	uint32_t count, of;
};

enum sched_change_kind {
	CHANGE_NONE,
	CHANGE_LESS,        /* of a resource, for each member: amount */
	CHANGE_MEMBERS,     /* fewer members: amount */
	CHANGE_CLASS,       /* name */
	CHANGE_DROP_LABEL,  /* without the selector number `index` */
	CHANGE_OTHER_LABEL, /* selector number `index` with the value in name */
	CHANGE_DROP_LISTS,  /* without the lists of nodes */
	CHANGE_TOLERATE,    /* the taint with the key in name */
	/* a shorter time limit, so that it ends before the reservation begins: amount in us */
	CHANGE_TIME,
	CHANGE_SHARE_NODE, /* not exclusive, or not exclusive_user */
	CHANGE_UNIFORMITY, /* without the label that all members must share */
	CHANGE_RELEASE,    /* it is held */
};
struct sched_change {
	enum sched_change_kind kind;
	size_t resource, index;
	int64_t amount;
	const char *name;
	const char *text; /* "12G memory for each task instead of 16G", "in class low" */
	/* of asubmit: "--memory=12G"; NULL: leave the option out, or there is none */
	const char *option;
};

/* Everything in it lives in its arena. */
struct sched_explanation {
	struct arena *arena;
	enum sched_why why; /* WHY_NONE: it starts in the next round */
	const char *text;   /* one line, with its numbers */
	uint32_t nodes;     /* that are known */
	/*
	 * As the nodes are when the job is tried in the round; if it is not tried, as they are now.
	 */
	uint32_t fitting;                   /* that could take a member now */
	struct sched_exclusion *exclusions; /* most nodes first */
	size_t exclusion_count;
	/*
	 * Of the nodes that are too small or busy, the one that lacks least, as the sum of the
	 * missing fractions of the request, and "2 cpu, 4G memory"; NULL: none.
	 */
	const char *nearest, *nearest_lacks;
	/*
	 * Nodes that it could use, with enough of each resource in total: those that are down, and
	 * those where other tasks have the room, the nearest ones and the nearest first.
	 */
	struct sched_named down, taken;
	/* of its queue, when the round began; queue NULL: it took no part */
	struct sched_share share;
	uint64_t place, of; /* position and number of ready jobs in its queue; 0: not ready */
	uint64_t before;    /* gangs tried before it, or in the whole round if it was not tried */
	bool looked_at;
	/* its latest start if all running tasks use their time limits; 0: not known */
	int64_t expected_us;
	struct sched_change change; /* kind CHANGE_NONE: none found */
	uint32_t tried;             /* changes */
	bool cut;                   /* the budget ended the search: there may be a smaller change */
};

/*
 * -ENOENT: no such job, or a job of a gang that decisions do not name (sched_gang_begun); -EALREADY: none of
 * its elements waits; or the error of a plugin that is opened. round: as for sched_run_round; its stop bounds
 * the search for a change, not the first round.
 */
int sched_explain(struct sched *s, uint64_t job, const struct sched_round *round,
		  struct sched_explanation *ret);
void sched_explanation_done(struct sched_explanation *e);

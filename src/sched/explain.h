/*
 * Why one job waits, in full, and the smallest single change that would start it now.
 *
 * A pure function over the sched's picture, which is the same afterwards: it runs the round as it
 * would run now and watches the job; then it runs it again for each change it tries, with the job
 * as it would be then. A change is shown only if that round started the job. Costs one round for
 * the explanation, and some twenty for the change; `stop` ends the search early.
 */
#ifndef SCHED_EXPLAIN_H
#define SCHED_EXPLAIN_H

#include "sched/sched.h"

/* What leaves a node out. A node is counted once, under the first of these that holds. */
enum sched_excluder {
	EXCLUDED_DOWN = 1,  /* down, drained, silent */
	EXCLUDED_LIST,      /* not on its list of nodes, or on the one to avoid */
	EXCLUDED_LABEL,     /* what: the selector */
	EXCLUDED_TAINT,     /* what: the taint */
	EXCLUDED_TOO_SMALL, /* what: the resource it has too little of at all */
	EXCLUDED_BUSY,      /* what: the resource it has too little of now */
	EXCLUDED_OCCUPIED,  /* wanted whole, and something runs there; or given whole to another */
	EXCLUDED_RESERVED,  /* held for the gang with the reservation */
};
struct sched_exclusion {
	enum sched_excluder by;
	const char *
		what; /* "gpu=a100", "maint:NoSchedule", "memory"; NULL where there is nothing to say */
	uint32_t nodes;
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
	CHANGE_TIME, /* a shorter time limit, so that it may go before the reservation: amount in us */
	CHANGE_SHARE_NODE, /* not exclusive */
	CHANGE_UNIFORMITY, /* without the label that all members must share */
	CHANGE_RELEASE,    /* it is held */
};
struct sched_change {
	enum sched_change_kind kind;
	size_t resource, index;
	int64_t amount;
	const char *name;
	const char *text;   /* "ask for 12 GiB of memory instead of 16 GiB" */
	const char *option; /* of asubmit: "--mem=12G"; NULL where there is none */
};

/* Everything in it lives in its arena. */
struct sched_explanation {
	struct arena *arena;
	enum sched_why why;                 /* WHY_NONE: it starts in the next round */
	const char *text;                   /* one line, with its numbers */
	uint32_t nodes;                     /* that are known */
	uint32_t fitting;                   /* that could take a member now */
	struct sched_exclusion *exclusions; /* most nodes first */
	size_t exclusion_count;
	const char *nearest, *nearest_lacks; /* the node, and "2 cpu, 4G memory"; NULL: none */
	struct sched_share share; /* of its queue, as the round began; queue NULL: took no part */
	uint64_t place, of;       /* among the ready jobs of its queue, from 1; 0: not ready */
	uint64_t before;          /* gangs that the round tried before it, or before it ended */
	bool looked_at;
	int64_t expected_us; /* when it starts at the latest if all run to their limits; 0: not known */
	struct sched_change change; /* kind CHANGE_NONE: none found */
	uint32_t tried;             /* changes */
	bool cut;                   /* the budget ended the search */
};

/*
 * -ENOENT: no such job; -EALREADY: nothing of it waits. round: as for sched_run_round; its stop
 * bounds the search for a change, not the first round.
 */
int sched_explain(struct sched *s, uint64_t job, const struct sched_round *round,
		  struct sched_explanation *ret);
void sched_explanation_done(struct sched_explanation *e);

#endif

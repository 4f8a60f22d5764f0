/*
 * A simple implementation of a whole round. It shares no code with src/sched and follows the rules
 * alone. It sums the free resources of a node anew each time, makes the whole list of units that may
 * be displaced, and undoes a failed attempt by restoring a copy of the state.
 *
 * A unit is one element of a job: a gang of members in one or several parts; the members of a part
 * are equal. Unit u is element u % REF_ELEMENTS of job u / REF_ELEMENTS.
 */
#pragma once

#include "unit/sched/referee_quota.h"
#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	REF_NODES = 140,
	REF_QUEUES = 4,
	REF_JOBS = 64,
	REF_ELEMENTS = 4,
	REF_UNITS = REF_JOBS * REF_ELEMENTS,
	REF_MEMBERS = 6,
	REF_PARTS = 3,
	REF_CLASSES = 5,
	REF_SCAVENGE = REF_CLASSES, /* of units that scavenge: below all others */
	REF_DIMS = 4,               /* cpu, memory, gpu, fpga */
	REF_KEYS = 3,               /* of labels */
	REF_LISTED = 2,
	REF_NAME = 8,
	REF_TWINS = 2,
	REF_ASKED = 8, /* shapes for which a start is sought in a round */
	REF_USERS = 3,
	REF_COUNTS = 3 /* 0 to 2 elements that a gang may count as */
};

struct ref_taint {
	char key[REF_NAME], value[REF_NAME];
	bool soft; /* PreferNoSchedule */
};

struct ref_node {
	int64_t total[REF_DIMS];
	char labels[REF_KEYS][REF_NAME]; /* "": no such label */
	struct ref_taint taints[REF_LISTED];
	int taint_count;
	bool present, up;
	int order[REF_TWINS]; /* the order of declaration */
};

struct ref_class {
	int64_t priority;
	bool fair, urgent;
	double limit[REF_DIMS]; /* of a queue, as a fraction of the cluster; negative: none */
};

struct ref_queue {
	double factor;
	bool cordoned;
	double limit[REF_DIMS];
	struct ref_quota quota, user_quota; /* of all its jobs; of each user */
	struct ref_own {
		bool said;
		double of[REF_DIMS];
	} own[REF_CLASSES]; /* limits of classes in the queue */
};

struct ref_selector {
	int key;
	char value[REF_NAME]; /* "": any */
	bool negate;
};
struct ref_toleration {
	char key[REF_NAME], value[REF_NAME]; /* key "": all */
	bool exists;
};

struct ref_part {
	int64_t request[REF_DIMS];
	int class, members, min; /* min: of these members, placed first; 0: none */
	struct ref_selector selectors[REF_LISTED];
	struct ref_toleration tolerations[REF_LISTED];
	int include[REF_LISTED],
		exclude[REF_LISTED]; /* nodes; REF_NODES: a node that never exists */
	int selector_count, toleration_count, include_count, exclude_count;
};

struct ref_shape {
	struct ref_part parts[REF_PARTS];
	int part_count, members, min;
	bool distinct, exclusive;
	int uniform; /* label; -1: none */
};

enum ref_state { REF_NONE, REF_WAITS, REF_RUNS };

struct ref_unit {
	enum ref_state state;
	int64_t start, limit;     /* limit: lowered for its start; 0: that of the job */
	int nodes[REF_MEMBERS];   /* -1: the member does not run */
	bool yields[REF_MEMBERS]; /* it is being ended: it counts only for absolute limits */
	int elements;             /* remaining members of a gang of jobs */
	/* The unit that it was last displaced for, from 1; 0: none. Links are followed (ref_spares). */
	int spares;
	bool pinned;
};

struct ref_job {
	bool present, held;
	int queue, shape, throttle;
	int64_t priority, submit, limit, least; /* 0: none */
	int user, account;                      /* from 1; 0: none */
	int elements; /* number of elements that a unit counts as for limits of running jobs */
	/* it has nodes only beside jobs of its user; it replaces a task, so no absolute limit applies */
	bool keeps, replacement;
	int turn; /* 1, 2 ...: the first, second ... extra task of a running job; 0: none */
};

enum ref_preempt { REF_NOBODY, REF_URGENCY, REF_FAIRSHARE };
enum ref_select { REF_BINPACK, REF_QUEUEPACK, REF_SPREAD };
struct ref_rate {
	double rate, burst; /* burst 0: none */
};

struct ref_policy {
	enum ref_preempt preempt;
	enum ref_select select;
	bool asset; /* else drf */
	double counts
		[REF_DIMS]; /* multipliers of drf, or the worth of a core, a GiB or another unit */
	bool prefer_large, partial, backfill;
	double protected_fraction;
	int jobs_per_round, lookback; /* 0: none */
	double per_round[REF_DIMS];
	struct ref_rate rate, queue_rate, preempt_rate;
};

/* Tokens that are left. */
struct ref_purse {
	double all, preempt, queues[REF_QUEUES];
	int64_t filled_us;
	bool filled;
};

struct ref {
	struct ref_policy policy;
	struct ref_class classes[REF_CLASSES + 1];
	struct ref_queue queues[REF_QUEUES];
	struct ref_node nodes[REF_NODES];
	struct ref_shape shapes[REF_JOBS];
	struct ref_job jobs[REF_JOBS];
	struct ref_unit units[REF_UNITS];
	/* of each user in all queues; of a named user; of an account; of each user in it */
	struct ref_quota user_quota, named[REF_USERS + 1], accounts[REF_ACCOUNTS + 1],
		each[REF_ACCOUNTS + 1];
	int node_count, shape_count, job_count;
};
struct ref_round {
	int twin; /* the scheduler whose order of nodes is used */
	int64_t now_us;
	int budget;       /* starts until the time budget ends; -1: no end */
	const bool *lots; /* by unit: its node was selected for eviction; NULL: all nodes */
};

struct ref_shares {
	double total[REF_DIMS], fair[REF_QUEUES], capped[REF_QUEUES], cost[REF_QUEUES];
	bool active[REF_QUEUES];
};

struct ref_result {
	struct buf text; /* the decisions in the format of contest_text */
	struct ref_shares shares;
	bool tie;  /* a choice between equal nodes depended on their order */
	bool near; /* a comparison of costs or scores depended on rounding */
	bool cut;
	bool reserved; /* a gang holds a reservation */
	int held;      /* number of units that the reservation holds back */
	int dropped;   /* number of units that were started and displaced in the round */
};

/* Computes one round. The world is not changed; tokens are taken from the purse. */
void ref_round(const struct ref *w, const struct ref_round *in, struct ref_purse *purse,
	       struct ref_result *ret);

static inline const struct ref_shape *ref_shape(const struct ref *w, int unit)
{
	return &w->shapes[w->jobs[unit / REF_ELEMENTS].shape];
}
/* The part that a member belongs to. */
const struct ref_part *ref_part(const struct ref *w, int unit, int member);
/* Of the classes of its parts: the least urgent priority, for its place; the most urgent, to displace. */
int64_t ref_priority(const struct ref *w, int unit);
int64_t ref_most_urgent(const struct ref *w, int unit);
/* Whether all members may be preempted for fair share, or by a more urgent unit; whether it scavenges. */
bool ref_fair(const struct ref *w, int unit);
bool ref_urgent(const struct ref *w, int unit);
bool ref_scavenges(const struct ref *w, int unit);
/* Whether the constraints of the part allow this node. */
bool ref_suits(const struct ref *w, const struct ref_part *part, int node);

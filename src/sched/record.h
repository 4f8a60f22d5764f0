/*
 * The records that a sched holds in its arrays; world.h says how they hang together, trace.h what a
 * round adds to them. Private to src/sched and its tests.
 */
#ifndef SCHED_RECORD_H
#define SCHED_RECORD_H

#include "sched/lane.h"
#include "sched/roster.h"
#include "sched/sched.h"
#include "sched/tenant.h"
#include "util/rangeset.h"

/* Why something waits: from the catalogue, and in words. */
struct reason {
	enum sched_why why;
	const char *text;
};

struct job {
	uint64_t id;
	int64_t priority, submit_us, lasts_us; /* at most, with grace; 0: for ever */
	union {
		struct rangeset *set; /* waiting elements, when they are more than one range */
		struct {
			uint32_t first, last; /* otherwise; first > last: nothing waits */
		};
	};
	uint32_t lane;
	uint32_t tenant;          /* NIL: nobody's */
	uint32_t left, right, up; /* in the tree of ready jobs */
	uint32_t shortest;        /* of those below it there and itself, by lasts_us; NIL: none */
	uint32_t grace_ms;
	uint32_t running, throttle;
	uint32_t reason;     /* hash of the last one given, with REASON_* bits; 0: none */
	uint16_t tasks_each; /* of a member; UINT16_MAX: that many or more */
	bool many : 1;       /* set is */
	bool held : 1, ready : 1, noted : 1;
};

/* Which kinds of node will do: worked out once for each kind that there is. */
struct kinds_taken {
	uint64_t bits;          /* bit k % 63 for kind k */
	uint64_t *set;          /* exact, once there are more kinds than bits */
	uint32_t seen;          /* kinds looked at so far */
	struct freest {         /* which of their nodes has most free of a resource */
		uint64_t at;    /* as of s->moves */
		uint32_t known; /* bits: of these resources */
		uint32_t nodes[SCHED_RESOURCES];
	} freest;
	/* round: what did not fit there, if the number is the round's */
	struct blocked_list *blocked;
	uint32_t blocked_round;
};

/* Selectors, tolerations and node lists; strings lie in the text. Keys share equal ones. */
struct constraint {
	uint32_t id, users;
	struct kinds_taken kinds;
	char *text;
	size_t len;
	struct sched_selector *selectors;
	struct sched_toleration *tolerations;
	const char **include, **exclude; /* behind what is excluded, what is avoided */
	size_t selector_count, toleration_count, include_count, exclude_count, avoid_count;
	const char *uniformity;
	/* The listed nodes of today, in index order of the nodes array; made anew when nodes change. */
	uint32_t *include_nodes, *exclude_nodes;
	size_t include_have, exclude_have;
	uint64_t nodes_version;
};

struct key {
	struct constraint *constraint; /* NULL: none */
	uint32_t *parts;               /* keys of members that are not alike; NULL: all are */
	int64_t *sum;                  /* of all members; NULL: there is one, and its request is */
	uint64_t blocked_epoch;        /* did not fit when this was the epoch */
	uint32_t members, min_members, part_count;
	uint32_t users;         /* lanes and tasks */
	uint32_t told;          /* the epoch when its reason was worked out */
	uint32_t blocked_round; /* round: does not fit any more */
	uint32_t held_round;    /* round: fits, but only for as long as the reservation lets it */
	uint32_t reason;        /* round: why, in s->key_reasons */
	uint16_t class;
	uint16_t top;      /* the highest level of a member */
	bool fair, urgent; /* every member may be displaced so */
	bool distinct, exclusive;
};

struct queue {
	char *name;
	double factor;
	double memory; /* the fairness plugin's own; where it lapses, as of this time */
	int64_t lapsed_us;
	double noted; /* what it was when it was last noted, if that was ever */
	int64_t noted_us;
	__int128 *demand; /* rows of classes: what waits */
	int64_t *used;    /* rows of classes: what runs */
	int64_t allocated[SCHED_RESOURCES];
	struct sched_fraction limit;
	struct sched_class_limit *own; /* limits of classes in this queue; names are its own */
	size_t own_count;
	struct sched_fraction *own_of; /* the same by class; NULL: none */
	struct most most, user_most;   /* of all its jobs; of those of each user */
	struct spending spending;
	uint32_t
		vacancies; /* jobs that stand for single tasks of what runs: limits are not for them */
	double tokens;
	int64_t filled_us;
	uint32_t jobs, tasks;
	struct roster roster;
	uint32_t *lanes; /* with a head */
	size_t lane_count, lane_cap;
	bool present, cordoned, has_note;
	uint32_t free_next; /* when the place is free */
	/* round */
	uint32_t row;
	struct stand {
		int64_t class_priority, priority, submit_us; /* of the job where it stands */
		uint64_t id;
		uint32_t lane;
	} * heap;
	size_t heap_count;
};

struct kind {
	struct sched_label *labels;
	struct sched_taint *taints;
	size_t label_count, taint_count;
	char *text;
	size_t len;
	uint32_t largest[SCHED_RESOURCES]; /* nodes of the kind; as of `measured` */
	uint32_t up;                       /* likewise: how many may be used */
};

/* The values of a label, in byte order, each with the kinds of node that have it. */
struct label_values {
	char *label;
	size_t kinds; /* how many there were then */
	struct label_value {
		const char *text;
		uint32_t kind;
	} * list;
	size_t count, cap;
};

struct node {
	char *name;
	uint32_t kind, order;
	uint32_t tasks;
	uint32_t exclusive; /* tasks that want the whole node */
	bool present, schedulable, counted;
	/* round */
	uint32_t saved;        /* in the list of saved nodes; NIL: untouched */
	uint32_t levels_saved; /* likewise */
	uint32_t reserved;     /* in the list of reserved nodes; NIL: no part of it */
	uint32_t mark;         /* the attempt that uses it */
	bool over;             /* holds more than it has */
	uint32_t copied;
	const char *copy; /* of the name, in the arena of the round `copied` */
	/* Of the gangs that the round `taken` started here: the first, and the most urgent. */
	uint32_t taken;
	uint32_t first, foremost;
};

struct task {
	uint32_t job, element, lane;
	uint32_t count;
	uint32_t one;      /* the node, when count is 1; NIL: that member does not run */
	uint32_t elements; /* that it counts as */
	uint32_t *many;    /* nodes, when count is more */
	int64_t *owed; /* of members that yield, and count under limits till the end; NULL: none */
	int64_t start_us;
	bool pinned; /* weighs as what may not be displaced */
};

/* A member with a time limit ends at this time at the latest. */
struct end {
	int64_t at_us;
	uint32_t task; /* NIL: started in this round */
	uint32_t part : 31;
	uint32_t firm : 1; /* weighs on every level */
};

/* Those of one node, by time. */
struct ends {
	struct end *list;
	uint32_t count, cap;
};

#endif

/*
 * What a sched holds. Private to src/sched and its tests.
 *
 * Everything lives in arrays and is named by a 32-bit index; NIL is none. Free places in an array
 * are chained. Vectors of resources stand in arrays beside, one row of `dims` numbers each.
 *
 *	job	one submitted job: its waiting elements, and whether it is ready (in its lane)
 *	lane	the jobs of one queue that have one key, ready ones in a tree in queue order
 *	key	what placing depends on; jobs with the same key fit or do not fit together
 *	kind	of node: the labels and taints that many nodes share
 *	task	a running element and its nodes
 *
 * A round changes nodes and lanes only in fields marked "round", or journals the change and takes
 * it back before it ends.
 */
#ifndef SCHED_WORLD_H
#define SCHED_WORLD_H

#include "sched/index.h"
#include "sched/map.h"
#include "sched/sched.h"
#include "util/buf.h"
#include "util/rangeset.h"
#include <armada/fairness.h>
#include <armada/order.h>
#include <armada/preempt.h>
#include <armada/select.h>

enum {
	REASON_GIVEN = 1,
	REASON_OF_KEY = 2,
	GROWN = 64,           /* nodes that gained room, remembered */
	RETELL = 64,          /* keys whose reason is worked out again in one round */
	RETELL_BEHIND = 1024, /* epochs */
};

struct job {
	uint64_t id;
	int64_t priority, submit_us, time_limit_us;
	struct rangeset *set; /* waiting elements, when they are more than one range */
	uint32_t first, last; /* the range otherwise; first > last: nothing waits */
	uint32_t lane;
	uint32_t left, right, up; /* in the tree of ready jobs */
	uint32_t running, throttle;
	uint32_t reason; /* hash of the last one given, with REASON_* bits; 0: none */
	bool held, ready, noted;
};

struct lane {
	uint32_t queue, key;
	uint32_t jobs; /* all of them, ready or not */
	uint32_t root; /* of the ready ones */
	uint32_t head; /* first of the ready ones */
	uint32_t at;   /* in the queue's list of lanes with a head */
	/* round: where it stands */
	uint32_t cursor; /* job */
	uint32_t taken;  /* elements of cursor */
	uint32_t range, next;
};

/* Selectors, tolerations and node lists; strings lie in the text. */
struct constraint {
	char *text;
	size_t len;
	struct sched_selector *selectors;
	struct sched_toleration *tolerations;
	const char **include, **exclude;
	size_t selector_count, toleration_count, include_count, exclude_count;
	const char *uniformity;
	/* The listed nodes of today, in index order of the nodes array; made anew when nodes change. */
	uint32_t *include_nodes, *exclude_nodes;
	size_t include_have, exclude_have;
	uint64_t nodes_version;
};

struct key {
	struct constraint *constraint; /* NULL: none */
	uint64_t kinds;                /* bit k % 63 for each kind of node that will do */
	uint64_t *kind_set;            /* exact, once there are more kinds than bits */
	uint32_t kinds_seen;           /* kinds looked at so far */
	uint32_t class, members, min_members;
	uint32_t users;         /* lanes and tasks */
	uint32_t told;          /* the epoch when its reason was worked out */
	uint64_t blocked_epoch; /* did not fit when this was the epoch */
	uint64_t blocked_round; /* round: does not fit any more */
	const char *text;       /* round: why */
	bool distinct, exclusive;
};

struct queue {
	char *name;
	double factor, memory;
	__int128 demand[SCHED_RESOURCES];
	int64_t allocated[SCHED_RESOURCES];
	uint32_t jobs, tasks;
	uint32_t *lanes; /* with a head */
	size_t lane_count, lane_cap;
	bool present, cordoned;
	uint32_t free_next; /* when the place is free */
	/* round */
	uint32_t *heap;
	size_t heap_count;
};

struct kind {
	struct sched_label *labels;
	struct sched_taint *taints;
	size_t label_count, taint_count;
	char *text;
	size_t len;
	uint32_t largest[SCHED_RESOURCES]; /* nodes of the kind; as of `measured` */
};

struct node {
	char *name;
	uint32_t kind, order;
	uint32_t tasks;
	uint32_t exclusive; /* tasks that want the whole node */
	bool present, schedulable, counted;
	/* round */
	uint32_t saved; /* in the list of saved nodes; NIL: untouched */
	uint64_t copied;
	const char *copy; /* of the name, in the arena of the round `copied` */
};

struct task {
	uint32_t job, element;
	uint32_t count;
	uint32_t one, *many; /* nodes: one when count is 1 */
	int64_t start_us;
};

struct saved {
	uint32_t node, tasks, exclusive;
};

struct sched {
	size_t dims;
	char **resources;
	struct sched_class *classes;
	size_t class_count;
	uint32_t sequence[SCHED_RESOURCES];
	struct armada_policy policy;
	const struct plugin *fairness_plugin, *order_plugin, *preempt_plugin, *select_plugin;
	const struct armada_fairness_ops *fairness;
	const struct armada_order_ops *order;
	const struct armada_preempt_ops *preempt;
	const struct armada_select_ops *select;
	void *fairness_handle, *order_handle, *preempt_handle, *select_handle;
	struct armada_order_traits order_traits;
	struct armada_preempt_traits preempt_traits;
	struct job *jobs;
	struct lane *lanes;
	struct key *keys;
	struct queue *queues;
	struct kind *kinds;
	struct node *nodes;
	struct task *tasks;
	size_t job_count, job_cap, lane_count, lane_cap, key_count, key_cap, queue_count, queue_cap;
	size_t kind_count, kind_cap, node_count, node_cap, task_count, task_cap;
	uint32_t job_free, lane_free, key_free, queue_free, node_free, task_free;
	struct map job_map, lane_map, key_map, queue_map, kind_map, node_map, task_map;
	int64_t *requests; /* of keys */
	size_t request_cap;
	int64_t *free, *total; /* of nodes */
	size_t free_cap, total_cap;
	struct index index;
	uint32_t node_order;    /* the next new node's */
	uint64_t nodes_version; /* names of nodes came or went */
	uint64_t epoch;         /* grows by one whenever a node may have more room than before */
	uint32_t grown[GROWN];  /* which node: at epoch % GROWN */
	uint64_t totals_version, measured; /* what nodes have at all */
	uint64_t rounds;
	__int128 capacity[SCHED_RESOURCES];
	uint32_t *ranked; /* queues by name */
	size_t ranked_count, ranked_cap;
	bool queues_changed;
	uint32_t *notes; /* jobs to say something about in the next round */
	size_t note_count, note_cap;

	/* round: kept to save allocations */
	struct saved *saved;
	int64_t *saved_free;
	size_t saved_count, saved_cap, saved_free_cap;
	uint32_t *journal; /* nodes given to the gang in hand */
	size_t journal_count, journal_cap;
	uint32_t *heap;
	size_t heap_cap;
	struct armada_order_head *heads;
	size_t heads_cap;
	struct sched_decision *decisions;
	struct sched_reason *reasons;
	size_t decision_cap, reason_cap;
	uint32_t retold;
	struct sched_work work;
};

#endif

/*
 * What a sched holds. Private to src/sched and its tests.
 *
 * Everything lives in arrays and is named by a 32-bit index; NIL is none. Free places in an array
 * are chained. Vectors of resources stand in arrays beside, one row of `dims` numbers each.
 *
 *	job	one submitted job: its waiting elements, and whether it is ready (in its lane)
 *	lane	the jobs of one queue that have one key, ready ones in a tree in queue order
 *	tenant	a user in a queue: what runs there of theirs
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
#include "sched/trace.h"
#include "util/buf.h"
#include <armada/fairness.h>
#include <armada/order.h>
#include <armada/preempt.h>
#include <armada/select.h>

enum {
	LEVEL_BLOCK = 16, /* few nodes, or the most of each resource is of different ones */
	REASON_GIVEN = 1,
	REASON_OF_KEY = 2,
	GROWN = 64,             /* nodes that gained room, remembered */
	RETELL = 64,            /* keys whose reason is worked out again in one round */
	RETELL_BEHIND = 1024,   /* epochs */
	RETELL_WORK = 1 << 17,  /* nodes looked at to tell again, in a round */
	NEAREST_WORK = 1 << 21, /* the same to tell which is nearest */
	RESERVE_TRIES = 8,      /* keys for which a start is sought in one round */
};

/* Of lanes: jobs that stand for a task of what runs already. */
#define WHO_VACANT (NIL - 1)

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
	struct user *users;
	struct tenant *tenants;
	struct kind *kinds;
	struct node *nodes;
	struct task *tasks;
	uint32_t *serials; /* of tasks: how many ended in that place */
	size_t serials_cap;
	size_t job_count, job_cap, lane_count, lane_cap, key_count, key_cap, queue_count, queue_cap;
	size_t kind_count, kind_cap, node_count, node_cap, task_count, task_cap;
	size_t user_count, user_cap, tenant_count, tenant_cap;
	uint32_t job_free, lane_free, key_free, queue_free, node_free, task_free, user_free,
		tenant_free;
	struct constraint_place {
		struct constraint *c;
		uint32_t next; /* when the place is free */
	} * constraints;
	size_t constraint_count, constraint_cap;
	uint32_t constraint_free;
	struct kinds_taken plain; /* by keys without a constraint */
	struct label_values values;
	struct map job_map, lane_map, key_map, queue_map, kind_map, node_map, task_map;
	struct map constraint_map, user_map, tenant_map;
	struct most user_most; /* of each user, in all queues together */
	uint32_t
		most_resource[MOST_KINDS]; /* which one a limit is about; NIL: none that is known */
	int64_t *requests;                 /* of keys: of one member */
	size_t request_cap;
	struct sched_limits limits;
	bool partial_gangs;
	double tokens, preempt_tokens;
	int64_t filled_us;
	bool filled;
	int64_t now_us;         /* of what is being told */
	char remembers_by[128]; /* whose numbers the queues' memories are: plugins change in place */
	/*
	 * Levels: level 0 is `free`; level 1 and up stand for the class priorities, least urgent
	 * first, and hold what a task of that priority could get by displacing whatever is less
	 * urgent and may be displaced. None when nobody is ever displaced.
	 */
	uint32_t level_count;
	uint32_t *class_level;
	int64_t *levels, *bounds;     /* of nodes; upper bounds of a few nodes each */
	bool *exact;                  /* of bounds: no more than that */
	uint32_t *slots, *slot_nodes; /* where a node stands in the blocks, and who stands there */
	size_t slots_cap, slot_nodes_cap;
	uint64_t misled; /* nodes looked at in vain since they were put in order */
	uint32_t misled_level;
	uint64_t blocks_sorted; /* when `moves` was this */
	size_t levels_cap, bounds_cap, exact_cap;
	struct ends *ends; /* of nodes */
	size_t ends_cap;
	uint64_t foreseen;     /* in all of them */
	uint64_t changes;      /* told, of nodes, of what runs, of policies; and keys that went */
	int64_t *free, *total; /* of nodes */
	size_t free_cap, total_cap;
	struct index index;
	uint32_t node_order;    /* the next new node's */
	uint64_t nodes_version; /* names of nodes came or went */
	uint64_t moves;         /* how often a node was taken from the index or put back */
	uint64_t epoch;         /* grows by one whenever a node may have more room than before */
	uint32_t grown[GROWN];  /* which node: at epoch % GROWN */
	uint64_t totals_version, measured; /* what nodes have at all */
	uint32_t rounds;
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
	bool levels_kept; /* all of them, in these two */
	int64_t *kept_levels, *kept_bounds;
	size_t kept_levels_cap, kept_bounds_cap;
	uint32_t *levels_saved;
	int64_t *levels_rows;
	size_t levels_saved_count, levels_saved_cap, levels_rows_cap;
	struct step *journal; /* of the gang in hand */
	size_t journal_count, journal_cap;
	uint32_t *members; /* the nodes of its members; NIL: none */
	size_t member_count, member_cap;
	uint32_t mark;
	struct actor *actors;
	size_t actor_count, actor_cap;
	uint32_t actors_running; /* the first so many; the others were started in this round */
	bool any_over;           /* is there a node that holds more than it has? */
	size_t evicted_count;    /* of them, now */
	struct running_rows running;
	struct round *in_hand;
	uint32_t *gone; /* actors that lost their nodes, in that order */
	size_t gone_cap;
	uint32_t *table; /* evicted actors, in the order in which they would be put back */
	size_t table_count, table_cap;
	int64_t *avail; /* of nodes, in the walk that their stamp names */
	uint32_t *stamps;
	bool *allowed;
	size_t avail_cap, stamp_cap, allowed_cap;
	uint32_t stamp;
	/* For a plugin that scores: nodes shown to it, and what the row in hand uses of nodes. */
	uint32_t *shown;
	int64_t *shown_rows;
	double *scores;
	size_t shown_cap, shown_rows_cap, scores_cap;
	struct arena *round_arena;
	int64_t **uses; /* by row; rows of nodes, made when first wanted */
	uint32_t row_in_hand;
	bool bad_score;
	struct armada_order_head *heads;
	size_t heads_cap;
	struct sched_decision *decisions;
	struct sched_reason *reasons;
	size_t decision_cap, reason_cap;
	struct reason *key_reasons; /* of keys: the first is none */
	size_t key_reason_count, key_reason_cap;
	uint32_t retold;
	uint64_t nearest_work;        /* nodes looked at for reasons */
	struct blocked_list *blocked; /* all of the round, the latest first */
	uint32_t blocked_lists;
	struct fresh *fresh; /* started in this round, before anything was reserved */
	size_t fresh_count, fresh_cap;
	struct reserve reserve;
	struct sched_work work;
};

#endif

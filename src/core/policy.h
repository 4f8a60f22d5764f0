/*
 * The part of armada.conf that the core obeys.
 *
 * The shell makes one when it starts and whenever armada.conf is read again; core_new and INPUT_POLICY
 * borrow it until it is replaced. Times are in the units of their names; what 0 means is said where it is
 * not "none".
 */
#ifndef CORE_POLICY_H
#define CORE_POLICY_H

#include "conf/permit.h"
#include "sched/sched.h"

/* The longest lease that a job or a queue may ask for. */
enum { LEASE_MAX_S = 90 * 86400 };

/* A queue as armada.conf says it. Texts are as there, and have been checked. */
struct core_queue {
	const char *name;
	double factor;
	const char *const *owners, *const *group_owners;
	size_t owner_count, group_owner_count;
	const struct permit *permissions;
	size_t permission_count;
	const char *const *labels; /* "key=value" */
	size_t label_count;
	bool cordoned, says_cordoned; /* not said: it stays as it is */
	struct sched_fraction limit;
	const struct core_class_limit {
		const char *class_name;
		struct sched_fraction limit;
	} * class_limits;
	size_t class_limit_count;
	struct most most, user_most;        /* of all its jobs; of those of each user in it */
	int64_t default_time_s, max_time_s; /* 0: none */
	int64_t lease_s;                    /* 0: as all */
	const char *default_class;          /* NULL or "": the cluster's */
	uint32_t has_default; /* resources of which a task has a default: 1 << number */
	int64_t default_amount[SCHED_RESOURCES];
};

struct core_policy {
	const char *cluster;
	const uint32_t *admin_uids;
	size_t admin_count;
	const uint32_t *admin_gids;
	size_t admin_gid_count;
	const struct permit *permissions; /* in all queues */
	size_t permission_count;
	bool private; /* jobs are seen by those alone who may watch them */
	uint32_t min_uid;
	bool allow_root_jobs;
	int64_t heartbeat_us, node_timeout_us, lease_us;
	int64_t lease_margin_us; /* how much longer than the node the controller waits */
	int64_t avoid_us;        /* a job avoids the node that failed it for so long */
	bool fence;              /* there is a program for EFFECT_FENCE */
	int64_t fence_after_us;  /* of silence */
	uint32_t drain_after;    /* jobs in a row that a node failed to start; 0: never */
	uint32_t max_requeues;   /* after failures; 0: as shipped */
	bool closed;             /* only the nodes below may join */
	const struct core_node {
		const char *name;
		int64_t cpu_milli, memory_bytes, gpus;     /* at least; 0: any */
		const char *const *labels, *const *taints; /* as in armada.conf */
		size_t label_count, taint_count;
	} * nodes;
	size_t node_count;
	int64_t default_cpu_milli, default_memory_per_cpu, default_time_limit_us, default_grace_us;
	const char *default_output, *default_array_output, *default_class;
	int64_t max_script_bytes, max_env_bytes, max_args_bytes;
	int64_t max_array_elements, max_tasks, max_jobs_per_request, max_jobs;
	int64_t max_grace_us, max_time_limit_us, submit_key_us;
	bool user_queues;
	struct core_queue user_queue;   /* what they are like; name and owners are the user's */
	struct most user_most;          /* of each user in the whole cluster ... */
	const struct sched_user *users; /* ... but for these, sorted by name */
	size_t user_count;
	struct sched_limits limits; /* of rounds */
	int64_t share_interval_us;  /* queues' shares are noted no more often; 0: never */
	bool hold_impossible;       /* what no node could hold waits instead of being refused */
	const struct sched_class *classes;
	size_t class_count;
	const struct core_class_times {
		int64_t default_s, max_s; /* 0: none */
	} * class_times;                  /* of each class; NULL: none has any */
	const struct core_queue *queues;  /* declared: made or updated when the policy is taken */
	size_t queue_count;
};

#endif

/*
 * The part of armada.conf that the core obeys.
 *
 * The shell makes one when it starts and whenever armada.conf is read again; core_new and INPUT_POLICY
 * borrow it until it is replaced. Times are in the units of their names; what 0 means is said where it is
 * not "none".
 */
#pragma once

#include "conf/permit.h"
#include "conf/types.h"
#include "proto/msg.h"
#include "sched/sched.h"

/* The longest lease that a job or a queue may ask for. */
enum { LEASE_MAX_S = 90 * 86400 };

/* What a specification in a table of the program begins with; the members that are said follow. */
#define QUEUE_SPEC_BEGIN                                                                           \
	.base = PROTOBUF_C_MESSAGE_INIT(&armada__queue_spec__descriptor),                          \
	.default_class = (char *)protobuf_c_empty_string

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
	int64_t lease_margin_us;       /* how much longer than the node the controller waits */
	int64_t avoid_us;              /* a job avoids the node that failed it for so long */
	bool fence;                    /* there is a program for EFFECT_FENCE */
	int64_t fence_after_us;        /* of silence */
	uint32_t drain_after;          /* jobs in a row that a node failed to start; 0: never */
	uint32_t max_requeues;         /* after failures; 0: as shipped */
	bool closed;                   /* only the nodes below may join */
	const struct conf_node *nodes; /* what is expected of each, at least; 0: any */
	size_t node_count;
	int64_t default_cpu_milli, default_memory_per_cpu, default_time_limit_us, default_grace_us;
	const char *default_output, *default_array_output, *default_class;
	int64_t max_script_bytes, max_env_bytes, max_args_bytes;
	int64_t max_array_elements, max_tasks, max_jobs_per_request, max_jobs;
	int64_t max_grace_us, max_time_limit_us, submit_key_us;
	/* What a queue of a user's own is like, but for its name and owners; NULL: users get none. */
	const Armada__QueueSpec *user_queue;
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
	/*
	 * Declared: made or updated when the policy is taken. What armada.conf says of them, as said in an
	 * update; a cordon that is not said stays as it is.
	 */
	const Armada__QueueSpec *queues;
	size_t queue_count;
};

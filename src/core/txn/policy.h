/*
 * The part of armada.conf that the core uses.
 *
 * The shell makes a policy at its start and each time armada.conf is read again; core_new and
 * INPUT_POLICY borrow it until it is replaced. The units of times are in their names. 0 means
 * "none" unless a comment says otherwise.
 */
#pragma once

#include "conf/permit.h"
#include "conf/types.h"
#include "proto/msg.h"
#include "sched/sched.h"

/* The longest lease that a job or a queue may ask for. */
enum { LEASE_MAX_S = 90 * 86400 };

/* The first members of a specification in a table of the program; other members may follow. */
#define QUEUE_SPEC_BEGIN                                                                           \
	.base = PROTOBUF_C_MESSAGE_INIT(&armada__queue_spec__descriptor),                          \
	.default_class = (char *)protobuf_c_empty_string

/* The users who may ask for something, besides administrators; not restricted: everybody. */
struct core_people {
	bool restricted;
	const char *const *users, *const *groups;
	size_t user_count, group_count;
};

struct core_policy {
	const char *cluster;
	const uint32_t *admin_uids;
	size_t admin_count;
	const uint32_t *admin_gids;
	size_t admin_gid_count;
	uint32_t controller_uid;
	const struct permit *permissions; /* for all queues */
	size_t permission_count;
	bool private; /* only callers with the right to watch a job see it */
	uint32_t min_uid;
	bool allow_root_jobs;
	int64_t heartbeat_us, node_timeout_us, lease_us;
	int64_t usage_us; /* how often a node reports what its running tasks have used; 0: never */
	int64_t lease_margin_us; /* the controller waits this much longer than the node */
	bool mails;              /* mail can be sent */
	int64_t avoid_us;        /* how long a job avoids a node that failed it */
	bool fence;              /* a fence program is configured */
	int64_t fence_after_us;  /* duration of silence before fencing */
	/* drain after this many failed starts in a row; 0: never */
	uint32_t drain_after;
	uint32_t max_requeues; /* after failures; 0: the built-in default */
	/* before the second restart after failures of the job's own, doubled for each more; 0: none */
	int64_t restart_pause_us, restart_pause_max_us;
	bool closed;                   /* only the nodes listed below may register */
	const struct conf_node *nodes; /* minimum resources of each node; 0: any */
	size_t node_count;
	int64_t default_cpu_milli, default_memory_per_cpu, default_time_limit_us, default_grace_us;
	const char *default_output, *default_array_output, *default_class;
	int64_t max_script_bytes, max_env_bytes, max_args_bytes;
	int64_t max_array_elements, max_tasks, max_jobs_per_request, max_jobs;
	/* core/admission/bounds.h */
	int64_t max_output_reads_of_user, max_output_reads, output_read_us;
	int64_t max_steps_of_job, max_step_tasks, max_ended_steps_of_job, max_ended_steps;
	int64_t max_waits_of_conn, max_waits_of_user, max_waits;
	int64_t max_jobs_of_user;
	int64_t max_stored_of_user, max_stored; /* bytes */
	int64_t max_keys_of_user, max_keys;     /* submission keys */
	int64_t max_sets_of_user, max_sets;     /* job sets without jobs */
	int64_t max_tokens_of_user, max_tokens;
	int64_t max_grace_us, max_time_limit_us, submit_key_us;
	/* Template of a user's own queue, without name and owners; NULL: users get no queue. */
	const Armada__QueueSpec *user_queue;
	struct quota user_quota;        /* limits of each user in the whole cluster ... */
	const struct sched_user *users; /* ... except these users, sorted by name */
	size_t user_count;
	const struct conf_floating *floating; /* resources of the cluster */
	size_t floating_count;
	struct sched_limits limits; /* limits of a scheduling round */
	/* shortest interval between notes of queue shares; 0: never */
	int64_t share_interval_us;
	/* a job that no node could hold waits instead of being refused */
	bool hold_impossible;
	int64_t gang_timeout_us; /* 0: never */
	const struct sched_class *classes;
	size_t class_count;
	bool classes_listed; /* armada.conf has priority_classes */
	const struct core_class {
		int64_t default_s, max_s; /* run times; 0: none */
		struct core_people people;
	} * class_rules;                      /* parallel to classes; NULL: none */
	const struct sched_account *accounts; /* sorted by name; none: jobs may name any */
	size_t account_count;
	const struct core_account {
		struct core_people people;
		const char *const *default_for; /* these users may name it, too */
		size_t default_count;
	} * account_rules;    /* parallel to accounts */
	bool require_account; /* refuse jobs without an account */
	/*
	 * Declared queues: made or updated when the policy takes effect. Each has the fields that
	 * armada.conf sets, as in an update request. If armada.conf does not set a cordon, the
	 * cordon stays as it is.
	 */
	const Armada__QueueSpec *queues;
	size_t queue_count;
};

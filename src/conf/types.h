/*
 * The entries of the lists of armada.conf: priority classes, queues, users, accounts, nodes, plugins.
 * The rows of conf/tables.c fill them in. They belong to their conf.
 */
#pragma once

#include "conf/node_table.h"
#include "conf/queue_table.h"
#include <armada/option.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A resource besides cpu, memory and gpu (conf/resource_table.h). */
struct conf_resource {
	const char *name;
	const char *unit; /* count or size */
};

/* A gateway, which may vouch for users. */
struct conf_gateway {
	const char *name; /* of its user */
	const char *const *users, *const *groups;
	size_t user_count, group_count;
};

/* A target that is notified of each end. */
struct conf_notify {
	const char *name, *plugin, *target;
	int64_t timeout_us;
};

/* A resource of the cluster, not of a node. */
struct conf_floating {
	const char *name;
	int64_t total;
	const struct armada_option_pair *queues; /* what is reserved for a queue */
	size_t queue_count;
	const char *source; /* the program that says what others use; "": none */
	int64_t source_interval_us, source_timeout_us, source_keep_us;
};

struct conf_class {
	const char *name;
	int64_t priority;
	bool preemptible; /* sets the next two, unless these are set themselves */
	bool fair_share_preemptible, urgency_preemptible;
	const struct armada_option_pair *max_fraction_per_queue;
	size_t max_fraction_count;
	int64_t default_time_us, max_time_us; /* 0: none */
	/*
	 * The users who may ask for the class besides administrators. Both NULL: everybody. A list
	 * that is not NULL may be empty.
	 */
	const char *const *users, *const *groups;
	size_t user_count, group_count;
};

/* Absolute limits as written in armada.conf (conf/quota.h). */
struct conf_quota {
	struct armada_option_value of[QUOTA_KINDS]; /* by kind, as written */
	const char **resources;                     /* "fpga=4" */
	size_t resource_count;
};

struct conf_user {
	const char *name;
	struct conf_quota quota;
};

/* An account that jobs may name (asubmit --account). */
struct conf_account {
	const char *name;
	/*
	 * The users who may name it besides administrators and those of default_for. Both NULL:
	 * everybody. A list that is not NULL may be empty.
	 */
	const char *const *users, *const *groups;
	size_t user_count, group_count;
	const char *const *default_for; /* users whose jobs get it when they name none */
	size_t default_count;
	struct conf_quota quota, user_quota; /* of all its jobs; of those of each user in it */
};

struct conf_queue {
	const char *name;
	/* As written, by enum queue_index; queue_spec_of makes a QueueSpec from it. */
	struct armada_option_value values[QUEUE_FIELDS];
};

/*
 * The settings of a node: in armada.conf, which expects them, and on the command line of armd. 0 and NULL:
 * not set. Labels are "key=value", taints as in conf/taint.h.
 */
struct conf_node {
	const char *name;
	/* clang-format off */
#define MEMBER(member, ...) member
	NODE_TABLE(MEMBER)
#undef MEMBER
	/* clang-format on */
};

/* The chosen plugin of a kind, and its options; they are checked against the plugin's own table. */
struct conf_plugin {
	const char *name;
	struct armada_option_value *values; /* after conf_plugin_options */
	int line;
};

/*
 * What armada.conf names several of: priority classes, queues, users, nodes, plugins, as the rows of
 * conf/tables.c fill them in. Owned by the conf they are in.
 */
#pragma once

#include "conf/node_table.h"
#include "conf/queue_table.h"
#include <armada/option.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conf_class {
	const char *name;
	int64_t priority;
	bool preemptible; /* both of the next two, unless they are said themselves */
	bool fair_share_preemptible, urgency_preemptible;
	const struct armada_option_pair *max_fraction_per_queue;
	size_t max_fraction_count;
	int64_t default_time_us, max_time_us; /* 0: none */
};

/* Absolute limits as armada.conf says them (conf/most.h). */
struct conf_most {
	struct armada_option_value of[MOST_KINDS]; /* by kind, as written */
};

struct conf_user {
	const char *name;
	struct conf_most most;
};

struct conf_queue {
	const char *name;
	/* As written, by enum queue_index; conf/queue_spec.h makes a specification of it. */
	struct armada_option_value said[QUEUE_FIELDS];
};

/*
 * What is said of a node: by armada.conf, which expects it, and by the command line of armd. 0 and NULL: not
 * said. Labels are "key=value", taints as in conf/taint.h.
 */
struct conf_node {
	const char *name;
	/* clang-format off */
#define MEMBER(member, ...) member
	NODE_TABLE(MEMBER)
#undef MEMBER
	/* clang-format on */
};

/* Which plugin of a kind, and its options as written, to be checked against its own table. */
struct conf_plugin {
	const char *name;
	struct armada_option_value *values; /* after conf_plugin_options */
	int line;
};

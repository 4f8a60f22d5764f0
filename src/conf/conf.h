/*
 * armada.conf, checked and with its defaults filled in.
 *
 * Every key of the file is a row of an option table (conf/tables.c); the structs below are where
 * the rows put their values. A file is taken whole or refused whole, with file and line, what was
 * wrong and what would be accepted. A conf owns everything in it and does not change once loaded:
 * a reload makes a new one.
 */
#pragma once

#include "conf/types.h"
#include "util/buf.h"
#include <armada/plugin.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	CONF_PLUGIN_KINDS = 8, /* indexed by enum armada_plugin_kind */
	CONF_RESOURCES = 3,
};

/*
 * What a cluster counts, in the order of every vector: cpu, memory, gpu. One list for core and
 * scheduler: what only one of the two counts would be decided and refused for ever. Fixed, so that
 * neither a user's word nor the order of a log's records makes a name known.
 */
extern const char *const conf_resources[CONF_RESOURCES];
/* The place of a name of len bytes in the list; CONF_RESOURCES: it is not there. */
int conf_resource(const char *name, size_t len);

struct conf {
	char *file; /* as opened */

	const char *cluster;
	const char *const *controllers; /* "host:port" or "/path": dialled in this order */
	size_t controller_count;
	const char *listen; /* empty: the first of controllers */
	const char *controller_user, *agent_user;
	const char *const *admins, *const *admin_groups;
	size_t admin_count, admin_group_count;
	const char *const *permissions; /* conf/permit.h; in all queues */
	size_t permission_count;
	bool private;
	const char *state_dir, *spool_dir, *run_dir, *plugin_dir;
	const char *log_level;

	struct {
		int64_t heartbeat_us, node_timeout_us, lease_us;
		int64_t lease_margin_us, avoid_us, fence_after_us, fence_timeout_us;
		bool auto_register;
		int64_t drain_after;
		const char *fence_program, *reboot_program; /* "": none */
		int64_t reconnect_max_us;
	} nodes;
	struct {
		int64_t cycle_period_us, max_round_us, share_interval_us;
		const char *default_class;
		/* 0 or empty: no limit */
		int64_t max_jobs_per_round, burst, queue_burst, queue_lookback;
		double rate, queue_rate;
		const struct armada_option_pair *max_fraction_per_round;
		size_t max_fraction_count;
		bool hold_impossible;
	} scheduler;
	struct {
		int64_t cpu_milli, memory_per_cpu_bytes, time_limit_us, grace_us;
		const char *output; /* "armada-%j.out", arrays: "armada-%A_%a.out" */
		const char *array_output;
		const char *propagate; /* of util/rlimits.h */
	} defaults;
	struct {
		int64_t script_bytes, env_bytes, args_bytes;
		int64_t array_elements, tasks_per_job, jobs_per_request;
		int64_t jobs_in_memory;
		int64_t max_grace_us, max_time_limit_us; /* 0: none */
		int64_t max_requeues;
		int64_t submit_key_us;
		int64_t conns_per_uid, requests_per_second, requests_burst;
	} limits;
	struct {
		bool enabled;
		struct conf_queue like; /* the rows that make sense of it */
	} user_queues;
	struct conf_most user_limits; /* of each user in the whole cluster */
	struct {
		int64_t min_uid;
		bool allow_root_jobs;
		const char *groups; /* "both" or "controller" */
	} security;

	struct {
		const char *const *health_check, *const *prolog, *const *epilog;
		const char *const *task_prolog, *const *task_epilog;
		size_t health_check_count, prolog_count, epilog_count;
		size_t task_prolog_count, task_epilog_count;
		int64_t health_interval_us, health_timeout_us, timeout_us, task_timeout_us;
		bool prolog_drains, epilog_drains;
	} hooks;

	struct conf_class *classes;
	size_t class_count;
	struct conf_queue *queues;
	size_t queue_count;
	struct conf_node *node_list;
	size_t node_count;
	struct conf_user *users; /* who has limits of their own */
	size_t user_count;
	struct conf_plugin plugins[CONF_PLUGIN_KINDS];

	void *priv; /* the parsed file and the memory of everything above */
};

/*
 * Read and check a file. NULL: $ARMADA_CONF, else the installed one. Plugin options are checked
 * later, by conf_plugin_options, because their tables are in the plugins.
 */
int conf_load(struct conf **ret_conf, const char *file, struct err *err);
/* The same from memory, for tests and fuzzers; name stands for the file in messages. */
int conf_parse(struct conf **ret_conf, const char *name, const char *text, struct err *err);
/* A file of queues = ( ... ) and nothing else: only those are there afterwards. */
int conf_parse_queues(struct conf **ret_conf, const char *name, const char *text, struct err *err);
void conf_free(struct conf *c);
/* All of a file as a string, for these: no more than they take, and no zero byte. */
int conf_read_text(int fd, const char *name, struct buf *out, struct err *err);

/*
 * Check the options of a kind's plugin against its table and fill conf->plugins[kind].values: one
 * for each row.
 */
int conf_plugin_options(struct conf *c, enum armada_plugin_kind kind,
			const struct armada_option *rows, size_t count, struct err *err);

/* The effective values in armada.conf syntax, defaults marked by a comment. */
void conf_show(const struct conf *c, struct buf *out);

/* The line of a key of the i-th group of a list; 0: it is not in the file. For lists of single names. */
int conf_line(const struct conf *c, const char *list, size_t i, const char *key);

/* What of them is said, as numbers. */
struct most;
void conf_most_take(const struct conf_most *from, struct most *ret);

/*
 * Check values given as JSON-like pairs against option rows (asim's policy options use the same
 * tables): one value from its text, as in the file.
 */
int option_parse(const struct armada_option *row, const char *text,
		 struct armada_option_value *ret_value, struct err *err);

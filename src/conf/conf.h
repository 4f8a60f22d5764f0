/*
 * armada.conf, checked and with its defaults filled in.
 *
 * Every key of the file is a row of an option table (conf/tables.c); the rows store their values in the
 * structs below. A file is accepted or refused as a whole; an error has the file, the line, the defect and
 * the accepted form. A conf owns all its values and does not change after it is loaded: a reload makes a new
 * one.
 */
#pragma once

#include "conf/resource_table.h"
#include "conf/types.h"
#include "util/buf.h"
#include <armada/plugin.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	CONF_PLUGIN_KINDS = 8, /* indexed by enum armada_plugin_kind */
};

struct conf {
	char *file; /* as opened */

	const char *cluster;
	const char *const *controller_list;  /* as written: "[NAME=]ADDRESS" */
	const char *const *controllers;      /* "host:port" or "/path": dialled in this order */
	const char *const *controller_names; /* one for each of them */
	size_t controller_count;
	size_t self;        /* armctld: its place in controllers ... */
	const char *name;   /* ... and its name; NULL: conf_take_name was not called */
	const char *listen; /* empty: its own of controllers */
	const char *controller_user, *agent_user;
	bool trust_kernel;
	const char *const *admins, *const *admin_groups;
	size_t admin_count, admin_group_count;
	const char *const *permissions; /* conf/permit.h; for all queues */
	size_t permission_count;
	bool private;
	bool require_account; /* see accounts */
	const char *state_dir, *spool_dir, *run_dir, *plugin_dir;
	const char *cpu_containment; /* bind, quota or weight */
	const char *cpu_lock;        /* "": armd chooses the file */
	const char *log_level, *log_format;
	const char *mail_program; /* "": no mail is sent */
	const char *arun_ports;   /* conf/port_range.h; "": the system chooses */

	struct {
		int64_t heartbeat_us, node_timeout_us, lease_us, usage_us;
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
		int64_t gang_timeout_us;
	} scheduler;
	struct {
		int64_t cpu_milli, memory_per_cpu_bytes, time_limit_us, grace_us;
		const char *output; /* "armada-%j.out", arrays: "armada-%A_%a.out" */
		const char *array_output;
		const char *propagate; /* of util/rlimits.h */
	} defaults;
	struct conf_limits {
		int64_t script_bytes, env_bytes, args_bytes;
		int64_t array_elements, tasks_per_job, jobs_per_request;
		int64_t jobs_in_memory, jobs_per_user;
		int64_t stored_per_user, stored_total; /* bytes */
		int64_t history_backlog;               /* bytes */
		int64_t submit_keys_per_user, submit_keys;
		int64_t job_sets_per_user, job_sets;
		int64_t tokens_per_user, tokens;
		int64_t watches_per_conn, watches_per_user, watches, event_memory;
		int64_t max_grace_us, max_time_limit_us; /* 0: none */
		int64_t max_requeues, restart_pause_us, restart_pause_max_us;
		int64_t submit_key_us;
		int64_t waits_per_conn, waits_per_user, waits;
		int64_t output_reads_per_user, output_reads, output_read_timeout_us;
		int64_t steps_per_job, step_tasks, ended_steps_per_job, ended_steps;
		int64_t conns, conns_per_uid, requests_per_second, requests_burst;
		int64_t output_per_connection, output_per_user, output_total, output_timeout_us;
		int64_t commit_per_user;
		int64_t handshakes_per_address, handshakes;
		int64_t large_requests_per_user, large_requests;
		int64_t log_lines;
	} limits;
	struct {
		bool enabled;
		struct conf_queue template; /* only the rows with TEMPLATE */
	} user_queues;
	struct conf_quota user_limits; /* of each user in the whole cluster */
	struct {
		const char *listen, *socket, *tls_certificate, *tls_key; /* "": none */
		int64_t rate, burst, sessions, streams, streams_per_user, connections;
		int64_t body_bytes, timeout_us;
	} rest;
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
		const char **discover;
		size_t discover_count;
		int64_t discover_timeout_us;
		int64_t health_interval_us, health_timeout_us, timeout_us, task_timeout_us;
		bool prolog_drains, epilog_drains;
	} hooks;

	struct conf_resource *resources; /* besides cpu, memory and gpu */
	size_t resource_count;
	struct conf_floating *floating; /* resources of the cluster */
	size_t floating_count;
	struct conf_class *classes;
	size_t class_count;
	struct conf_queue *queues;
	size_t queue_count;
	struct conf_node *node_list;
	size_t node_count;
	struct conf_user *users; /* users with limits of their own */
	size_t user_count;
	struct conf_account *accounts; /* none: jobs may name any */
	size_t account_count;
	struct conf_gateway *gateways; /* none: nobody vouches for others */
	size_t gateway_count;
	struct conf_notify *notify;
	size_t notify_count;
	struct conf_plugin plugins[CONF_PLUGIN_KINDS];

	void *priv; /* the parsed file and the memory of everything above */
};

/*
 * Read and check a file. NULL: $ARMADA_CONF, else the installed file. Plugin options are checked later
 * by conf_plugin_options, because their tables are in the plugins.
 */
int conf_load(struct conf **ret_conf, const char *file, struct err *err);
/* The same from memory, for tests and fuzzers; name stands for the file in messages. */
int conf_parse(struct conf **ret_conf, const char *name, const char *text, struct err *err);
/* Read a file with queues = ( ... ) and nothing else; all other members of the result are empty. */
int conf_parse_queues(struct conf **ret_conf, const char *name, const char *text, struct err *err);
void conf_free(struct conf *c);
/* Read a whole file as a string, up to CONF_TEXT_MAX and without zero bytes. */
int conf_read_text(int fd, const char *name, struct buf *out, struct err *err);

/*
 * Check the options of a kind's plugin against its table and fill conf->plugins[kind].values: one
 * for each row.
 */
int conf_plugin_options(struct conf *c, enum armada_plugin_kind kind,
			const struct armada_option *rows, size_t count, struct err *err);

/* True if the file has priority_classes. */
bool conf_lists_classes(const struct conf *c);
/*
 * For a cluster whose state was made when Armada shipped other classes: unless the file has
 * priority_classes, replace the shipped classes by the old ones, and check the rules again.
 */
int conf_keep_old_classes(struct conf *c, struct err *err);

/*
 * The effective values in armada.conf syntax, defaults marked by a comment; changed: only the values
 * that the file sets.
 */
void conf_show(const struct conf *c, bool changed, struct buf *out);
/* For --show-config[=all|changed]: whether only the values that the file sets are wanted. NULL: all. */
int conf_show_read(const char *value, bool *ret_changed, struct err *err);

/* The line of a key of the i-th group of a list; 0: not in the file. Not for lists with host lists. */
int conf_line(const struct conf *c, const char *list, size_t i, const char *key);

/* The limits that are set, as numbers. */
struct quota;
void conf_quota_take(const struct conf_quota *from, struct quota *ret);

/*
 * Parse and check one value from its text, by an option row. asim uses this for its policy options,
 * which have the same tables.
 */
int option_parse(const struct armada_option *row, const char *text,
		 struct armada_option_value *ret_value, struct err *err);

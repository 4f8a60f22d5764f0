/*
 * Makes the core's policy from armada.conf (policy.h). Input: a configuration. Output: limits, uids
 * and gids of administrators, classes (policy_class.c), queues and users (policy_queue.c). Lookups of
 * names may block. At startup an unknown administrator only produces a warning; a directory that does not
 * answer is an error.
 */
#include "armctld/policy.h"
#include "armctld/policy_class.h"
#include "armctld/policy_queue.h"
#include "armctld/user_database.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/*
 * At startup an unknown name only produces a warning; a directory that does not answer is an error.
 */
static int admin_missing(const struct policy *p, int rc, const struct conf *conf, const char *key,
			 struct err *err)
{
	if (rc < 0)
		err_prefix(err, rc, "%s: %s", conf->file, key);
	if (rc != -ENOENT || !p->starting)
		return rc;
	log_warn("%s", err->text);
	return 0;
}

/* Append ids after the first *count. */
static int take_ids(const struct policy *p, const struct conf *conf, bool group, uint32_t *ids,
		    size_t *count, struct err *err)
{
	const char *const *names = group ? conf->admin_groups : conf->admins;
	size_t name_count = group ? conf->admin_group_count : conf->admin_count;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < name_count; i++) {
		rc = user_database_id(group, names[i], &ids[*count], err);
		*count += rc == 0;
		rc = admin_missing(p, rc, conf, group ? "admin_groups" : "admins", err);
	}
	return rc;
}

/*
 * root and the user of armctld are always administrators, because they can change the state files
 * anyway.
 */
static int take_admins(struct policy *p, const struct conf *conf, struct err *err)
{
	uint32_t *uids = arena_zalloc(p->arena, conf->admin_count + 2, sizeof(*uids));
	uint32_t *gids = arena_zalloc(p->arena, conf->admin_group_count + 1, sizeof(*gids));
	size_t users = 0, groups = 0;
	int rc;

	uids[users++] = 0;
	uids[users++] = geteuid();
	rc = take_ids(p, conf, false, uids, &users, err);
	if (rc == 0)
		rc = take_ids(p, conf, true, gids, &groups, err);
	p->core.admin_uids = uids;
	p->core.admin_count = users;
	p->core.admin_gids = gids;
	p->core.admin_gid_count = groups;
	return rc;
}

static int take_gateways(struct policy *p, const struct conf *conf, struct err *err)
{
	uint32_t *uids = arena_zalloc(p->arena, conf->gateway_count + 1, sizeof(*uids));
	int rc = 0;

	p->gateway_uids = uids;
	for (size_t i = 0; rc == 0 && i < conf->gateway_count; i++) {
		rc = user_database_id(false, conf->gateways[i].name, &uids[i], err);
		if (rc < 0)
			uids[i] = UINT32_MAX;
		rc = admin_missing(p, rc, conf, "gateways", err);
	}
	return rc;
}

static int take_users(struct policy *p, const struct conf *conf, struct err *err)
{
	int rc = user_database_id(false, conf->controller_user, &p->controller_uid, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s: controller_user", conf->file);
	p->core.controller_uid = p->controller_uid;
	rc = user_database_id(false, conf->agent_user, &p->agent_uid, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s: agent_user", conf->file);
	return 0;
}

static void take_limits(struct sched_limits *to, const struct conf *conf)
{
	to->jobs_per_round = (uint64_t)conf->scheduler.max_jobs_per_round;
	to->per_round = policy_fraction(conf->scheduler.max_fraction_per_round,
					conf->scheduler.max_fraction_count);
	to->rate = (struct sched_rate){conf->scheduler.rate, (double)conf->scheduler.burst};
	to->queue_rate = (struct sched_rate){conf->scheduler.queue_rate,
					     (double)conf->scheduler.queue_burst};
	to->queue_lookback = (uint64_t)conf->scheduler.queue_lookback;
}

/* The reservations of all floating resources in one list. */
static void take_floating(struct policy *p, const struct conf *conf)
{
	size_t count = 0, n = 0;
	struct sched_kept *list;

	for (size_t i = 0; i < conf->floating_count; i++)
		count += conf->floating[i].queue_count;
	list = arena_zalloc(p->arena, count + 1, sizeof(*list));
	for (size_t i = 0; i < conf->floating_count; i++)
		for (size_t k = 0; k < conf->floating[i].queue_count; k++)
			list[n++] =
				(struct sched_kept){conf->floating[i].queues[k].name,
						    (size_t)resource_index(conf->floating[i].name),
						    (int64_t)conf->floating[i].queues[k].value};
	p->core.floating = conf->floating;
	p->core.floating_count = conf->floating_count;
	p->core.limits.kept = list;
	p->core.limits.kept_count = n;
}

static void take_values(struct core_policy *to, const struct conf *conf)
{
	to->cluster = conf->cluster;
	to->min_uid = conf->security.min_uid;
	to->private = conf->private;
	to->allow_root_jobs = conf->security.allow_root_jobs;
	to->heartbeat_us = conf->nodes.heartbeat_us;
	to->usage_us = conf->nodes.usage_us;
	to->node_timeout_us = conf->nodes.node_timeout_us;
	to->lease_us = conf->nodes.lease_us;
	to->lease_margin_us = conf->nodes.lease_margin_us;
	to->avoid_us = conf->nodes.avoid_us;
	to->drain_after = (uint32_t)conf->nodes.drain_after;
	to->fence = conf->nodes.fence_program[0] != '\0';
	to->mails = conf->mail_program && conf->mail_program[0];
	to->fence_after_us = conf->nodes.fence_after_us;
	to->max_requeues = (uint32_t)conf->limits.max_requeues;
	to->restart_pause_us = conf->limits.restart_pause_us;
	to->restart_pause_max_us = conf->limits.restart_pause_max_us;
	to->closed = !conf->nodes.auto_register;
	to->nodes = conf->node_list;
	to->node_count = conf->node_count;
	to->default_cpu_milli = conf->defaults.cpu_milli;
	to->default_memory_per_cpu = conf->defaults.memory_per_cpu_bytes;
	to->default_time_limit_us = conf->defaults.time_limit_us;
	to->default_grace_us = conf->defaults.grace_us;
	to->default_output = conf->defaults.output;
	to->default_array_output = conf->defaults.array_output;
	to->default_class = conf->scheduler.default_class;
	to->max_script_bytes = conf->limits.script_bytes;
	to->max_env_bytes = conf->limits.env_bytes;
	to->max_args_bytes = conf->limits.args_bytes;
	to->max_array_elements = conf->limits.array_elements;
	to->max_tasks = conf->limits.tasks_per_job;
	to->max_jobs_per_request = conf->limits.jobs_per_request;
	to->max_jobs = conf->limits.jobs_in_memory;
	to->max_jobs_of_user = conf->limits.jobs_per_user;
	to->max_stored_of_user = conf->limits.stored_per_user;
	to->max_stored = conf->limits.stored_total;
	to->max_keys_of_user = conf->limits.submit_keys_per_user;
	to->max_keys = conf->limits.submit_keys;
	to->max_sets_of_user = conf->limits.job_sets_per_user;
	to->max_sets = conf->limits.job_sets;
	to->max_tokens_of_user = conf->limits.tokens_per_user;
	to->max_tokens = conf->limits.tokens;
	to->max_output_reads_of_user = conf->limits.output_reads_per_user;
	to->max_output_reads = conf->limits.output_reads;
	to->output_read_us = conf->limits.output_read_timeout_us;
	to->max_steps_of_job = conf->limits.steps_per_job;
	to->max_step_tasks = conf->limits.step_tasks;
	to->max_ended_steps_of_job = conf->limits.ended_steps_per_job;
	to->max_ended_steps = conf->limits.ended_steps;
	to->max_waits_of_conn = conf->limits.waits_per_conn;
	to->max_waits_of_user = conf->limits.waits_per_user;
	to->max_waits = conf->limits.waits;
	to->max_grace_us = conf->limits.max_grace_us;
	to->max_time_limit_us = conf->limits.max_time_limit_us;
	to->submit_key_us = conf->limits.submit_key_us;
	to->hold_impossible = conf->scheduler.hold_impossible;
	to->gang_timeout_us = conf->scheduler.gang_timeout_us;
	to->share_interval_us = conf->scheduler.share_interval_us;
	take_limits(&to->limits, conf);
}

static int make(struct policy **ret_policy, const struct conf *conf, bool starting, struct err *err)
{
	struct policy *p = xcalloc(1, sizeof(*p));
	int rc;

	p->starting = starting;
	p->arena = arena_new(0);
	rc = take_users(p, conf, err);
	if (rc == 0)
		rc = take_admins(p, conf, err);
	if (rc == 0)
		rc = take_gateways(p, conf, err);
	if (rc == 0)
		rc = policy_queues(p, conf, err);
	if (rc == 0)
		rc = policy_classes(p, conf, err);
	if (rc < 0) {
		policy_free(p);
		return rc;
	}
	take_values(&p->core, conf);
	take_floating(p, conf);
	*ret_policy = p;
	return 0;
}

int policy_new(struct policy **ret_policy, const struct conf *conf, struct err *err)
{
	return make(ret_policy, conf, false, err);
}

int policy_start(struct policy **ret_policy, const struct conf *conf, struct err *err)
{
	return make(ret_policy, conf, true, err);
}

void policy_free(struct policy *p)
{
	if (!p)
		return;
	arena_free(p->arena);
	free(p);
}

/*
 * Draws armada.conf: leases and margins once for each run; classes, queues and limits again during
 * the run.
 *
 * Limits are at least as large as the largest submission needs, so that they delay jobs and refuse
 * few.
 */
#include "asim/storm/policy.h"
#include "core/state/fraction.h"
#include "core/state/queue.h"

#include <string.h>

/* One of each kind: preemptible for fair share, for urgency, for both, never. */
const struct sched_class sim_policy_classes[SIM_CLASSES] = {
	{.name = "armada-default", .priority = 1000, .urgency_preemptible = true},
	{.name = "preemptible",
	 .priority = 1000,
	 .fair_share_preemptible = true,
	 .urgency_preemptible = true},
	{.name = "idle",
	 .priority = 500,
	 .fair_share_preemptible = true,
	 .urgency_preemptible = true},
	{.name = "balanced", .priority = 1500, .fair_share_preemptible = true},
	{.name = "urgent", .priority = 2000},
};

/* A lower factor gives a larger share. */
static char *const everybody[] = {(char *)"ann"};

#define QUEUE(n, factor)                                                                           \
	{                                                                                          \
		QUEUE_SPEC_BEGIN, .name = (char *)n, .priority_factor = factor,                    \
				  .owners = (char **)everybody, .n_owners = 1                      \
	}
const Armada__QueueSpec sim_policy_queues[SIM_QUEUES] = {
	QUEUE("large", 1),
	QUEUE("middle", 2),
	QUEUE("small", 8),
};

/* Most clusters have leases that outlast every failure; half of the storms have short ones. */
static void draw_leases(struct storm *s)
{
	struct core_policy *p = &s->policy->conf;

	p->lease_margin_us = 1000000 + (int64_t)storm_random(s, 10000000);
	if (storm_random(s, 3)) {
		s->policy->short_leases = true;
		p->heartbeat_us = 3000000;
		p->node_timeout_us = 10000000;
		p->lease_us = 12000000 + (int64_t)storm_random(s, 60000000);
	}
	p->share_interval_us =
		storm_random(s, 3) ? 1000000 + (int64_t)storm_random(s, 60000000) : 0;
	p->avoid_us = storm_random(s, 2) ? 60000000 : 0;
	p->drain_after = (uint32_t)storm_random(s, 4);
	p->fence = storm_random(s, 3) == 0;
	p->fence_after_us = (int64_t)storm_random(s, 60000000);
	p->max_requeues = 200; /* partitions cause requeues, so many are allowed */
	p->max_steps_of_job = 2 + (int64_t)(s->opt->seed % 4);
	p->max_step_tasks = 20 + (int64_t)(s->opt->seed % 50);
	p->max_ended_steps_of_job = (int64_t)(s->opt->seed % 3);
	p->max_ended_steps = 5 + (int64_t)(s->opt->seed % 20);
	if (s->opt->seed % 3) {
		p->restart_pause_us = 2000000;
		p->restart_pause_max_us = 60000000;
	}
}

static struct sched_fraction draw_fraction(struct storm *s)
{
	return (struct sched_fraction){.limited = storm_random(s, 4) == 0,
				       .of = {0.25 * (double)(1 + storm_random(s, 4))}};
}

static void draw_classes(struct storm *s)
{
	for (size_t i = 0; i < SIM_CLASSES; i++) {
		s->policy->classes[i] = sim_policy_classes[i];
		s->policy->classes[i].limit = draw_fraction(s);
		if (storm_random(s, 3) == 0)
			s->policy->classes[i].fair_share_preemptible ^= true;
		if (storm_random(s, 3) == 0)
			s->policy->classes[i].urgency_preemptible ^= true;
	}
}

/* A burst as large as the largest gang: limits delay jobs and refuse none. */
static void draw_limits(struct storm *s, struct sched_limits *l)
{
	enum { LARGEST = 8 };

	*l = (struct sched_limits){0};
	if (storm_random(s, 3) == 0)
		l->jobs_per_round = LARGEST + storm_random(s, 4);
	if (storm_random(s, 3) == 0)
		l->queue_lookback = 1 + storm_random(s, 16);
	if (storm_random(s, 3) == 0)
		l->rate = (struct sched_rate){1 + (double)storm_random(s, 20), LARGEST};
	if (storm_random(s, 3) == 0)
		l->queue_rate = (struct sched_rate){1 + (double)storm_random(s, 20), LARGEST};
	if (storm_random(s, 3) == 0)
		l->per_round = draw_fraction(s);
}

/*
 * At least as large as the largest submission, except for a few; these are refused until the limit
 * is removed.
 */
static void draw_quota(struct storm *s, struct quota *ret)
{
	enum { LARGEST = 8 };

	*ret = (struct quota){0};
	if (storm_random(s, 4) == 0)
		quota_put(ret, QUOTA_RUNNING, LARGEST + storm_random(s, 8));
	if (storm_random(s, 4) == 0)
		quota_put(ret, QUOTA_CPU, 1000 * (LARGEST + storm_random(s, 8)));
	if (storm_random(s, 4) == 0)
		quota_put(ret, QUOTA_WAITING, LARGEST + storm_random(s, 32));
}

static void draw_quotas(struct storm *s)
{
	for (size_t i = 0; i < SIM_QUEUES; i++) {
		Armada__QueueSpec *q = &s->policy->queues[i];
		struct quota m;

		draw_quota(s, &m);
		q->quota = queue_quota_give(&m, s->policy->arena, &q->n_quota);
		draw_quota(s, &m);
		q->user_quota = queue_quota_give(&m, s->policy->arena, &q->n_user_quota);
	}
	draw_quota(s, &s->policy->conf.user_quota);
	draw_quota(s, &s->policy->users[0].quota);
	s->policy->users[0].name = "bob";
	s->policy->conf.users = s->policy->users;
	s->policy->conf.user_count = s->policy->users[0].quota.set ? 1 : 0;
}

void sim_policy_reset(struct storm *s)
{
	memcpy(s->policy->classes, sim_policy_classes, sizeof(s->policy->classes));
	s->policy->conf.classes = s->policy->classes;
	s->policy->conf.limits = (struct sched_limits){0};
	memcpy(s->policy->queues, sim_policy_queues, sizeof(s->policy->queues));
	s->policy->conf.queues = s->policy->queues;
	s->policy->conf.queue_count = SIM_QUEUES;
	for (size_t i = 0; i < SIM_QUEUES; i++)
		s->policy->queues[i].set_cordoned = true; /* lifts a cordon that was set by hand */
	s->policy->conf.user_quota = (struct quota){0};
	s->policy->conf.user_count = 0;
}

void sim_policy_draw(struct storm *s)
{
	draw_classes(s);
	draw_limits(s, &s->policy->conf.limits);
	arena_clear(s->policy->arena);
	for (size_t i = 0; i < SIM_QUEUES; i++) {
		const struct sched_fraction f = draw_fraction(s);
		Armada__QueueSpec *q = &s->policy->queues[i];

		q->limits = fraction_give(resource_names(), resource_count(), &f, s->policy->arena,
					  &q->n_limits);
		q->set_cordoned = storm_random(s, 2) == 0;
	}
	draw_quotas(s);
}

void sim_policy_begin(struct storm *s)
{
	static const uint32_t admins[] = {1000};
	static const Armada__QueueSpec own_queue = ARMADA__QUEUE_SPEC__INIT;

	s->policy->conf = (struct core_policy){
		.cluster = "storm",
		.admin_uids = admins,
		.admin_count = ARRAY_SIZE(admins),
		.min_uid = 500,
		.heartbeat_us = 10000000,
		.usage_us = 10000000,
		.node_timeout_us = 60000000,
		.lease_us = INT64_C(43200000000),
		.default_cpu_milli = 1000,
		.default_memory_per_cpu = 1 << 20,
		.default_time_limit_us = INT64_C(86400000000),
		.default_grace_us = 1000000,
		.default_output = "out",
		.default_array_output = "out",
		.default_class = "armada-default",
		.max_script_bytes = 1 << 20,
		.max_env_bytes = 1 << 20,
		.max_args_bytes = 1 << 17,
		.max_array_elements = 1000000,
		.max_tasks = 1000,
		.max_jobs_per_request = 1000,
		.max_jobs = 1000000,
		.max_grace_us = 300000000,
		.submit_key_us = INT64_C(86400000000),
		.user_queue = &own_queue,
		.class_count = SIM_CLASSES,
		.queue_count = SIM_QUEUES,
	};
	s->policy->arena = arena_new(0);
	draw_leases(s);
	sim_policy_reset(s);
}

int sim_policy_init(struct storm *s, struct err *err)
{
	const struct {
		enum armada_plugin_kind kind;
		const char *name;
	} wanted[] = {
		{ARMADA_PLUGIN_FAIRNESS, "drf"},
		{ARMADA_PLUGIN_ORDER, s->opt->seed % 4 == 2 ? "slices" : "progressive"},
		{ARMADA_PLUGIN_PREEMPT, "fairshare"},
		{ARMADA_PLUGIN_SELECT, "binpack"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		int rc = plugin_load(&s->policy->plugins[i], s->opt->plugins, wanted[i].kind,
				     wanted[i].name, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

void sim_policy_done(struct storm *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(s->policy->plugins); i++)
		if (s->policy->plugins[i].desc)
			plugin_free(&s->policy->plugins[i]);
	arena_free(s->policy->arena);
}

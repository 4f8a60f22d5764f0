#include "asim/storm_parts.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	TRACE_KEPT = 6000,
	DRAIN_STEPS = 600000,
};
static const int64_t drain_limit_us = INT64_C(2) * 3600 * 1000000;

uint64_t storm_random(struct storm *s, uint64_t below)
{
	uint64_t z = (s->rng += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return below ? z % below : 0;
}

bool storm_fault(struct storm *s, uint64_t in)
{
	return storm_random(s, in) == 0 && s->faults;
}

void storm_trace(struct storm *s, const char *fmt, ...)
{
	char text[600];
	uint8_t both[64];
	va_list ap;
	int n = snprintf(text, sizeof(text), "%8" PRIu64 " %10.3f ", s->step, s->now_us / 1e6);

	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	va_end(ap);
	memcpy(both, s->trace_hash, 32);
	crypto_generichash(both + 32, 32, (uint8_t *)text, strlen(text), NULL, 0);
	crypto_generichash(s->trace_hash, 32, both, sizeof(both), NULL, 0);
	if (s->opt.verbose)
		printf("%s\n", text);
	if (s->trace.len > 2 * TRACE_KEPT)
		buf_drop(&s->trace, s->trace.len - TRACE_KEPT);
	buf_addf(&s->trace, "%s\n", text);
}

void storm_violate(struct storm *s, const char *fmt, ...)
{
	va_list ap;

	if (s->violation[0])
		return;
	va_start(ap, fmt);
	vsnprintf(s->violation, sizeof(s->violation), fmt, ap);
	va_end(ap);
}

/* Of every kind: for balance, for the urgent, for both, for nobody. */
const struct sched_class storm_classes[STORM_CLASSES] = {
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

/* A lower factor is a larger share. */
static const char *const everybody[] = {"ann"};
const struct core_queue storm_queues[STORM_QUEUES] = {
	{.name = "large", .factor = 1, .owners = everybody, .owner_count = 1},
	{.name = "middle", .factor = 2, .owners = everybody, .owner_count = 1},
	{.name = "small", .factor = 8, .owners = everybody, .owner_count = 1},
};

/* Most clusters have leases that outlast everything; those of a storm are short as often. */
static void draw_leases(struct storm *s)
{
	struct core_policy *p = &s->policy;

	p->lease_margin_us = 1000000 + (int64_t)storm_random(s, 10000000);
	if (storm_random(s, 3)) {
		s->short_leases = true;
		p->heartbeat_us = 3000000;
		p->node_timeout_us = 10000000;
		p->lease_us = 12000000 + (int64_t)storm_random(s, 60000000);
	}
	p->share_interval_us = storm_random(s, 3) ? 1000000 + (int64_t)storm_random(s, 60000000) : 0;
	p->avoid_us = storm_random(s, 2) ? 60000000 : 0;
	p->drain_after = (uint32_t)storm_random(s, 4);
	p->fence = storm_random(s, 3) == 0;
	p->fence_after_us = (int64_t)storm_random(s, 60000000);
	p->max_requeues = 200; /* partitions are nobody's fault here */
}

static void set_policy(struct storm *s)
{
	static const uint32_t admins[] = {1000};

	s->policy = (struct core_policy){
		.cluster = "storm",
		.admin_uids = admins,
		.admin_count = ARRAY_SIZE(admins),
		.min_uid = 500,
		.heartbeat_us = 10000000,
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
		.user_queues = true,
		.user_queue = {.factor = 1},
		.class_count = STORM_CLASSES,
		.queue_count = STORM_QUEUES,
	};
	draw_leases(s);
	policy_reset(s);
}

static int load_plugins(struct storm *s, struct err *err)
{
	const struct {
		enum armada_plugin_kind kind;
		const char *name;
	} wanted[] = {
		{ARMADA_PLUGIN_FAIRNESS, "drf"},
		{ARMADA_PLUGIN_ORDER, s->opt.seed % 4 == 2 ? "slices" : "progressive"},
		{ARMADA_PLUGIN_PREEMPT, "fairshare"},
		{ARMADA_PLUGIN_SELECT, "binpack"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		int rc = plugin_load(&s->plugins[i], s->opt.plugins, wanted[i].kind, wanted[i].name,
				     err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static void next_fault(struct storm *s)
{
	struct happening h = {.kind = HAPPEN_FAULT, .at_us = s->now_us + storm_random(s, 6000000)};

	if (s->faults)
		happenings_put(&s->queue, &h);
}

static void do_fault(struct storm *s)
{
	struct storm_node *n = &s->nodes[storm_random(s, STORM_NODES)];
	struct storm_conn *c;

	switch (storm_random(s, 14)) {
	case 13:
		clock_jump(s);
		break;
	case 11:
		if (storm_random(s, 4) == 0)
			lease_foul(s, n);
		lease_cut(s, n);
		break;
	case 12:
		if (storm_random(s, 8) == 0)
			node_wipe(s, n);
		break;
	case 0:
		ctl_crash(s);
		break;
	case 1:
	case 2:
		node_crash(s, n);
		break;
	case 3:
		/* a machine that is always booting has no lease that ends */
		if (!s->short_leases || storm_random(s, 6) == 0)
			node_reboot(s, n);
		break;
	case 4:
	case 5:
		c = &s->conns[storm_random(s, CONNS)];
		if (c->id && c->node >= 0)
			net_break(s, c);
		break;
	case 6:
	case 7:
		node_replay_captured(s, n);
		break;
	case 8:
		node_shut_down(s, n);
		break;
	case 9:
		node_turn_ill(s, n, !n->ill);
		break;
	default:
		client_act(s);
	}
	if (storm_random(s, 2))
		client_act(s);
	next_fault(s);
}

static void to_ctl(struct storm *s, struct happening *h)
{
	if (s->ctl.up && h->life == s->ctl.life)
		ctl_message(s, h);
}

static void ctl_event(struct storm *s, const struct happening *h)
{
	if (h->life != s->ctl.life)
		return;
	if (h->kind == HAPPEN_CTL_START) {
		ctl_start(s);
		return;
	}
	if (!s->ctl.up)
		return;
	if (h->kind == HAPPEN_COMMIT)
		ctl_commit(s);
	else if (h->kind == HAPPEN_ROUND)
		ctl_round(s);
	else if (h->kind == HAPPEN_DECIDE)
		ctl_decide(s);
	else if (h->kind == HAPPEN_CTL_TICK)
		ctl_tick(s);
	else if (h->kind == HAPPEN_FENCED)
		ctl_fenced(s, h);
	else
		ctl_closed(s, h->conn);
}

static void node_event(struct storm *s, const struct happening *h)
{
	struct storm_node *n = &s->nodes[h->node];

	if (h->kind == HAPPEN_TASK_START || h->kind == HAPPEN_TASK_END || h->kind == HAPPEN_LEASE) {
		if (h->life != (uint32_t)n->boot)
			return;
		if (h->kind == HAPPEN_LEASE)
			lease_look(s, h);
		else if (h->kind == HAPPEN_TASK_START)
			attempt_started(s, h);
		else
			attempt_ended(s, h);
	} else if (h->life != n->life || (h->kind != HAPPEN_NODE_START && !n->up)) {
		return;
	} else if (h->kind == HAPPEN_NODE_START) {
		node_start(s, n);
	} else if (h->kind == HAPPEN_NODE_TICK) {
		node_tick(s, n);
	} else if (h->kind == HAPPEN_TO_NODE) {
		node_message(s, h);
	} else if (h->kind == HAPPEN_NODE_CONNECTED) {
		node_connected(s, n, h->session);
	} else {
		node_closed(s, n, h->session);
	}
	if (n->up)
		node_turn(s, n);
}

static void client_event(struct storm *s, struct happening *h)
{
	if (h->kind == HAPPEN_CLIENT_REPLY)
		client_reply(s, h);
	else if (!s->jobs[h->number].id)
		client_submit(s, &s->jobs[h->number]);
}

static void happen(struct storm *s, struct happening *h)
{
	static void (*const by_kind[HAPPEN_KINDS])(struct storm *, const struct happening *) = {
		[HAPPEN_COMMIT] = ctl_event,       [HAPPEN_ROUND] = ctl_event,
		[HAPPEN_DECIDE] = ctl_event,       [HAPPEN_CTL_TICK] = ctl_event,
		[HAPPEN_CTL_START] = ctl_event,    [HAPPEN_CTL_CLOSED] = ctl_event,
		[HAPPEN_TO_NODE] = node_event,     [HAPPEN_NODE_CONNECTED] = node_event,
		[HAPPEN_NODE_CLOSED] = node_event, [HAPPEN_NODE_TICK] = node_event,
		[HAPPEN_NODE_OFF] = node_off,      [HAPPEN_NODE_START] = node_event,
		[HAPPEN_TASK_START] = node_event,  [HAPPEN_TASK_END] = node_event,
		[HAPPEN_LEASE] = node_event,       [HAPPEN_FENCE] = fence_does,
		[HAPPEN_FENCED] = ctl_event,
	};

	if (by_kind[h->kind])
		by_kind[h->kind](s, h);
	else if (h->kind == HAPPEN_TO_CTL)
		to_ctl(s, h);
	else if (h->kind == HAPPEN_FAULT)
		do_fault(s);
	else if (h->kind == HAPPEN_SETTLE)
		client_settle(s);
	else
		client_event(s, h);
}

static void run(struct storm *s, uint64_t steps, int64_t until_us, bool until_drained)
{
	struct happening h;

	for (uint64_t i = 0; i < steps && !s->violation[0]; i++) {
		if (!happenings_take(&s->queue, &h))
			break;
		if (h.at_us > s->now_us)
			s->now_us = h.at_us;
		s->step++;
		arena_clear(s->arena);
		happen(s, &h);
		free(h.body);
		if (s->now_us > until_us)
			break;
		if (until_drained && i % 64 == 0 && check_drained(s))
			return;
	}
}

static void set_up(struct storm *s)
{
	s->rng = s->opt.seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
	s->arena = arena_new(0);
	s->faults = true;
	s->now_us = 1000000;
	s->clock_jumps = storm_random(s, 2);
	set_policy(s);
	for (int i = 0; i < STORM_NODES; i++) {
		struct happening h = {.kind = HAPPEN_NODE_START, .node = i};

		node_init(s, i);
		h.at_us = s->now_us + storm_random(s, 2000000);
		happenings_put(&s->queue, &h);
	}
	ctl_start(s);
	next_fault(s);
}

static void tear_down(struct storm *s)
{
	ctl_free(s);
	for (int i = 0; i < STORM_NODES; i++)
		node_free(s, &s->nodes[i]);
	for (size_t i = 0; i < s->job_count; i++)
		free(s->jobs[i].ended);
	for (size_t i = 0; i < ARRAY_SIZE(s->plugins); i++)
		if (s->plugins[i].desc)
			plugin_free(&s->plugins[i]);
	happenings_done(&s->queue);
	free(s->runs);
	deps_done(s);
	free(s->members);
	groups_done(s);
	free(s->captured);
	free(s->leases);
	free(s->signals);
	most_done(s);
	free(s->reached);
	buf_done(&s->trace);
	arena_free(s->arena);
}

static void print_result(const struct storm *s)
{
	char hash[17];

	sodium_bin2hex(hash, sizeof(hash), s->trace_hash, 8);
	if (s->violation[0])
		printf("seed %" PRIu64 ": step %" PRIu64 ": %s\nthe last of what happened:\n%s",
		       s->opt.seed, s->step, s->violation,
		       s->trace.len ? (const char *)s->trace.data : "");
	else
		printf("seed %" PRIu64 ": ok, %" PRIu64 " steps, %.0f s, %zu jobs, %" PRIu64
		       " runs, %" PRIu64 " controller and %" PRIu64 " armd kills, %" PRIu64
		       " restarts of machines, %" PRIu64 " messages lost, %" PRIu64
		       " doubled, %" PRIu64 " preempted, %" PRIu64 " promised, %" PRIu64
		       " released, %" PRIu64 " tasks and %" PRIu64 " jobs started anew, %" PRIu64
		       " waited, %" PRIu64 " given up, %" PRIu64 " requeues, %" PRIu64
		       " updates, %" PRIu64 " asked to go, %" PRIu64 " leases over, %" PRIu64
		       " cuts, %" PRIu64 " fenced, %" PRIu64 " wiped, %" PRIu64
		       " confirmed, %" PRIu64 " signals, %" PRIu64 " steps, trace %s\n",
		       s->opt.seed, s->step, s->now_us / 1e6, s->job_count, s->count.runs,
		       s->count.ctl_crashes, s->count.armd_crashes, s->count.reboots, s->count.lost,
		       s->count.doubled, s->count.preempted, s->count.promised, s->count.released,
		       s->count.replaced, s->count.restarted, s->count.waited, s->count.given_up,
		       s->count.requeues, s->count.updates, s->count.asked_to_go, s->count.leases,
		       s->count.cuts, s->count.fenced, s->count.wiped, s->count.confirmed,
		       s->count.signals, s->count.steps, hash);
}

int storm_run_seed(const struct storm_options *opt)
{
	struct storm *s = xcalloc(1, sizeof(*s));
	struct err err;
	int failed;

	s->opt = *opt;
	if (load_plugins(s, &err) < 0)
		storm_violate(s, "%s", err.text);
	else
		set_up(s);
	run(s, opt->steps, INT64_MAX, false);
	s->faults = false;
	storm_trace(s, "faults end");
	policy_reset(s);
	ctl_reconfigure(s);
	client_settle(s);
	if (!s->violation[0])
		run(s, DRAIN_STEPS, s->now_us + drain_limit_us, true);
	if (!s->violation[0] && !check_drained(s))
		storm_violate(s, "I10: not drained %.0f hours after the last fault",
			      drain_limit_us / 3.6e9);
	if (!s->violation[0])
		check_end(s);
	print_result(s);
	failed = s->violation[0] != '\0';
	if (s->arena)
		tear_down(s);
	free(s);
	return failed;
}

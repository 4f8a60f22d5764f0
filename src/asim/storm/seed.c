/*
 * Runs a seed: the given number of events with faults; then the faults stop, limits are lifted,
 * everything held is released, and the cluster must drain within hours of virtual time (I10).
 *
 * Input: the options of the storm. Output: a line for the seed, and the trace if an invariant was
 * violated.
 */
#include "asim/storm/seed.h"
#include "asim/storm/byzantine.h"
#include "asim/storm/client.h"
#include "asim/storm/clock.h"
#include "asim/storm/commit.h"
#include "asim/storm/ctl.h"
#include "asim/storm/dispatch.h"
#include "asim/storm/fault.h"
#include "asim/storm/history.h"
#include "asim/storm/invariant.h"
#include "asim/storm/journal.h"
#include "asim/storm/net.h"
#include "asim/storm/node.h"
#include "asim/storm/policy.h"
#include "asim/storm/round.h"
#include "asim/storm/user.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

/* For each task that a job may have: they run one after the other where there is little room. */
enum { DRAIN_STEPS = 150000 };
static const int64_t drain_limit_us = INT64_C(1800) * 1000000;

static struct storm *storm_new(const struct storm_options *opt)
{
#define PART(count, name) .name = arena_zalloc(run, (count), sizeof(*s->name))
	struct arena *run = arena_new(0);
	struct storm *s = arena_alloc(run, sizeof(*s));

	*s = (struct storm){
		.opt = opt,
		.arena = arena_new(0),
		.run = run,
		PART(1, clock),
		PART(1, policy),
		PART(1, ctl),
		PART(1, disk),
		PART(1, round),
		PART(1, net),
		PART(SIM_NODES, nodes),
		PART(1, byzantine),
		PART(SIM_JOBS, jobs),
		PART(1, journal),
		PART(1, history),
	};
	invariant_init(s);
	return s;
}

static void storm_free(struct storm *s)
{
	sim_ctl_free(s);
	for (int i = 0; i < SIM_NODES; i++)
		sim_node_free(s, &s->nodes[i]);
	sim_policy_done(s);
	sim_event_done(&s->events);
	buf_done(&s->log.trace);
	arena_free(s->arena);
	arena_free(s->run);
}

static bool is_drained(struct storm *s)
{
	if (!s->ctl->up || s->disk->pending_count)
		return false;
	for (size_t i = 0; i < s->job_count; i++)
		if (!s->jobs[i].id)
			return false;
	if (sim_journal_runs(s, -1))
		return false;
	for (size_t i = 0; i < SIM_NODES; i++)
		if (!s->nodes[i].up || !link_open(s->nodes[i].link) ||
		    link_pending(s->nodes[i].link))
			return false;
	return core_idle(s->ctl->core);
}

static void run(struct storm *s, uint64_t steps, int64_t until_us, bool until_drained)
{
	struct sim_event ev;

	for (uint64_t i = 0; i < steps && !s->log.violation[0]; i++) {
		if (!sim_event_take(&s->events, &ev))
			break;
		if (ev.at_us > s->now_us)
			s->now_us = ev.at_us;
		s->step++;
		arena_clear(s->arena);
		dispatch(s, &ev);
		free(ev.body);
		if (s->now_us > until_us)
			break;
		if (until_drained && i % 64 == 0 && is_drained(s))
			return;
	}
}

static void set_up(struct storm *s)
{
	s->rng = s->opt->seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
	s->faults = true;
	s->now_us = 1000000;
	s->clock->jumps = storm_random(s, 2);
	sim_policy_begin(s);
	for (int i = 0; i < SIM_NODES; i++) {
		sim_node_init(s, i);
		storm_plan(s, storm_random(s, 2000000),
			   (struct sim_event){.kind = SIM_NODE_START, .node = i});
	}
	sim_ctl_start(s, NULL);
	fault_plan(s);
}

static void print_result(const struct storm *s)
{
	char hash[17];

	sodium_bin2hex(hash, sizeof(hash), s->log.hash, 8);
	if (s->log.violation[0])
		printf("seed %" PRIu64 ": event %" PRIu64 ": %s\nthe end of the trace:\n%s",
		       s->opt->seed, s->step, s->log.violation,
		       s->log.trace.len ? (const char *)s->log.trace.data : "");
	else
		printf("seed %" PRIu64 ": ok, %" PRIu64 " events, %.0f s, %zu jobs, %" PRIu64
		       " tasks run, %" PRIu64 " controller and %" PRIu64 " armd kills, %" PRIu64
		       " machine restarts, %" PRIu64 " messages lost, %" PRIu64
		       " duplicated, %" PRIu64 " preemptions, %" PRIu64 " pending leases, %" PRIu64
		       " released, %" PRIu64 " tasks replaced, %" PRIu64 " jobs restarted, %" PRIu64
		       " leases of dependent jobs, %" PRIu64 " never satisfied, %" PRIu64
		       " requeues, %" PRIu64 " updates, %" PRIu64 " restarts with changes, %" PRIu64
		       " preemptions by users, %" PRIu64 " leases expired, %" PRIu64
		       " partitions, %" PRIu64 " fenced, %" PRIu64 " disks lost, %" PRIu64
		       " confirmed dead, %" PRIu64 " signals, %" PRIu64 " job steps, %" PRIu64
		       " tasks joined, %" PRIu64 " taken back, %" PRIu64 " scaled, %" PRIu64
		       " pauses, trace %s\n",
		       s->opt->seed, s->step, s->now_us / 1e6, s->job_count, s->count.runs,
		       s->count.ctl_crashes, s->count.armd_crashes, s->count.reboots, s->count.lost,
		       s->count.doubled, s->count.preempted, s->count.pending_leases,
		       s->count.released, s->count.replaced, s->count.restarted, s->count.waited,
		       s->count.given_up, s->count.requeues, s->count.updates, s->count.changed,
		       s->count.user_preempts, s->count.leases, s->count.cuts, s->count.fenced,
		       s->count.wiped, s->count.confirmed, s->count.signals, s->count.steps,
		       s->count.joined, s->count.left, s->count.scaled, s->count.pauses, hash);
}

int seed_run(const struct storm_options *opt)
{
	struct storm *s = storm_new(opt);
	struct err err;
	int failed;

	if (sim_policy_init(s, &err) < 0)
		storm_violate(s, "%s", err.text);
	else
		set_up(s);
	run(s, opt->steps, INT64_MAX, false);
	s->faults = false;
	storm_trace(s, "faults end");
	sim_policy_reset(s);
	sim_ctl_reconfigure(s);
	sim_user_settle(s, NULL);
	if (!s->log.violation[0])
		run(s, opt->tasks * DRAIN_STEPS, s->now_us + opt->tasks * drain_limit_us, true);
	if (!s->log.violation[0] && !is_drained(s))
		storm_violate(s, "I10: not drained %.0f hours after the last fault",
			      opt->tasks * drain_limit_us / 3.6e9);
	if (!s->log.violation[0])
		INVARIANTS(s, check);
	print_result(s);
	failed = s->log.violation[0] != '\0';
	storm_free(s);
	return failed;
}

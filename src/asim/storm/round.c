/*
 * The scheduler of the controller. It is made at each start from the core's state, and then gets
 * each record.
 *
 * Input: records, and requests for a round, from the core or planned by the scheduler itself.
 * Output: the result of a round, which reaches the core some milliseconds to seconds later.
 */
#include "asim/storm/round.h"
#include "asim/storm/clock.h"
#include "asim/storm/ctl.h"
#include "asim/storm/invariant.h"
#include "asim/storm/policy.h"
#include "feed/sched_feed.h"
#include "sched/configure.h"

static const char *const resources[] = {"cpu", "memory"};

static struct sched_config sched_config(const struct storm *s)
{
	return (struct sched_config){
		.resources = resources,
		.resource_count = ARRAY_SIZE(resources),
		.classes = s->policy->conf.classes,
		.class_count = s->policy->conf.class_count,
		.limits = s->policy->conf.limits,
		.user_quota = s->policy->conf.user_quota,
		.users = s->policy->conf.users,
		.user_count = s->policy->conf.user_count,
		.accounts = s->policy->conf.accounts,
		.account_count = s->policy->conf.account_count,
		.fairness = &s->policy->plugins[0],
		.order = &s->policy->plugins[1],
		.preempt = &s->policy->plugins[2],
		.select = &s->policy->plugins[3],
		.partial_gangs = true,
	};
}

void sim_round_start(struct storm *s)
{
	struct sched_config config = sched_config(s);
	struct sim_round *r = s->round;
	struct err err;

	r->sched = sched_new(&config, &err);
	if (!r->sched) {
		storm_violate(s, "the scheduler does not start: %s", err.text);
		return;
	}
	r->feed = sched_feed_new(r->sched, resources, ARRAY_SIZE(resources));
	sched_feed_fill(r->feed, s->ctl->core);
}

void sim_round_stop(struct storm *s)
{
	if (s->round->deciding)
		sched_result_done(&s->round->result);
	sched_feed_free(s->round->feed);
	sched_free(s->round->sched);
	*s->round = (struct sim_round){0};
}

void sim_round_reconfigure(struct storm *s)
{
	struct sched_config config = sched_config(s);
	struct err err;

	s->round->result.cost = NULL; /* of the fairness plugin that is closed now */
	if (sched_reconfigure(s->round->sched, &config, &err) < 0)
		storm_violate(s, "the scheduler takes no other configuration: %s", err.text);
}

void sim_round_record(struct storm *s, const Armada__Record *r)
{
	sched_feed_apply(s->round->feed, r);
}

void sim_round_want(struct storm *s)
{
	if (s->round->due)
		return;
	s->round->due = true;
	storm_plan(s, 20000, (struct sim_event){.kind = SIM_ROUND, .life = s->ctl->life});
}

/* A job that a limit delays may start later, though nothing happens. */
static void try_again(struct storm *s, int64_t in_us)
{
	int64_t later_us = in_us > 20000 ? in_us : 20000;

	if (s->round->again_us && s->round->again_us <= s->now_us + later_us)
		return;
	s->round->again_us = s->now_us + later_us;
	storm_plan(s, later_us, (struct sim_event){.kind = SIM_ROUND, .life = s->ctl->life});
}

void sim_round_run(struct storm *s, const struct sim_event *ev UNUSED)
{
	struct sim_round *r = s->round;
	struct sched_round round = {.now_us = sim_clock_wall_us(s), .seed = s->step};
	int64_t took_us;

	r->due = false;
	if (r->again_us <= s->now_us)
		r->again_us = 0;
	if (r->deciding) {
		r->again = true;
		return;
	}
	INVARIANTS(s, on_round, &round);
	sched_run_round(r->sched, &round, &r->result);
	INVARIANTS(s, on_result, &r->result);
	if (r->result.again_us)
		try_again(s, r->result.again_us - round.now_us);
	r->deciding = true;
	took_us = storm_random(s, 5000);
	if (storm_fault(s, 20))
		took_us += storm_random(s, 5000000);
	storm_plan(s, took_us, (struct sim_event){.kind = SIM_DECIDE, .life = s->ctl->life});
}

void sim_round_decided(struct storm *s)
{
	sched_result_done(&s->round->result);
	if (s->round->again)
		sim_round_want(s);
	s->round->again = false;
}

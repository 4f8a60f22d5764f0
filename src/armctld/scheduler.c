/*
 * The scheduler of this controller. Input: armada.conf and plugins; results of rounds. Output: the
 * scheduler's thread (rounds.h), and its decisions as inputs of the core. A reload pauses the
 * thread, reconfigures the scheduler in place, and resumes; on failure the old plugins stay.
 */
#include "armctld/scheduler.h"

#include "sched/configure.h"
#include "util/clock.h"

#include <errno.h>
#include <sodium.h>

static void on_decisions(void *arg, const struct sched_result *result,
			 const struct round_facts *facts, size_t from, size_t upto)
{
	struct ctld *c = arg;
	struct input in = {
		.kind = INPUT_DECISIONS,
		.decisions = result,
		.from = from,
		.upto = upto,
		.round = facts->number,
		.round_start_us = facts->start_us,
		.round_took_us = facts->took_us,
	};

	if (from == 0)
		counters_round(&c->counters, result, facts->took_us);
	faults_note(&c->faults, result->fault, clock_us(CLOCK_BOOTTIME));
	ctld_input(arg, &in);
}

static void on_explained(void *arg, const struct explain_question *q)
{
	struct input in = {
		.kind = q->record ? INPUT_TRIED : INPUT_EXPLAINED,
		.conn = q->conn,
		.request = q->request,
		.ask = q->ask,
		.explanation = q->known && !q->record ? &q->explanation : NULL,
		.trial = q->known && q->record ? &q->trial : NULL,
		.text = q->note,
	};

	ctld_input(arg, &in);
}

/* The time limit for the search of a change that would start a job. */
enum { EXPLAIN_US = 2000000 };

static struct sched_config sched_config(const struct plugin *kinds,
					const struct core_policy *policy)
{
	return (struct sched_config){
		.resources = resource_names(),
		.resource_count = resource_count(),
		.classes = policy->classes,
		.class_count = policy->class_count,
		.fairness = &kinds[ARMADA_PLUGIN_FAIRNESS],
		.order = &kinds[ARMADA_PLUGIN_ORDER],
		.preempt = &kinds[ARMADA_PLUGIN_PREEMPT],
		.select = &kinds[ARMADA_PLUGIN_SELECT],
		.limits = policy->limits,
		.user_quota = policy->user_quota,
		.users = policy->users,
		.user_count = policy->user_count,
		.accounts = policy->accounts,
		.account_count = policy->account_count,
		.partial_gangs = true,
	};
}

static struct rounds_config rounds_config(const struct conf *conf)
{
	return (struct rounds_config){
		.cycle_period_us = conf->scheduler.cycle_period_us,
		.max_round_us = conf->scheduler.max_round_us,
		.explain_us = EXPLAIN_US,
	};
}

int scheduler_start(struct ctld *c, struct err *err)
{
	static const struct rounds_ops ops = {on_decisions, on_explained};
	struct sched_config config = sched_config(c->plugins.kinds, &c->policy->core);
	struct rounds_config limits = rounds_config(c->conf);
	struct sched *s = sched_new(&config, err);
	struct sched_feed *m;

	if (!s)
		return err_prefix(err, -1, "%s", c->conf->file);
	m = sched_feed_new(s, resource_names(), resource_count());
	sched_feed_fill(m, c->core);
	randombytes_buf(&limits.seed, sizeof(limits.seed));
	c->rounds = rounds_new(c->base, s, m, &limits, &ops, c);
	rounds_wanted(c->rounds);
	return 0;
}

int scheduler_reconfigure(struct ctld *c, const struct conf *conf, const struct policy *policy,
			  struct plugins *next, struct err *err)
{
	struct sched *s = rounds_pause(c->rounds);
	struct rounds_config limits = rounds_config(conf);
	struct plugins old = c->plugins;
	struct sched_config config;
	int rc;

	c->plugins = *next; /* in place: the scheduler has pointers to them */
	config = sched_config(c->plugins.kinds, &policy->core);
	rc = sched_reconfigure(s, &config, err);
	if (rc < 0)
		c->plugins = old;
	rounds_resume(c->rounds, rc < 0 ? NULL : &limits);
	plugins_drop(rc < 0 ? next : &old, &c->plugins);
	return rc < 0 ? err_prefix(err, rc, "%s", conf->file) : 0;
}

int scheduler_try(const struct conf *conf, const struct policy *policy, const struct plugins *next,
		  struct err *err)
{
	struct sched_config config = sched_config(next->kinds, &policy->core);
	struct sched *s = sched_new(&config, err);

	if (!s)
		return err_prefix(err, -EINVAL, "%s", conf->file);
	sched_free(s);
	return 0;
}

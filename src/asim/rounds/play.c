/*
 * Plays a scenario round by round.
 *
 * Input: the scenario. Output: a line of JSON for each round, and the number of failed checks. The
 * changes of the document before a round are applied, the real scheduler runs the round, and its
 * decisions are applied.
 */
#include "asim/rounds/play.h"
#include "asim/rounds/check.h"
#include "asim/rounds/print.h"
#include "asim/rounds/units.h"
#include "sched/floating_total.h"
#include "sched/usage_history.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- nodes and queues --- */

static void tell_node(struct play *p, uint32_t i)
{
	const struct scenario_node *n = &p->sc->nodes[i];
	struct sched_node node = {.name = n->name,
				  .labels = n->labels,
				  .label_count = n->label_count,
				  .taints = n->taints,
				  .taint_count = n->taint_count,
				  .schedulable = !p->nodes[i].cordoned};

	memcpy(node.total, n->total, sizeof(node.total));
	sched_node_set(p->sched, &node);
}

static void tell_totals(struct play *p, const int64_t *totals)
{
	for (size_t d = 0; d < p->sc->resource_count; d++)
		if (p->sc->floats >> d & 1)
			sched_floating_set(p->sched, d, totals[d], 0);
	memcpy(p->floating, totals, sizeof(p->floating));
}

static void tell_world(struct play *p)
{
	const struct scenario *sc = p->sc;

	tell_totals(p, sc->floating);
	for (uint32_t i = 0; i < sc->node_count; i++) {
		p->nodes[i].cordoned = sc->nodes[i].cordoned;
		tell_node(p, i);
	}
	for (size_t i = 0; i < sc->queue_count; i++) {
		sched_queue_set(p->sched, sc->queues[i].name, sc->queues[i].factor,
				sc->queues[i].cordoned);
		sched_queue_limit(p->sched, sc->queues[i].name, &sc->queues[i].limit);
		sched_queue_class_limits(p->sched, sc->queues[i].name, sc->queues[i].class_limits,
					 sc->queues[i].class_limit_count);
		sched_queue_quota(p->sched, sc->queues[i].name, &sc->queues[i].quota);
		sched_queue_user_quota(p->sched, sc->queues[i].name, &sc->queues[i].user_quota);
	}
}

/* --- before a round --- */

static void remove_node(struct play *p, uint32_t node)
{
	for (uint32_t i = 0; i < p->sc->job_count; i++)
		if (p->jobs[i].state == JOB_RUNNING && p->jobs[i].node == node)
			units_end(p, i);
	p->nodes[node].removed = true;
	sched_node_remove(p->sched, p->sc->nodes[node].name);
}

static void cordon(struct play *p, uint32_t node, bool cordoned)
{
	p->nodes[node].cordoned = cordoned;
	if (!p->nodes[node].removed)
		tell_node(p, node);
}

static void prepare(struct play *p, const struct scenario_round *r)
{
	p->now_us += r->advance_us;
	sched_now(p->sched, p->now_us);
	if (r->floating)
		tell_totals(p, r->floating);
	for (int a = 0; a < ACTS; a++) {
		for (size_t i = 0; i < r->act_counts[a]; i++) {
			uint32_t what = r->acts[a][i];

			if (a == ACT_FINISH || a == ACT_CANCEL)
				units_end(p, what);
			else if (a == ACT_REMOVE_NODE)
				remove_node(p, what);
			else
				cordon(p, what, a == ACT_CORDON);
		}
	}
	for (uint32_t i = 0; i < r->job_count; i++)
		units_submit(p, r->first_job + i);
}

/* --- after a round --- */

static uint32_t node_named(const struct play *p, const char *name)
{
	for (uint32_t i = 0; i < p->sc->node_count; i++)
		if (strcmp(p->sc->nodes[i].name, name) == 0)
			return i;
	return NONE;
}

static void set_why(struct play *p, uint32_t job, const char *why)
{
	free(p->jobs[job].why);
	p->jobs[job].why = xstrdup(why);
}

/*
 * Store the reason of a waiting job. A job number of the scheduler is replaced by the id of the
 * document.
 */
static void store_reason(struct play *p, uint32_t job, const struct sched_result *result,
			 const struct sched_reason *reason)
{
	const struct sched_reservation *v = result->reservation;
	const char *at = reason->text, *rest;
	CLEANUP_FREE char *number = NULL, *text = NULL;

	if (reason->why == WHY_RESERVED && v) {
		number = xasprintf("job %llu", (unsigned long long)v->job);
		at = strstr(reason->text, number);
	}
	if (!number || !at) {
		set_why(p, job, reason->text);
		return;
	}
	rest = at + strlen(number);
	text = xasprintf("%.*sjob %s%s", (int)(at - reason->text), reason->text,
			 p->sc->jobs[v->job - 1].id, rest);
	set_why(p, job, text);
}

static void started(struct play *p, const struct sched_decision *d)
{
	uint32_t unit = (uint32_t)(d->job - 1);
	struct play_unit *u = &p->units[unit];
	struct outcome *o = &p->out;

	sched_run(p->sched, d->job, 0, d->nodes, p->now_us);
	for (uint32_t i = 0; i < u->count; i++) {
		struct play_job *j = &p->jobs[u->jobs[i]];

		if (d->nodes[i]) {
			j->state = JOB_RUNNING;
			j->node = node_named(p, d->nodes[i]);
			GROW(o->scheduled, o->scheduled_cap, o->scheduled_count + 1);
			o->scheduled[o->scheduled_count++] = u->jobs[i];
			continue;
		}
		j->state = JOB_GONE;
		j->unit = NONE;
		u->left--;
		GROW(o->failed, o->failed_cap, o->failed_count + 1);
		o->failed[o->failed_count++] = u->jobs[i];
	}
}

static void preempted(struct play *p, const struct sched_decision *d)
{
	uint32_t unit = (uint32_t)(d->job - 1);
	struct play_unit *u = &p->units[unit];
	struct outcome *o = &p->out;

	for (uint32_t i = 0; i < u->count; i++) {
		struct play_job *j = &p->jobs[u->jobs[i]];

		if (j->state != JOB_RUNNING)
			continue;
		j->state = JOB_GONE;
		GROW(o->preempted, o->preempted_cap, o->preempted_count + 1);
		GROW(o->why, o->why_cap, o->preempted_count + 1);
		o->why[o->preempted_count] = d->why;
		o->preempted[o->preempted_count++] = u->jobs[i];
	}
	units_drop(p, unit);
}

static void drop_queued(struct play *p)
{
	for (uint32_t i = 0; p->sc->drop_queued && i < p->sc->job_count; i++)
		if (p->jobs[i].state == JOB_QUEUED)
			units_end(p, i);
}

static void apply(struct play *p, const struct sched_result *result)
{
	p->out.scheduled_count = p->out.preempted_count = p->out.failed_count = 0;
	for (size_t i = 0; i < result->reason_count; i++) {
		const struct play_unit *u = &p->units[result->reasons[i].job - 1];

		for (uint32_t k = 0; k < u->count; k++)
			store_reason(p, u->jobs[k], result, &result->reasons[i]);
	}
	for (size_t i = 0; i < result->decision_count; i++)
		if (result->decisions[i].kind == SCHED_PREEMPT)
			preempted(p, &result->decisions[i]);
	for (size_t i = 0; i < result->decision_count; i++)
		if (result->decisions[i].kind == SCHED_START)
			started(p, &result->decisions[i]);
}

static int64_t clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* One round; returns the number of violations, or -1 if a plugin failed. */
static int play_round(struct play *p, size_t i, const struct play_options *o)
{
	struct sched_round in = {.seed = i};
	struct sched_result result;
	int64_t began, took;
	int faults = 0;

	prepare(p, &p->sc->rounds[i]);
	in.now_us = p->now_us;
	began = clock_us();
	sched_run_round(p->sched, &in, &result);
	took = clock_us() - began;
	if (result.fault) {
		fprintf(stderr, "asim: %s: round %zu: %s\n", o->file, i, result.fault);
		faults = -1;
	} else {
		apply(p, &result);
		print_round(p, i, &result, o->time ? took : 0, o->out ? o->out : stdout);
		faults = o->check ? check_round(p, i) : 0;
		drop_queued(p);
	}
	sched_result_done(&result);
	return faults;
}

static struct sched *make_sched(const struct scenario *sc, struct err *err)
{
	CLEANUP_FREE struct sched_class *classes = xcalloc(sc->class_count, sizeof(*classes));
	struct sched_config config = {.resources = sc->resources,
				      .resource_count = sc->resource_count,
				      .classes = classes,
				      .class_count = sc->class_count,
				      .fairness = &sc->plugins[0],
				      .order = &sc->plugins[1],
				      .preempt = &sc->plugins[2],
				      .select = &sc->plugins[3],
				      .limits = sc->limits,
				      .user_quota = sc->user_quota,
				      .users = sc->users,
				      .user_count = sc->user_count,
				      .accounts = sc->accounts,
				      .account_count = sc->account_count,
				      .partial_gangs = true};

	for (size_t i = 0; i < sc->class_count; i++)
		classes[i] = (struct sched_class){sc->classes[i].name,
						  sc->classes[i].priority,
						  sc->classes[i].fair_share_preemptible,
						  sc->classes[i].urgency_preemptible,
						  sc->classes[i].limit,
						  false};
	return sched_new(&config, err);
}

static void play_done(struct play *p)
{
	for (uint32_t i = 0; i < p->sc->job_count; i++) {
		free(p->jobs[i].why);
		free(p->units[i].jobs);
	}
	for (size_t i = 0; i < p->sc->gang_count; i++)
		free(p->gangs[i].jobs);
	free(p->jobs);
	free(p->units);
	free(p->nodes);
	free(p->gangs);
	free(p->out.scheduled);
	free(p->out.preempted);
	free(p->out.failed);
	free(p->out.why);
	sched_free(p->sched);
}

int play_scenario(const struct scenario *sc, const struct play_options *o, struct err *err)
{
	struct play p = {.sc = sc, .sched = make_sched(sc, err)};
	int faults = 0;

	if (!p.sched)
		return 2;
	p.jobs = xcalloc(sc->job_count + 1, sizeof(*p.jobs));
	p.units = xcalloc(sc->job_count + 1, sizeof(*p.units));
	p.nodes = xcalloc(sc->node_count + 1, sizeof(*p.nodes));
	p.gangs = xcalloc(sc->gang_count + 1, sizeof(*p.gangs));
	for (uint32_t i = 0; i < sc->job_count; i++)
		p.jobs[i].unit = NONE;
	tell_world(&p);
	for (uint32_t i = 0; i < sc->running_count; i++)
		units_start_running(&p, i);
	for (size_t i = 0; i < sc->round_count && faults >= 0; i++) {
		int n = play_round(&p, i, o);

		faults = n < 0 ? n : faults + n;
	}
	play_done(&p);
	return faults != 0;
}

int play_file(const struct play_options *o)
{
	struct scenario sc;
	struct err err = {""};
	int rc = scenario_load(&sc, o->file, &o->from, &err);

	rc = rc ? 2 : play_scenario(&sc, o, &err);
	if (rc == 2)
		fprintf(stderr, "asim: %s: %s\n", o->file, err.text);
	scenario_done(&sc);
	return rc;
}

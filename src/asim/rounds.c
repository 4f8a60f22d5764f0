#include "sched/memory.h"
#include "asim/rounds_play.h"
#include "util/arena.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Nodes and queues. */

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

static void tell_world(struct play *p)
{
	const struct scenario *sc = p->sc;

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
		sched_queue_most(p->sched, sc->queues[i].name, &sc->queues[i].most);
		sched_queue_user_most(p->sched, sc->queues[i].name, &sc->queues[i].user_most);
	}
}

/* Units. */

static void describe(const struct play *p, const struct scenario_shape *s, uint32_t members,
		     struct sched_job *ret)
{
	*ret = (struct sched_job){.queue = p->sc->queues[s->queue].name,
				  .class_name = p->sc->classes[s->class].name,
				  .user = s->user,
				  .elements = members,
				  .priority = s->priority,
				  .time_limit_us = s->time_limit_us,
				  .members = members,
				  .min_members = members,
				  .selectors = s->selectors,
				  .selector_count = s->selector_count,
				  .tolerations = s->tolerations,
				  .toleration_count = s->toleration_count};
	memcpy(ret->request, s->request, sizeof(ret->request));
}

/* Runs of members that are alike. */
static size_t list_parts(const struct play *p, const struct play_unit *u, struct sched_job *parts)
{
	size_t n = 0;

	for (uint32_t i = 0; i < u->count; i++) {
		const struct scenario_shape *s = p->sc->jobs[u->jobs[i]].shape;

		if (i && p->sc->jobs[u->jobs[i - 1]].shape == s)
			parts[n - 1].members++;
		else
			describe(p, s, 1, &parts[n++]);
	}
	return n;
}

/* What the gang as a whole is: of its least urgent class, of its latest priority and limit. */
static void join_parts(const struct play *p, const struct play_unit *u, struct sched_job *ret)
{
	const struct scenario_shape *low = p->sc->jobs[u->jobs[0]].shape;
	int64_t priority = low->priority, limit_us = low->time_limit_us;

	for (uint32_t i = 1; i < u->count; i++) {
		const struct scenario_shape *s = p->sc->jobs[u->jobs[i]].shape;

		if (p->sc->classes[s->class].priority < p->sc->classes[low->class].priority)
			low = s;
		if (s->priority > priority)
			priority = s->priority;
		if (!s->time_limit_us || (limit_us && s->time_limit_us > limit_us))
			limit_us = s->time_limit_us;
	}
	describe(p, low, u->count, ret);
	ret->priority = priority;
	ret->time_limit_us = limit_us;
}

static void tell_unit(struct play *p, uint32_t unit)
{
	struct play_unit *u = &p->units[unit];
	CLEANUP_FREE struct sched_job *parts = xcalloc(u->count, sizeof(*parts));
	size_t n = list_parts(p, u, parts);
	const struct scenario_shape *s = p->sc->jobs[unit].shape;
	struct sched_job job;

	join_parts(p, u, &job);
	if (n > 1) {
		job.parts = parts;
		job.part_count = n;
		job.selector_count = job.toleration_count = 0;
	}
	job.id = (uint64_t)unit + 1;
	job.submit_us = unit;
	if (s->gang != NONE) {
		job.min_members = p->sc->gangs[s->gang].min;
		job.uniformity = p->sc->gangs[s->gang].uniformity;
	}
	sched_job_add(p->sched, &job);
	for (uint32_t i = 0; i < u->count; i++) {
		p->jobs[u->jobs[i]].unit = unit;
		p->jobs[u->jobs[i]].member = i;
	}
}

static void make_unit(struct play *p, const uint32_t *jobs, uint32_t count)
{
	uint32_t unit = jobs[count - 1];

	p->units[unit] = (struct play_unit){
		.jobs = xmemdup(jobs, count * sizeof(*jobs)), .count = count, .left = count};
	tell_unit(p, unit);
}

/* Alone it is a unit; in a gang it waits for the others. */
static void join(struct play *p, uint32_t job, uint32_t wanted, uint32_t *ret_unit)
{
	uint32_t gang = p->sc->jobs[job].shape->gang;
	struct play_gang *g;

	*ret_unit = NONE;
	p->jobs[job].unit = NONE;
	if (gang == NONE) {
		make_unit(p, &job, 1);
		*ret_unit = job;
		return;
	}
	g = &p->gangs[gang];
	GROW(g->jobs, g->cap, g->count + 1);
	g->jobs[g->count++] = job;
	if (g->count < wanted)
		return;
	make_unit(p, g->jobs, (uint32_t)g->count);
	g->count = 0;
	*ret_unit = job;
}

static void submit(struct play *p, uint32_t job)
{
	uint32_t gang = p->sc->jobs[job].shape->gang, unit;

	p->jobs[job].state = JOB_QUEUED;
	join(p, job, gang == NONE ? 1 : p->sc->gangs[gang].cardinality, &unit);
	if (unit != NONE)
		sched_wait(p->sched, (uint64_t)unit + 1, 0, 0, 1);
}

static void start_running(struct play *p, uint32_t job)
{
	const struct scenario *sc = p->sc;
	uint32_t gang = sc->jobs[job].shape->gang, unit, last = 0;
	CLEANUP_FREE const char **nodes = NULL;

	p->jobs[job].state = JOB_RUNNING;
	p->jobs[job].node = sc->jobs[job].node;
	for (uint32_t i = 0; gang != NONE && i < sc->running_count; i++)
		last += sc->jobs[i].shape->gang == gang;
	join(p, job, gang == NONE ? 1 : last, &unit);
	if (unit == NONE)
		return;
	nodes = xcalloc(p->units[unit].count, sizeof(*nodes));
	for (uint32_t i = 0; i < p->units[unit].count; i++)
		nodes[i] = sc->nodes[sc->jobs[p->units[unit].jobs[i]].node].name;
	/* All at once: of those the order is that of the document. */
	sched_run(p->sched, (uint64_t)unit + 1, 0, nodes, 0);
}

/* The unit is no more. Members of a gang that are still queued stay without it. */
static void drop_unit(struct play *p, uint32_t unit)
{
	struct play_unit *u = &p->units[unit];

	sched_end(p->sched, (uint64_t)unit + 1, 0);
	sched_job_remove(p->sched, (uint64_t)unit + 1);
	for (uint32_t i = 0; i < u->count; i++)
		p->jobs[u->jobs[i]].unit = NONE;
	free(u->jobs);
	*u = (struct play_unit){0};
}

static void leave_gang(struct play *p, uint32_t job)
{
	uint32_t gang = p->sc->jobs[job].shape->gang;
	struct play_gang *g;
	size_t n = 0;

	if (gang == NONE)
		return;
	g = &p->gangs[gang];
	for (size_t i = 0; i < g->count; i++)
		if (g->jobs[i] != job)
			g->jobs[n++] = g->jobs[i];
	g->count = n;
}

static void end_member(struct play *p, uint32_t unit, uint32_t member)
{
	sched_member_end(p->sched, (uint64_t)unit + 1, 0, member);
	sched_elements_left(p->sched, (uint64_t)unit + 1, 0, p->units[unit].left);
}

/* Finished, cancelled, or its node went. */
static void end_job(struct play *p, uint32_t job)
{
	struct play_job *j = &p->jobs[job];
	bool running = j->state == JOB_RUNNING;
	uint32_t unit = j->unit;

	if (j->state != JOB_QUEUED && !running)
		return;
	j->state = JOB_GONE;
	leave_gang(p, job);
	if (unit == NONE)
		return;
	if (running && --p->units[unit].left)
		end_member(p, unit, j->member);
	else
		drop_unit(p, unit);
	j->unit = NONE;
}

/* Before a round. */

static void remove_node(struct play *p, uint32_t node)
{
	for (uint32_t i = 0; i < p->sc->job_count; i++)
		if (p->jobs[i].state == JOB_RUNNING && p->jobs[i].node == node)
			end_job(p, i);
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
	for (int a = 0; a < ACTS; a++) {
		for (size_t i = 0; i < r->act_counts[a]; i++) {
			uint32_t what = r->acts[a][i];

			if (a == ACT_FINISH || a == ACT_CANCEL)
				end_job(p, what);
			else if (a == ACT_REMOVE_NODE)
				remove_node(p, what);
			else
				cordon(p, what, a == ACT_CORDON);
		}
	}
	for (uint32_t i = 0; i < r->job_count; i++)
		submit(p, r->first_job + i);
}

/* After it. */

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

/* The scheduler knows jobs by number. */
static void say(struct play *p, uint32_t job, const struct sched_result *result,
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
	drop_unit(p, unit);
}

static void drop_queued(struct play *p)
{
	for (uint32_t i = 0; p->sc->drop_queued && i < p->sc->job_count; i++)
		if (p->jobs[i].state == JOB_QUEUED)
			end_job(p, i);
}

static void apply(struct play *p, const struct sched_result *result)
{
	p->out.scheduled_count = p->out.preempted_count = p->out.failed_count = 0;
	for (size_t i = 0; i < result->reason_count; i++) {
		const struct play_unit *u = &p->units[result->reasons[i].job - 1];

		for (uint32_t k = 0; k < u->count; k++)
			say(p, u->jobs[k], result, &result->reasons[i]);
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

/* One round; what is wrong with it, or -1 when a plugin failed. */
static int play_round(struct play *p, size_t i, const struct rounds_options *o)
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
				      .user_most = sc->user_most,
				      .users = sc->users,
				      .user_count = sc->user_count,
				      .partial_gangs = true};

	for (size_t i = 0; i < sc->class_count; i++)
		classes[i] = (struct sched_class){sc->classes[i].name, sc->classes[i].priority,
						  sc->classes[i].fair_share_preemptible,
						  sc->classes[i].urgency_preemptible,
						  sc->classes[i].limit};
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

int rounds_play(const struct scenario *sc, const struct rounds_options *o, struct err *err)
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
		start_running(&p, i);
	for (size_t i = 0; i < sc->round_count && faults >= 0; i++) {
		int n = play_round(&p, i, o);

		faults = n < 0 ? n : faults + n;
	}
	play_done(&p);
	return faults != 0;
}

int rounds_run(const struct rounds_options *o)
{
	struct scenario sc;
	struct err err = {""};
	int rc = scenario_load(&sc, o->file, o->plugins, &err);

	rc = rc ? 2 : rounds_play(&sc, o, &err);
	if (rc == 2)
		fprintf(stderr, "asim: %s: %s\n", o->file, err.text);
	scenario_done(&sc);
	return rc;
}

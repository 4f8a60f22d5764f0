/*
 * Random worlds that preempt.
 *
 * A world has 1 to 4 nodes of 1 to 8 cpus and 2 to 4 queues with factors 1 or 2. A class is
 * preempted for shares in half of the worlds, and half of the worlds have one more class, which
 * nothing displaces. 10 jobs are submitted first and up to 7 later. Tasks have no time limit, and no task
 * ends by itself.
 *
 * With these figures an earlier rule (victims for shares first, then for urgency) preempts again in about
 * as many worlds as it did in an independent model. The random draws must not be changed, so that seeds
 * keep their meaning.
 */
#include "unit/sched/stability_world.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_JOBS = 10, LATER_JOBS = 7, CPUS = 8, REQUEST = 3, FACTOR = 2 };

static const char *const node_names[STABILITY_NODES] = {"n0", "n1", "n2", "n3"};
static const char *const queue_names[STABILITY_QUEUES] = {"A", "B", "C", "D"};
static const char *const class_names[STABILITY_CLASSES] = {"low", "mid", "high"};

static int draw(struct stability_world *w, int below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (int)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 32) % (uint64_t)below);
}

void stability_load(struct rig *r)
{
	static const struct sched_class any[] = {{"low", 0, true, true, {0}, false}};

	rig_init_policy(
		r, &(struct rig_policy){.preempt = "fairshare", .classes = any, .class_count = 1});
}

void stability_open(struct stability_world *w, const struct rig *r)
{
	static const char *const resources[STABILITY_RESOURCES] = {"cpu", "memory"};
	const struct sched_config config = {.resources = resources,
					    .resource_count = STABILITY_RESOURCES,
					    .classes = w->classes,
					    .class_count = (size_t)w->class_count,
					    .fairness = &r->fairness,
					    .order = &r->order,
					    .preempt = &r->preempt,
					    .select = &r->select};
	struct err err;

	w->s = sched_new(&config, &err);
	if (!w->s)
		bail("%s", err.text);
	for (int q = 0; q < w->queue_count; q++)
		sched_queue_set(w->s, queue_names[q], w->factors[q], false);
	for (int n = 0; n < w->node_count; n++) {
		struct sched_node in = {.name = node_names[n], .schedulable = true};

		for (int i = 0; i < STABILITY_RESOURCES; i++)
			w->totals[i] += in.total[i] = w->nodes[n][i];
		sched_node_set(w->s, &in);
	}
}

void stability_done(struct stability_world *w)
{
	sched_free(w->s);
}

static void draw_world(struct stability_world *w)
{
	for (int i = 0; i < w->kind->classes; i++)
		w->classes[w->class_count++] = (struct sched_class){
			.name = class_names[i],
			.priority = 10 * (i + 1),
			.fair_share_preemptible = w->kind->classes == 1 || draw(w, 2),
			.urgency_preemptible = true};
	if (draw(w, 2))
		w->classes[w->class_count++] = (struct sched_class){
			.name = "fixed", .priority = 10 * (1 + draw(w, w->kind->classes))};
	w->queue_count = 2 + draw(w, 3);
	for (int q = 0; q < w->queue_count; q++)
		w->factors[q] = 1 + draw(w, FACTOR);
	w->node_count = 1 + draw(w, STABILITY_NODES);
	for (int n = 0; n < w->node_count; n++) {
		w->nodes[n][0] = 1000 * (1 + draw(w, CPUS));
		w->nodes[n][1] = w->kind->memory ? RIG_G * (1 + draw(w, CPUS)) : 1000 * RIG_G;
	}
}

static void show_world(const struct stability_world *w)
{
	for (int i = 0; i < w->class_count; i++)
		diag("class %s %d%s%s", w->classes[i].name, (int)w->classes[i].priority,
		     w->classes[i].fair_share_preemptible ? ", fair-share" : "",
		     w->classes[i].urgency_preemptible ? ", urgency" : "");
	for (int n = 0; n < w->node_count; n++)
		diag("node %s: %d cpus, %d GiB", node_names[n], (int)(w->nodes[n][0] / 1000),
		     (int)(w->nodes[n][1] / RIG_G));
	for (int q = 0; q < w->queue_count; q++)
		diag("queue %s: factor %g", queue_names[q], w->factors[q]);
}

static void show_job(const struct stability_world *w, const char *what,
		     const struct stability_job *j)
{
	char on[64] = "";

	if (!w->talk)
		return;
	for (int m = 0; j->runs && m < j->members; m++)
		snprintf(on + strlen(on), sizeof(on) - strlen(on), " n%d", j->nodes[m]);
	diag("  %s %llu: %s %s, %d x %d cpus, %d GiB%s", what, (unsigned long long)j->id,
	     queue_names[j->queue], w->classes[j->class].name, j->members,
	     (int)(j->request[0] / 1000), (int)(j->request[1] / RIG_G), on);
}

static void show_running(const struct stability_world *w)
{
	for (int i = 0; i < w->job_count; i++)
		if (w->jobs[i].runs)
			show_job(w, "runs", &w->jobs[i]);
}

/* The largest part of a resource of the cluster that it uses. */
static double part_of(const struct stability_world *w, const struct stability_job *j)
{
	double most = 0;

	for (int i = 0; i < STABILITY_RESOURCES; i++) {
		double part = (double)(j->request[i] * j->members) / (double)w->totals[i];

		most = part > most ? part : most;
	}
	return most;
}

void stability_submit(struct stability_world *w, struct stability_job *j)
{
	struct sched_job in = {.queue = queue_names[j->queue],
			       .class_name = w->classes[j->class].name,
			       .priority = j->priority,
			       .members = (uint32_t)j->members,
			       .min_members = (uint32_t)j->members};

	j->id = in.id = ++w->ids;
	j->submit_us = in.submit_us = w->now_us;
	memcpy(in.request, j->request, sizeof(j->request));
	sched_job_add(w->s, &in);
	sched_wait(w->s, j->id, 0, 0, 1);
	j->waits = true;
	show_job(w, "submitted", j);
}

static void submit_one(struct stability_world *w)
{
	struct stability_job *j = &w->jobs[w->job_count++];

	*j = (struct stability_job){.members = 1, .request = {1000, RIG_G}};
	j->queue = draw(w, w->queue_count);
	j->class = draw(w, w->class_count);
	if (w->kind->mixed)
		j->request[0] = 1000 * (1 + draw(w, REQUEST));
	if (w->kind->memory)
		j->request[1] = RIG_G * (1 + draw(w, REQUEST));
	if (w->kind->gangs && draw(w, 3) == 0)
		j->members = 2 + draw(w, STABILITY_MEMBERS - 1);
	stability_submit(w, j);
}

static struct stability_job *job_of(struct stability_world *w, uint64_t id)
{
	for (int i = 0; i < w->job_count; i++)
		if (w->jobs[i].id == id)
			return &w->jobs[i];
	bail("job %llu is not known", (unsigned long long)id);
}

/* The jobs that wait stay away from now on. */
static void send_away(struct stability_world *w)
{
	for (int i = 0; i < w->job_count; i++) {
		if (!w->jobs[i].waits)
			continue;
		sched_job_remove(w->s, w->jobs[i].id);
		w->jobs[i].waits = false;
		w->jobs[i].id = 0;
	}
}

static void preempt(struct stability_world *w, const struct sched_decision *d,
		    struct stability_round *r)
{
	struct stability_job *j = job_of(w, d->job);
	int at = r->preempted++;

	show_job(w, d->why, j);
	sched_end(w->s, d->job, d->element);
	j->runs = false;
	r->displaced += part_of(w, j);
	for (; at > 0 && r->gone[at - 1]->id > j->id; at--) {
		r->gone[at] = r->gone[at - 1];
		r->for_job[at] = r->for_job[at - 1];
	}
	r->gone[at] = j;
	r->for_job[at] = d->for_job;
}

void stability_start(struct stability_world *w, struct stability_job *j)
{
	const char *nodes[STABILITY_MEMBERS];

	for (int m = 0; m < j->members; m++)
		nodes[m] = node_names[j->nodes[m]];
	sched_run(w->s, j->id, 0, nodes, w->now_us);
	j->waits = false;
	j->runs = true;
	show_job(w, "starts", j);
}

static void start(struct stability_world *w, const struct sched_decision *d,
		  struct stability_round *r)
{
	struct stability_job *j = job_of(w, d->job);

	for (size_t m = 0; m < d->node_count; m++)
		j->nodes[m] = atoi(d->nodes[m] + 1);
	stability_start(w, j);
	r->placed += part_of(w, j);
}

void stability_round(struct stability_world *w, struct stability_round *ret)
{
	struct sched_round in = {.now_us = w->now_us += 1000000, .seed = 1};
	struct sched_result res;

	*ret = (struct stability_round){0};
	sched_run_round(w->s, &in, &res);
	for (size_t i = 0; i < res.decision_count; i++)
		if (res.decisions[i].kind == SCHED_PREEMPT)
			preempt(w, &res.decisions[i], ret);
	for (size_t i = 0; i < res.decision_count; i++)
		if (res.decisions[i].kind == SCHED_START)
			start(w, &res.decisions[i], ret);
	ret->decided = (int)res.decision_count;
	sched_result_done(&res);
}

static void come_back(struct stability_world *w, const struct stability_round *r,
		      enum stability_way way)
{
	for (int i = 0; i < r->preempted; i++) {
		struct stability_job *j = r->gone[i];

		if (way == STABILITY_NEW) {
			sched_job_remove(w->s, j->id);
			stability_submit(w, j);
			continue;
		}
		sched_wait(w->s, j->id, 0, 0, 1);
		j->waits = true;
		sched_displaced_for(w->s, j->id, 0, r->for_job[i], 0);
		show_job(w, "waits again", j);
	}
}

int stability_settle(struct stability_world *w, struct stability_round *r, enum stability_way way,
		     bool *ret_again)
{
	*ret_again = false;
	for (int n = 0; n < STABILITY_LAST; n++) {
		come_back(w, r, way);
		if (w->talk)
			diag("round %d after the preemption", n + 1);
		stability_round(w, r);
		if (n == 0)
			*ret_again = r->preempted > 0;
		if (!r->decided)
			return n;
	}
	return STABILITY_LAST;
}

/* Submits jobs until a round preempts. */
static bool fill(struct stability_world *w, struct stability_round *r)
{
	for (int step = 0; step < 2; step++) {
		int n = step == 0 ? FIRST_JOBS : 1 + draw(w, LATER_JOBS);

		while (n-- > 0)
			submit_one(w);
		stability_round(w, r);
		if (r->preempted)
			return true;
		send_away(w);
	}
	return false;
}

static void play_on(struct stability_world *w, struct stability_round *r, enum stability_way way,
		    struct stability_fate *ret)
{
	struct stability_round none;

	ret->preempts = true;
	ret->placed = r->placed;
	ret->displaced = r->displaced;
	if (way != STABILITY_ALL) {
		send_away(w);
		show_running(w);
		stability_round(w, &none);
		ret->wakes = none.decided > 0;
	}
	ret->rounds = stability_settle(w, r, way, &ret->again);
	if (ret->rounds == STABILITY_LAST)
		return;
	send_away(w);
	stability_round(w, &none);
	ret->wakes = ret->wakes || none.decided > 0;
}

void stability_play(const struct rig *r, const struct stability_kind *kind, uint64_t seed,
		    enum stability_way way, bool talk, struct stability_fate *ret)
{
	struct stability_world w = {.kind = kind, .talk = talk};
	struct stability_round first;

	*ret = (struct stability_fate){0};
	w.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	draw_world(&w);
	if (talk)
		show_world(&w);
	stability_open(&w, r);
	if (fill(&w, &first))
		play_on(&w, &first, way, ret);
	stability_done(&w);
}

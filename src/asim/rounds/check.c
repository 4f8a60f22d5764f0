/*
 * Checks whether a round was allowed.
 *
 * Input: the scenario, the state before and after the round, and its decisions. Output: messages on
 * stderr, and their number. The rules come from the documents alone: no code and no statement of
 * the scheduler is used, only its decisions.
 */
#include "asim/rounds/check.h"
#include "asim/rounds/check_quotas.h"
#include "asim/rounds/check_slices.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

struct check {
	const struct play *p;
	const struct scenario *sc;
	size_t round;
	int faults;
};

static void fault(struct check *c, const char *what, const char *who)
{
	fprintf(stderr, "asim: check: round %zu: %s: %s\n", c->round, who, what);
	c->faults++;
}

static const char *label(const struct scenario_node *n, const char *key)
{
	for (size_t i = 0; i < n->label_count; i++)
		if (strcmp(n->labels[i].key, key) == 0)
			return n->labels[i].value;
	return NULL;
}

static bool tolerated(const struct scenario_shape *s, const struct sched_taint *t)
{
	if (strcmp(t->effect, "PreferNoSchedule") == 0)
		return true;
	for (size_t i = 0; i < s->toleration_count; i++) {
		const struct sched_toleration *l = &s->tolerations[i];
		bool exists = strcmp(l->op, "Exists") == 0;

		if (*l->key ? strcmp(l->key, t->key) != 0 : !exists)
			continue;
		if (exists || strcmp(l->value, t->value) == 0)
			return true;
	}
	return false;
}

/* Check that the job may run on the node where it was started. */
static void check_place(struct check *c, uint32_t job)
{
	const struct scenario_job *j = &c->sc->jobs[job];
	const struct scenario_shape *s = j->shape;
	uint32_t node = c->p->jobs[job].node;
	const struct scenario_node *n = &c->sc->nodes[node];

	if (c->p->nodes[node].removed || c->p->nodes[node].cordoned)
		fault(c, "started on a node that is cordoned or removed", j->id);
	if (c->sc->queues[s->queue].cordoned)
		fault(c, "started though its queue is cordoned", j->id);
	for (size_t i = 0; i < s->selector_count; i++) {
		const char *v = label(n, s->selectors[i].key);

		if (!v || strcmp(v, s->selectors[i].value) != 0)
			fault(c, "its node does not have the label that it selects", j->id);
	}
	for (size_t i = 0; i < n->taint_count; i++)
		if (!tolerated(s, &n->taints[i]))
			fault(c, "its node has a taint that it does not tolerate", j->id);
}

static void check_room(struct check *c)
{
	size_t dims = c->sc->resource_count;
	CLEANUP_FREE int64_t *used = xcalloc(c->sc->node_count * dims + 1, sizeof(*used));

	for (uint32_t i = 0; i < c->sc->job_count; i++)
		for (size_t d = 0; c->p->jobs[i].state == JOB_RUNNING && d < dims; d++)
			used[c->p->jobs[i].node * dims + d] += c->sc->jobs[i].shape->request[d];
	for (size_t n = 0; n < c->sc->node_count; n++)
		for (size_t d = 0; d < dims; d++)
			if (used[n * dims + d] > c->sc->nodes[n].total[d])
				fault(c, "its jobs use more than it has", c->sc->nodes[n].name);
}

/* The jobs of a gang in the list. */
static uint32_t members_in(const struct check *c, const uint32_t *list, size_t count, uint32_t gang)
{
	uint32_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += c->sc->jobs[list[i]].shape->gang == gang;
	return n;
}

static void check_label(struct check *c, uint32_t gang)
{
	const struct scenario_gang *g = &c->sc->gangs[gang];
	const char *first = NULL;

	for (uint32_t i = 0; *g->uniformity && i < c->sc->job_count; i++) {
		const char *v;

		if (c->sc->jobs[i].shape->gang != gang || c->p->jobs[i].state != JOB_RUNNING)
			continue;
		v = label(&c->sc->nodes[c->p->jobs[i].node], g->uniformity);
		if (!v || (first && strcmp(first, v) != 0))
			fault(c, "is not on nodes with one value of its label", g->id);
		first = first ? first : v;
	}
}

static void check_gangs(struct check *c)
{
	const struct outcome *o = &c->p->out;

	for (uint32_t g = 0; g < c->sc->gang_count; g++) {
		const struct scenario_gang *gang = &c->sc->gangs[g];
		uint32_t on = members_in(c, o->scheduled, o->scheduled_count, g);
		uint32_t off = members_in(c, o->preempted, o->preempted_count, g);
		uint32_t failed = members_in(c, o->failed, o->failed_count, g), left = 0;

		for (uint32_t i = 0; i < c->sc->job_count; i++)
			left += c->sc->jobs[i].shape->gang == g &&
				c->p->jobs[i].state == JOB_RUNNING;
		if (on && (on < gang->min || on + failed != gang->cardinality))
			fault(c, "was started in part", gang->id);
		if (off && left)
			fault(c, "was preempted in part", gang->id);
		if (on)
			check_label(c, g);
	}
}

static void check_preempted(struct check *c)
{
	const struct outcome *o = &c->p->out;

	for (size_t i = 0; i < o->preempted_count; i++) {
		const struct scenario_job *j = &c->sc->jobs[o->preempted[i]];
		const struct scenario_class *k = &c->sc->classes[j->shape->class];

		if (!j->shape->scavenge && !k->fair_share_preemptible && !k->urgency_preemptible)
			fault(c, "was preempted, and its class is not preemptible", j->id);
		for (size_t s = 0; s < o->scheduled_count; s++)
			if (o->scheduled[s] == o->preempted[i])
				fault(c, "was preempted and started in the same round", j->id);
	}
}

/* The total of a resource on the nodes that count. */
static double whole(const struct check *c, size_t d)
{
	double sum = 0;

	for (uint32_t n = 0; n < c->sc->node_count; n++) {
		bool used = false;

		for (uint32_t i = 0; c->p->nodes[n].cordoned && i < c->sc->job_count; i++)
			used = used ||
			       (c->p->jobs[i].node == n && (c->p->jobs[i].state == JOB_RUNNING));
		if (!c->p->nodes[n].removed && (!c->p->nodes[n].cordoned || used))
			sum += (double)c->sc->nodes[n].total[d];
	}
	sum += (double)c->p->floating[d];
	return sum;
}

/* The limits of a round. The last unit may exceed them: the units before it must not. */
static void check_limits(struct check *c)
{
	const struct sched_limits *l = &c->sc->limits;
	const struct outcome *o = &c->p->out;
	size_t n = o->scheduled_count;
	uint32_t last;

	if (l->jobs_per_round && n > l->jobs_per_round)
		fault(c, "more jobs were started than a round may start", "limits");
	if (l->rate.burst > 0 && (double)n > l->rate.burst)
		fault(c, "more jobs were started than the burst allows", "limits");
	if (!n)
		return;
	last = c->p->jobs[o->scheduled[n - 1]].unit;
	for (size_t d = 0; d < c->sc->resource_count; d++) {
		double sum = 0, limit = l->per_round.of[d] * whole(c, d);

		for (size_t i = 0; i < n; i++)
			if (c->p->jobs[o->scheduled[i]].unit != last)
				sum += (double)c->sc->jobs[o->scheduled[i]].shape->request[d];
		if ((l->per_round.limited >> d & 1) && sum > limit * (1 + 1e-12))
			fault(c, "more was started than a round may start", c->sc->resources[d]);
	}
}

/*
 * If the round started a job of the queue in the class, the queue must be within its own limit for
 * the class.
 */
static void check_class_limit(struct check *c, const struct scenario_queue *q,
			      const struct sched_class_limit *l)
{
	const struct outcome *o = &c->p->out;

	for (size_t d = 0; d < c->sc->resource_count; d++) {
		double sum = 0;
		bool started = false;

		for (uint32_t i = 0; i < c->sc->job_count; i++) {
			const struct scenario_shape *s = c->sc->jobs[i].shape;

			if (&c->sc->queues[s->queue] == q && c->p->jobs[i].state == JOB_RUNNING &&
			    strcmp(c->sc->classes[s->class].name, l->class_name) == 0)
				sum += (double)s->request[d];
		}
		for (size_t i = 0; i < o->scheduled_count; i++) {
			const struct scenario_shape *s = c->sc->jobs[o->scheduled[i]].shape;

			started = started ||
				  (&c->sc->queues[s->queue] == q && s->request[d] &&
				   strcmp(c->sc->classes[s->class].name, l->class_name) == 0);
		}
		if (started && (l->limit.limited >> d & 1) &&
		    sum > l->limit.of[d] * whole(c, d) * (1 + 1e-12))
			fault(c, "has more in a class than its own limit", q->name);
	}
}

/*
 * What running jobs hold of a floating resource is at most the total, unless nothing that asks for
 * it was started: the total may have been reduced.
 */
static void check_floating(struct check *c)
{
	const struct outcome *o = &c->p->out;

	for (size_t d = 0; d < c->sc->resource_count; d++) {
		int64_t used = 0;
		bool started = false;

		for (uint32_t i = 0; c->sc->floats >> d & 1 && i < c->sc->job_count; i++)
			if (c->p->jobs[i].state == JOB_RUNNING)
				used += c->sc->jobs[i].shape->licenses[d];
		for (size_t i = 0; i < o->scheduled_count; i++)
			started = started || c->sc->jobs[o->scheduled[i]].shape->licenses[d];
		if (started && used > c->p->floating[d])
			fault(c, "more is in use than the cluster has", c->sc->resources[d]);
	}
}

int check_round(const struct play *p, size_t round)
{
	struct check c = {.p = p, .sc = p->sc, .round = round};

	for (size_t i = 0; i < p->out.scheduled_count; i++)
		check_place(&c, p->out.scheduled[i]);
	check_room(&c);
	check_gangs(&c);
	check_preempted(&c);
	check_limits(&c);
	check_floating(&c);
	for (size_t q = 0; q < c.sc->queue_count; q++)
		for (size_t i = 0; i < c.sc->queues[q].class_limit_count; i++)
			check_class_limit(&c, &c.sc->queues[q], &c.sc->queues[q].class_limits[i]);
	return c.faults + check_quotas(p, round) + check_slices(p, round);
}

/*
 * Makes units of the scheduler from jobs: a single job at once, a gang when its last member is
 * queued.
 *
 * A unit of unlike members has parts; its class, priority and time limit are those of the gang as a
 * whole. When a member ends the unit shrinks.
 */
#include "asim/rounds/units.h"
#include "util/mem.h"

#include <string.h>

static void describe(const struct play *p, const struct scenario_shape *s, uint32_t members,
		     struct sched_job *ret)
{
	*ret = (struct sched_job){.queue = p->sc->queues[s->queue].name,
				  .class_name = p->sc->classes[s->class].name,
				  .user = s->user,
				  .account = s->account,
				  .elements = members,
				  .priority = s->priority,
				  .time_limit_us = s->time_limit_us,
				  .scavenge = s->scavenge,
				  .members = members,
				  .min_members = members,
				  .selectors = s->selectors,
				  .selector_count = s->selector_count,
				  .tolerations = s->tolerations,
				  .toleration_count = s->toleration_count};
	memcpy(ret->request, s->request, sizeof(ret->request));
	memcpy(ret->licenses, s->licenses, sizeof(ret->licenses));
}

/* Groups of consecutive members that are alike. */
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

/* The gang as a whole: its least urgent class, its latest priority and its longest limit. */
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
	memset(ret->licenses, 0, sizeof(ret->licenses));
	for (uint32_t i = 0; i < u->count; i++)
		for (size_t d = 0; d < SCHED_RESOURCES; d++)
			ret->licenses[d] += p->sc->jobs[u->jobs[i]].shape->licenses[d];
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

/* A single job is a unit; a member of a gang waits for the others. */
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

void units_submit(struct play *p, uint32_t job)
{
	uint32_t gang = p->sc->jobs[job].shape->gang, unit;

	p->jobs[job].state = JOB_QUEUED;
	join(p, job, gang == NONE ? 1 : p->sc->gangs[gang].cardinality, &unit);
	if (unit != NONE)
		sched_wait(p->sched, (uint64_t)unit + 1, 0, 0, 1);
}

void units_start_running(struct play *p, uint32_t job)
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
	/* All start at once; the ids keep them in the order of the document. */
	sched_run(p->sched, (uint64_t)unit + 1, 0, nodes, 0);
}

/* The unit is removed. Members of a gang that are still queued stay without a unit. */
void units_drop(struct play *p, uint32_t unit)
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

/* Finished, cancelled, or its node was removed. */
void units_end(struct play *p, uint32_t job)
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
		units_drop(p, unit);
	j->unit = NONE;
}

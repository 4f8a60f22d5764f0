/*
 * Tasks of one element, one by one, from the records alone: which group each is of, that no attempt
 * number is used twice, that a task is started anew alone only while enough of the others are good, and
 * that an element is completed only by as many as must be.
 *
 * Nothing of the core is asked. After a crash the books are made anew from what is durable.
 */
#include "asim/storm_parts.h"

#include <string.h>

#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

enum rank_state { RANK_RUNS, RANK_GOOD, RANK_BAD, RANK_VACANT };

struct storm_shape {
	uint64_t job;
	uint32_t tasks, least, policy, groups;
	uint32_t replicas[STORM_GROUPS], cpus[STORM_GROUPS];
	bool service[STORM_GROUPS];
};

struct storm_element {
	uint64_t job;
	uint32_t element, highest, count;
	bool ending, done;
	struct {
		uint32_t attempt, group;
		enum rank_state state;
	} ranks[TASK_RANKS];
};

static struct storm_shape *shape_of(struct storm *s, uint64_t job)
{
	for (size_t i = 0; i < s->shape_count; i++)
		if (s->shapes[i].job == job)
			return &s->shapes[i];
	return NULL;
}

static struct storm_element *element_of(struct storm *s, uint64_t job, uint32_t element)
{
	for (size_t i = 0; i < s->element_count; i++)
		if (s->elements[i].job == job && s->elements[i].element == element)
			return &s->elements[i];
	GROW(s->elements, s->element_cap, s->element_count + 1);
	s->elements[s->element_count] = (struct storm_element){.job = job, .element = element};
	return &s->elements[s->element_count++];
}

bool group_does_without(struct storm *s, uint64_t job, uint32_t element, uint32_t rank)
{
	const struct storm_shape *shape = shape_of(s, job);
	const struct storm_element *e = element_of(s, job, element);

	return shape && shape->policy && rank < e->count && e->ranks[rank].state == RANK_BAD;
}

static void note_submitted(struct storm *s, const Armada__JobSubmitted *m)
{
	const Armada__JobSpec *spec = m->spec;
	struct storm_shape shape = {.job = m->id, .policy = spec->on_task_failure};

	for (; shape.groups < spec->n_groups && shape.groups < STORM_GROUPS; shape.groups++) {
		const Armada__TaskGroup *g = spec->groups[shape.groups];

		shape.tasks += shape.replicas[shape.groups] = g->replicas;
		shape.cpus[shape.groups] = (uint32_t)(g->resources[0]->amount / 1000);
		shape.service[shape.groups] = g->service;
	}
	shape.least = spec->min_available ? spec->min_available : shape.tasks;
	GROW(s->shapes, s->shape_cap, s->shape_count + 1);
	s->shapes[s->shape_count++] = shape;
}

static void note_leased(struct storm *s, const Armada__ElementLeased *m)
{
	const struct storm_shape *shape = shape_of(s, m->job);
	struct storm_element *e = element_of(s, m->job, m->element);
	uint32_t rank = 0;

	if (!shape || m->n_nodes > TASK_RANKS)
		return;
	if (m->attempt <= e->highest)
		storm_violate(s, "I2: attempt %u of %llu_%u is used twice", m->attempt,
			      (unsigned long long)m->job, m->element);
	e->highest = m->attempt;
	e->ending = e->done = false;
	e->count = (uint32_t)m->n_nodes;
	for (uint32_t g = 0; g < shape->groups; g++)
		for (uint32_t n = m->n_groups ? m->groups[g] : shape->replicas[g];
		     n && rank < e->count; n--, rank++) {
			e->ranks[rank].attempt = m->attempt;
			e->ranks[rank].group = g;
			e->ranks[rank].state = RANK_RUNS;
		}
}

static uint32_t good_of(const struct storm_element *e)
{
	uint32_t good = 0;

	for (uint32_t i = 0; i < e->count; i++)
		good += e->ranks[i].state == RANK_RUNS || e->ranks[i].state == RANK_GOOD;
	return good;
}

static void note_vacated(struct storm *s, const Armada__TaskKey *key)
{
	const struct storm_shape *shape = shape_of(s, key->job);
	struct storm_element *e = element_of(s, key->job, key->element);

	if (!shape || key->rank >= e->count)
		return;
	if (shape->policy != POLICY(REPLACE_TASK) || e->ending ||
	    e->ranks[key->rank].state != RANK_BAD || good_of(e) < shape->least)
		storm_violate(s, "%llu_%u.%u is to be started anew alone, with %u good of %u",
			      (unsigned long long)key->job, key->element, key->rank, good_of(e),
			      shape->least);
	e->ranks[key->rank].state = RANK_VACANT;
}

static void note_task_leased(struct storm *s, const Armada__TaskKey *key)
{
	struct storm_element *e = element_of(s, key->job, key->element);

	if (key->rank >= e->count)
		return;
	if (e->ranks[key->rank].state != RANK_VACANT || e->ending || key->attempt <= e->highest)
		storm_violate(s, "I2: %llu_%u.%u is leased alone as attempt %u after %u",
			      (unsigned long long)key->job, key->element, key->rank, key->attempt,
			      e->highest);
	e->highest = e->ranks[key->rank].attempt = key->attempt;
	e->ranks[key->rank].state = RANK_RUNS;
	s->count.replaced++;
}

static void note_task_ended(struct storm *s, const Armada__TaskEnded *m)
{
	struct storm_element *e = element_of(s, m->key->job, m->key->element);
	bool good = m->end->cause == ARMADA__END_CAUSE__END_EXITED && !m->end->exit_code;

	if (m->key->rank >= e->count)
		return;
	if (e->ranks[m->key->rank].attempt != m->key->attempt)
		storm_violate(s, "F7: the end of attempt %u of %llu_%u.%u counts, which is at %u",
			      m->key->attempt, (unsigned long long)m->key->job, m->key->element,
			      m->key->rank, e->ranks[m->key->rank].attempt);
	e->ranks[m->key->rank].state = good ? RANK_GOOD : RANK_BAD;
}

static void note_ended(struct storm *s, const Armada__ElementEnded *m)
{
	const struct storm_shape *shape = shape_of(s, m->job);
	uint32_t least, good;
	struct storm_element *e;

	if (!shape || m->state != ARMADA__JOB_STATE__JOB_COMPLETED)
		return;
	e = element_of(s, m->job, m->elements[0]->first);
	good = good_of(e);
	for (uint32_t i = 0; i < e->count && !e->ending; i++)
		if (e->ranks[i].state == RANK_VACANT)
			storm_violate(s, "%llu_%u is completed, and task %u waits for a node",
				      (unsigned long long)m->job, e->element, i);
	for (uint32_t i = 0; i < e->count && e->done; i++)
		good += e->ranks[i].state == RANK_BAD && shape->service[e->ranks[i].group];
	least = shape->policy == POLICY(FAIL_JOB) ? e->count : shape->least;
	if (good < least)
		storm_violate(s, "%llu_%u is completed, and %u of %u tasks ended well",
			      (unsigned long long)m->job, e->element, good, least);
}

static void note_ending(struct storm *s, const Armada__ElementEnding *m)
{
	struct storm_element *e = element_of(s, m->job, m->element);

	e->ending = true;
	/* all that had to end well has, also when it is cancelled before its services are gone */
	e->done |= m->why == ARMADA__END_REASON__ENDING_DONE;
	s->count.restarted += m->why == ARMADA__END_REASON__ENDING_RESTART;
}

void groups_follow(struct storm *s, const Armada__Record *r)
{
	for (size_t i = 0; i < r->n_events; i++) {
		const Armada__Event *ev = r->events[i];

		if (ev->kind_case == ARMADA__EVENT__KIND_JOB_SUBMITTED)
			note_submitted(s, ev->job_submitted);
		else if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED)
			note_leased(s, ev->element_leased);
		else if (ev->kind_case == ARMADA__EVENT__KIND_TASK_VACATED)
			note_vacated(s, ev->task_vacated->key);
		else if (ev->kind_case == ARMADA__EVENT__KIND_TASK_LEASED)
			note_task_leased(s, ev->task_leased->key);
		else if (ev->kind_case == ARMADA__EVENT__KIND_TASK_ENDED)
			note_task_ended(s, ev->task_ended);
		else if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDING)
			note_ending(s, ev->element_ending);
		else if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED)
			note_ended(s, ev->element_ended);
	}
}

void groups_forget(struct storm *s)
{
	s->shape_count = s->element_count = 0;
}

int group_cpus(struct storm *s, const struct task_key *key)
{
	const struct storm_shape *shape = shape_of(s, key->job);
	const struct storm_element *e = element_of(s, key->job, key->element);

	if (!shape || key->rank >= e->count)
		return 1;
	return (int)shape->cpus[e->ranks[key->rank].group];
}

void groups_done(struct storm *s)
{
	free(s->shapes);
	free(s->elements);
}

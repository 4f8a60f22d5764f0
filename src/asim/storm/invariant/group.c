/*
 * The tasks of an element, one by one, from the records alone: the group of each; no attempt number
 * is used twice; an element starts with the minimum of each group; a single task is restarted only while
 * enough of the others are good, in each group that has a minimum; an element is completed only if enough
 * tasks succeeded. Extra tasks of elastic jobs join the others here; when they may
 * is checked in elastic.c.
 */
#include "asim/storm/invariant/group.h"

#include "proto/failure_rule.h"
#include "proto/group_minimum.h"

#include <string.h>

#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

/* A rank that left was taken back: the element goes on without it, and it may join again. */
enum rank_state { RANK_SET_UP, RANK_RUNS, RANK_GOOD, RANK_BAD, RANK_VACANT, RANK_LEFT };

struct shape {
	uint64_t job;
	uint32_t tasks, least, groups;
	uint32_t replicas[SIM_GROUPS], cpus[SIM_GROUPS], policy[SIM_GROUPS];
	uint32_t minima[SIM_GROUPS]; /* 0: only the job as a whole has one */
	bool outlives;               /* the rule of some group is not fail_job */
	bool service[SIM_GROUPS], first_alone[SIM_GROUPS];
};

struct element {
	uint64_t job;
	uint32_t element, highest, together, count;
	bool begun, ending, done, first_ended;
	struct {
		uint32_t attempt, group;
		uint32_t extra; /* 1 + its number; 0: it is no extra task */
		enum rank_state state;
		bool leaving;
		bool lost; /* its end was not the job's fault */
	} ranks[2 * SIM_RANKS];
	uint32_t extra_count; /* 0: it was not scaled */
	struct {
		uint32_t group;
		bool dropped;
	} extras[2 * SIM_RANKS]; /* by number */
};

struct groups {
	struct shape *shapes;
	struct element *elements;
	size_t shape_count, shape_cap, element_count, element_cap;
};

static const struct shape *shape_of(const struct groups *g, uint64_t job)
{
	for (size_t i = 0; i < g->shape_count; i++)
		if (g->shapes[i].job == job)
			return &g->shapes[i];
	return NULL;
}

static struct element *element_of(struct storm *s, struct groups *g, uint64_t job, uint32_t element)
{
	for (size_t i = 0; i < g->element_count; i++)
		if (g->elements[i].job == job && g->elements[i].element == element)
			return &g->elements[i];
	RUN_GROW(s, g->elements, g->element_cap, g->element_count);
	g->elements[g->element_count] = (struct element){.job = job, .element = element};
	return &g->elements[g->element_count++];
}

bool invariant_group_does_without(struct storm *s, uint64_t job, uint32_t element, uint32_t rank)
{
	struct groups *g = invariant_own(s, &invariant_group);
	const struct shape *shape = shape_of(g, job);
	const struct element *e = element_of(s, g, job, element);

	return shape && rank < e->count && e->ranks[rank].state == RANK_BAD &&
	       shape->policy[e->ranks[rank].group];
}

int invariant_group_cpus(struct storm *s, const struct task_key *key)
{
	struct groups *g = invariant_own(s, &invariant_group);
	const struct shape *shape = shape_of(g, key->job);
	const struct element *e = element_of(s, g, key->job, key->element);

	if (!shape || key->rank >= e->count)
		return 1;
	return (int)shape->cpus[e->ranks[key->rank].group];
}

static uint32_t cpus_of(const Armada__TaskGroup *group)
{
	for (size_t i = 0; i < group->n_resources; i++)
		if (strcmp(group->resources[i]->name, "cpu") == 0)
			return (uint32_t)(group->resources[i]->amount / 1000);
	return 1;
}

static struct shape make_shape(uint64_t job, const Armada__JobSpec *spec)
{
	struct shape shape = {.job = job};

	for (; shape.groups < spec->n_groups && shape.groups < SIM_GROUPS; shape.groups++) {
		const Armada__TaskGroup *group = spec->groups[shape.groups];

		shape.tasks += shape.replicas[shape.groups] = group->replicas;
		shape.cpus[shape.groups] = cpus_of(group);
		shape.service[shape.groups] = group->service;
		shape.minima[shape.groups] = group_minimum_of(spec, shape.groups);
		shape.policy[shape.groups] = failure_rule_of(spec, shape.groups);
		shape.outlives |= shape.policy[shape.groups] != POLICY(FAIL_JOB);
		shape.first_alone[shape.groups] = spec->launch == ARMADA__LAUNCH__LAUNCH_FIRST ||
						  group->launch == ARMADA__LAUNCH__LAUNCH_FIRST;
	}
	shape.least = spec->min_available ? spec->min_available : shape.tasks;
	return shape;
}

ON_EVENT(submitted)
{
	struct groups *g = own;

	RUN_GROW(s, g->shapes, g->shape_cap, g->shape_count);
	g->shapes[g->shape_count++] = make_shape(ev->job_submitted->id, ev->job_submitted->spec);
}

ON_EVENT(updated)
{
	const Armada__JobUpdated *m = ev->job_updated;
	struct shape *shape = (struct shape *)shape_of(own, m->job);

	if (shape)
		*shape = make_shape(m->job, m->spec);
}

ON_EVENT(leased)
{
	const Armada__ElementLeased *m = ev->element_leased;
	const struct shape *shape = shape_of(own, m->job);
	struct element *e = element_of(s, own, m->job, m->element);
	uint32_t rank = 0;

	if (!shape || m->n_nodes > SIM_RANKS)
		return;
	if (m->attempt <= e->highest)
		storm_violate(s, "I2: attempt %u of %llu_%u is used twice", m->attempt,
			      (unsigned long long)m->job, m->element);
	e->highest = m->attempt;
	e->begun = e->ending = e->done = e->first_ended = false;
	e->together = e->count = (uint32_t)m->n_nodes;
	e->extra_count = 0;
	for (uint32_t g = 0; g < shape->groups; g++)
		for (uint32_t n = m->n_groups ? m->groups[g] : shape->replicas[g];
		     n && rank < e->count; n--, rank++) {
			e->ranks[rank].attempt = m->attempt;
			e->ranks[rank].group = g;
			e->ranks[rank].state = RANK_SET_UP;
			e->ranks[rank].leaving = false;
			e->ranks[rank].extra = 0;
		}
	for (uint32_t g = 0; g < shape->groups; g++)
		if (m->n_groups && m->groups[g] < shape->minima[g])
			storm_violate(s, "%llu_%u starts with %u tasks of group %u, of at least %u",
				      (unsigned long long)m->job, m->element, m->groups[g], g,
				      shape->minima[g]);
}

static bool is_good(const struct element *e, uint32_t rank)
{
	return e->ranks[rank].state == RANK_GOOD ||
	       (e->ranks[rank].state == RANK_RUNS && !e->ranks[rank].leaving) ||
	       (e->ranks[rank].state == RANK_SET_UP && !e->begun);
}

/* The good tasks, by group. */
static uint32_t good_of(const struct element *e, uint32_t ret_groups[SIM_GROUPS])
{
	uint32_t good = 0;

	memset(ret_groups, 0, SIM_GROUPS * sizeof(*ret_groups));
	for (uint32_t i = 0; i < e->count; i++) {
		good += is_good(e, i);
		ret_groups[e->ranks[i].group] += is_good(e, i);
	}
	return good;
}

static bool too_few(const struct shape *shape, const uint32_t good[SIM_GROUPS])
{
	uint32_t sum = 0;

	for (uint32_t g = 0; g < SIM_GROUPS; g++) {
		sum += good[g];
		if (g < shape->groups && good[g] < shape->minima[g])
			return true;
	}
	return sum < shape->least;
}

ON_EVENT(vacated)
{
	const Armada__TaskKey *key = ev->task_vacated->key;
	const struct shape *shape = shape_of(own, key->job);
	struct element *e = element_of(s, own, key->job, key->element);
	uint32_t good[SIM_GROUPS], all = good_of(e, good);
	bool replaces, lost_extra;

	if (!shape || key->rank >= e->count)
		return;
	replaces = shape->policy[e->ranks[key->rank].group] == POLICY(REPLACE_TASK);
	lost_extra = e->ranks[key->rank].extra && e->ranks[key->rank].lost;
	if ((!replaces && !lost_extra) || e->ending || e->ranks[key->rank].state != RANK_BAD ||
	    too_few(shape, good) || ev->task_vacated->optional == replaces)
		storm_violate(s, "%llu_%u.%u is to be started anew alone, with %u good of %u",
			      (unsigned long long)key->job, key->element, key->rank, all,
			      shape->least);
	e->ranks[key->rank].state = replaces ? RANK_VACANT : RANK_LEFT;
}

/* The group of an extra task at the lease: they are counted through the groups. */
static uint32_t group_of(const struct shape *shape, const struct element *e, uint32_t number)
{
	uint32_t left[SIM_GROUPS], g = 0;

	memcpy(left, shape->replicas, sizeof(left));
	for (uint32_t i = 0; i < e->together; i++)
		left[e->ranks[i].group]--;
	for (; g + 1 < shape->groups && number >= left[g]; g++)
		number -= left[g];
	return g;
}

/* An extra task that never had a node gets the next rank. */
static void join(const struct shape *shape, struct element *e, uint32_t extra)
{
	if (e->count >= ARRAY_SIZE(e->ranks))
		return;
	e->ranks[e->count].group = extra <= e->extra_count ? e->extras[extra - 1].group
							   : group_of(shape, e, extra - 1);
	e->ranks[e->count].extra = extra;
	e->ranks[e->count].leaving = false;
	e->ranks[e->count++].state = RANK_LEFT;
}

ON_EVENT(scaled)
{
	const Armada__ElementScaled *m = ev->element_scaled;
	struct element *e = element_of(s, own, m->job, m->element);

	for (size_t i = 0; i < m->n_extras && i < ARRAY_SIZE(e->extras); i++) {
		e->extras[i].group = m->extras[i] / 2;
		e->extras[i].dropped = m->extras[i] & 1;
		e->extra_count = (uint32_t)i + 1;
	}
}

ON_EVENT(task_leased)
{
	const Armada__TaskKey *key = ev->task_leased->key;
	uint32_t extra = ev->task_leased->extra;
	const struct shape *shape = shape_of(own, key->job);
	struct element *e = element_of(s, own, key->job, key->element);

	if (shape && extra && key->rank == e->count)
		join(shape, e, extra);
	if (key->rank >= e->count)
		return;
	if ((e->ranks[key->rank].state != RANK_VACANT && e->ranks[key->rank].state != RANK_LEFT) ||
	    e->ending || key->attempt <= e->highest)
		storm_violate(s, "I2: %llu_%u.%u is leased alone as attempt %u after %u",
			      (unsigned long long)key->job, key->element, key->rank, key->attempt,
			      e->highest);
	e->highest = e->ranks[key->rank].attempt = key->attempt;
	e->ranks[key->rank].state = RANK_SET_UP;
	s->count.replaced += !extra;
}

ON_EVENT(task_started)
{
	const Armada__TaskKey *key = ev->task_started->key;
	struct element *e = element_of(s, own, key->job, key->element);

	if (key->rank < e->count)
		e->ranks[key->rank].state = RANK_RUNS;
	e->begun |= ev->task_started->all;
}

ON_EVENT(task_leaving)
{
	const Armada__TaskKey *key = ev->task_leaving->key;
	struct element *e = element_of(s, own, key->job, key->element);

	if (key->rank < e->count)
		e->ranks[key->rank].leaving = true;
}

/* True if the job does without the task: it is taken back, or the job asks for fewer tasks. */
static bool is_let_go(const struct element *e, uint32_t rank)
{
	uint32_t extra = e->ranks[rank].extra;

	return e->ranks[rank].leaving ||
	       (extra && extra <= e->extra_count && e->extras[extra - 1].dropped);
}

static bool is_system_fault(Armada__EndCause cause)
{
	switch (cause) {
	case ARMADA__END_CAUSE__END_PREEMPTED:
	case ARMADA__END_CAUSE__END_REFUSED:
	case ARMADA__END_CAUSE__END_LOST:
	case ARMADA__END_CAUSE__END_SHUTDOWN:
	case ARMADA__END_CAUSE__END_LEASE:
	case ARMADA__END_CAUSE__END_NODE:
	case ARMADA__END_CAUSE__END_ACCOUNT:
		return true;
	default:
		return false;
	}
}

ON_EVENT(task_ended)
{
	const Armada__TaskEnded *m = ev->task_ended;
	struct element *e = element_of(s, own, m->key->job, m->key->element);
	bool good = m->end->cause == ARMADA__END_CAUSE__END_EXITED && !m->end->exit_code;

	if (m->key->rank >= e->count)
		return;
	if (e->ranks[m->key->rank].attempt != m->key->attempt)
		storm_violate(s, "F7: the end of attempt %u of %llu_%u.%u counts, which is at %u",
			      m->key->attempt, (unsigned long long)m->key->job, m->key->element,
			      m->key->rank, e->ranks[m->key->rank].attempt);
	e->ranks[m->key->rank].state = good                         ? RANK_GOOD
				       : is_let_go(e, m->key->rank) ? RANK_LEFT
								    : RANK_BAD;
	e->ranks[m->key->rank].leaving = false;
	e->ranks[m->key->rank].lost = is_system_fault(m->end->cause);
}

/* Whether a task runs no program of its own, as another one of its group has the program. */
static bool stands_by(const struct element *e, const struct shape *shape, uint32_t rank)
{
	return shape->first_alone[e->ranks[rank].group] && rank > 0 &&
	       e->ranks[rank - 1].group == e->ranks[rank].group;
}

ON_EVENT(ended)
{
	const Armada__ElementEnded *m = ev->element_ended;
	const struct shape *shape = shape_of(own, m->job);
	uint32_t good[SIM_GROUPS], all, left = 0;
	struct element *e;

	if (!shape || m->state != ARMADA__JOB_STATE__JOB_COMPLETED)
		return;
	e = element_of(s, own, m->job, m->elements[0]->first);
	good_of(e, good);
	for (uint32_t i = 0; i < e->count && !e->ending; i++)
		if (e->ranks[i].state == RANK_VACANT)
			storm_violate(s, "%llu_%u is completed, but task %u waits for a node",
				      (unsigned long long)m->job, e->element, i);
	for (uint32_t i = 0; i < e->count; i++)
		left += e->ranks[i].state == RANK_LEFT;
	for (uint32_t i = 0; i < e->count; i++)
		good[e->ranks[i].group] += e->ranks[i].state == RANK_BAD &&
					   ((e->done && shape->service[e->ranks[i].group]) ||
					    (e->first_ended && stands_by(e, shape, i)));
	for (uint32_t i = 0; i < e->count && !e->ending; i++)
		if (e->ranks[i].state == RANK_BAD &&
		    shape->policy[e->ranks[i].group] == POLICY(FAIL_JOB))
			storm_violate(s, "%llu_%u is completed, but task %u failed, which ends it",
				      (unsigned long long)m->job, e->element, i);
	all = good[0] + good[1];
	if (shape->outlives ? too_few(shape, good) : all < e->count - left)
		storm_violate(s, "%llu_%u is completed, but only %u of %u tasks succeeded",
			      (unsigned long long)m->job, e->element, all, shape->least);
}

ON_EVENT(ending)
{
	const Armada__ElementEnding *m = ev->element_ending;
	struct element *e = element_of(s, own, m->job, m->element);

	e->ending = true;
	/*
	 * all tasks that had to succeed did, also if it is cancelled before its services have ended
	 */
	e->done |= m->why == ARMADA__END_REASON__ENDING_DONE;
	e->first_ended |= m->why == ARMADA__END_REASON__ENDING_FIRST;
	s->count.restarted += m->why == ARMADA__END_REASON__ENDING_RESTART;
}

const struct invariant invariant_group = {
	.size = sizeof(struct groups),
	.forgets = true,
	.on_event =
		{
			[ARMADA__EVENT__KIND_JOB_SUBMITTED] = submitted,
			[ARMADA__EVENT__KIND_JOB_UPDATED] = updated,
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_TASK_VACATED] = vacated,
			[ARMADA__EVENT__KIND_TASK_LEASED] = task_leased,
			[ARMADA__EVENT__KIND_ELEMENT_SCALED] = scaled,
			[ARMADA__EVENT__KIND_TASK_STARTED] = task_started,
			[ARMADA__EVENT__KIND_TASK_LEAVING] = task_leaving,
			[ARMADA__EVENT__KIND_TASK_ENDED] = task_ended,
			[ARMADA__EVENT__KIND_ELEMENT_ENDING] = ending,
			[ARMADA__EVENT__KIND_ELEMENT_ENDED] = ended,
		},
};

/*
 * Extra tasks of elastic jobs, from the records alone: an element starts with its minimum; a task joins only
 * a running element, under a rank of its own, and as one of those that the job asked for; one that is taken
 * back leaves the others running, and may join again; and a job does not count as preempted because of it.
 */
#include "asim/storm/invariant/table.h"
#include "proto/failure_rule.h"

#define WHY(name) ARMADA__END_REASON__##name

enum extra_state { EXTRA_WAITS, EXTRA_LIVES, EXTRA_LEAVES, EXTRA_OVER };

struct extra {
	uint32_t rank; /* 1 + its rank; 0: it never had a node */
	enum extra_state state;
	bool dropped;
};

struct job {
	uint64_t id;
	uint32_t tasks, least;
	bool outlives; /* the rule of some group is not fail_job */
	bool elastic;
};

struct element {
	uint64_t job;
	uint32_t index, together, count, ranks; /* of extra tasks; of all tasks that had a node */
	uint32_t why;                           /* it is being ended */
	bool begun;
	bool left; /* the last event is the end of a task that was taken back */
	struct extra extras[2 * SIM_RANKS];
};

struct elastics {
	struct job *jobs;
	struct element *elements; /* of elastic jobs, that have been leased */
	size_t job_count, job_cap, count, cap;
};

static struct job *job_of(const struct elastics *x, uint64_t id)
{
	for (size_t i = 0; i < x->job_count; i++)
		if (x->jobs[i].id == id)
			return &x->jobs[i];
	return NULL;
}

static struct element *element_of(const struct elastics *x, uint64_t job, uint32_t index)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->elements[i].job == job && x->elements[i].index == index)
			return &x->elements[i];
	return NULL;
}

static struct extra *extra_of(const struct elastics *x, const Armada__TaskKey *key)
{
	struct element *e = element_of(x, key->job, key->element);

	for (uint32_t i = 0; e && i < e->count; i++)
		if (e->extras[i].rank == key->rank + 1)
			return &e->extras[i];
	return NULL;
}

static struct job make_job(uint64_t id, const Armada__JobSpec *spec)
{
	struct job j = {.id = id, .outlives = failure_rule_any(spec), .least = spec->min_available};

	j.elastic = spec->elastic == ARMADA__ELASTIC__ELASTIC_YES;
	for (size_t i = 0; i < spec->n_groups; i++)
		j.tasks += spec->groups[i]->replicas;
	return j;
}

ON_EVENT(submitted)
{
	struct elastics *x = own;

	RUN_GROW(s, x->jobs, x->job_cap, x->job_count);
	x->jobs[x->job_count++] = make_job(ev->job_submitted->id, ev->job_submitted->spec);
}

ON_EVENT(updated)
{
	struct job *j = job_of(own, ev->job_updated->job);

	if (j)
		*j = make_job(j->id, ev->job_updated->spec);
}

ON_EVENT(leased)
{
	const Armada__ElementLeased *m = ev->element_leased;
	struct elastics *x = own;
	const struct job *j = job_of(x, m->job);
	struct element *e = element_of(x, m->job, m->element);

	if (!j || !j->elastic) {
		if (e)
			*e = (struct element){0};
		return;
	}
	if (m->n_nodes != j->least)
		storm_violate(s, "elastic %llu_%u starts with %zu tasks, and its minimum is %u",
			      (unsigned long long)m->job, m->element, m->n_nodes, j->least);
	if (!e) {
		RUN_GROW(s, x->elements, x->cap, x->count);
		e = &x->elements[x->count++];
	}
	*e = (struct element){.job = m->job,
			      .index = m->element,
			      .together = (uint32_t)m->n_nodes,
			      .ranks = (uint32_t)m->n_nodes,
			      .count = j->tasks - (uint32_t)m->n_nodes};
}

ON_EVENT(task_started)
{
	const Armada__TaskKey *key = ev->task_started->key;
	struct element *e = element_of(own, key->job, key->element);

	if (e)
		e->begun |= ev->task_started->all;
}

ON_EVENT(task_leased)
{
	const Armada__TaskLeased *m = ev->task_leased;
	struct element *e = element_of(own, m->key->job, m->key->element);
	struct extra *x = e && m->extra && m->extra <= e->count ? &e->extras[m->extra - 1] : NULL;

	if (!m->extra)
		return;
	if (!x || x->state != EXTRA_WAITS || x->dropped || e->why || !e->begun ||
	    (x->rank ? x->rank != m->key->rank + 1 : m->key->rank != e->ranks)) {
		storm_violate(s, "%llu_%u.%u joins as extra task %u, which is not possible now",
			      (unsigned long long)m->key->job, m->key->element, m->key->rank,
			      m->extra);
		return;
	}
	e->ranks += !x->rank;
	x->rank = m->key->rank + 1;
	x->state = EXTRA_LIVES;
	s->count.joined++;
	storm_trace(s, "ctl: %llu_%u.%u/%u joins on %s", (unsigned long long)e->job, e->index,
		    m->key->rank, m->key->attempt, m->node);
}

/* Each element that runs gets as many tasks as its job asks for now. */
ON_EVENT(scaled)
{
	const Armada__ElementScaled *m = ev->element_scaled;
	struct element *e = element_of(own, m->job, m->element);
	const struct job *j = job_of(own, m->job);
	uint32_t asked = e ? e->together : 0;

	for (size_t i = 0; i < m->n_extras; i++)
		asked += !(m->extras[i] & 1);
	if (!e || !j || m->n_extras < e->count || m->n_extras > ARRAY_SIZE(e->extras) ||
	    asked != j->tasks) {
		storm_violate(s, "%llu_%u is scaled to %u tasks, which is not possible now",
			      (unsigned long long)m->job, m->element, asked);
		return;
	}
	e->count = (uint32_t)m->n_extras;
	for (size_t i = 0; i < m->n_extras; i++)
		e->extras[i].dropped = m->extras[i] & 1;
	s->count.scaled++;
	storm_trace(s, "ctl: %llu_%u is scaled to %u tasks", (unsigned long long)m->job, m->element,
		    asked);
}

ON_EVENT(leaving)
{
	const Armada__TaskKey *key = ev->task_leaving->key;
	const struct element *e = element_of(own, key->job, key->element);
	struct extra *x = extra_of(own, key);

	if (!x || x->state != EXTRA_LIVES || e->why)
		storm_violate(s, "%llu_%u.%u is taken back, which is not possible now",
			      (unsigned long long)key->job, key->element, key->rank);
	else
		x->state = EXTRA_LEAVES;
	s->count.left++;
	storm_trace(s, "ctl: %llu_%u.%u is taken back: %s", (unsigned long long)key->job,
		    key->element, key->rank, ev->task_leaving->text);
}

ON_EVENT(task_ended)
{
	const Armada__TaskEnded *m = ev->task_ended;
	struct element *e = element_of(own, m->key->job, m->key->element);
	struct extra *x = extra_of(own, m->key);
	bool good = m->end->cause == ARMADA__END_CAUSE__END_EXITED && !m->end->exit_code;

	if (!e)
		return;
	e->left = x && (x->state == EXTRA_LEAVES || x->dropped) && !good;
	if (x)
		x->state = e->left ? EXTRA_WAITS : EXTRA_OVER;
}

ON_EVENT(vacated)
{
	struct extra *x = extra_of(own, ev->task_vacated->key);

	if (x)
		x->state = EXTRA_WAITS;
}

/* With a policy the element ends if too few tasks are left; group.c counts them. */
ON_EVENT(ending)
{
	const Armada__ElementEnding *m = ev->element_ending;
	const struct job *j = job_of(own, m->job);
	struct element *e = element_of(own, m->job, m->element);

	if (!e)
		return;
	if (e->left &&
	    (m->why == WHY(ENDING_TASK_FAILED) || m->why == WHY(ENDING_LAUNCH) ||
	     m->why == WHY(ENDING_GATE) || (m->why == WHY(ENDING_RESTART) && !j->outlives)))
		storm_violate(s, "%llu_%u ends because a task of it was taken back: %s",
			      (unsigned long long)m->job, m->element, m->text);
	e->why = m->why;
}

/* A new record: the ends before it are of earlier inputs. */
static void before_record(struct storm *s UNUSED, void *own, const Armada__Record *r UNUSED)
{
	struct elastics *x = own;

	for (size_t i = 0; i < x->count; i++)
		x->elements[i].left = false;
}

/* The attempt is over, and its element waits again or has ended. */
static void check_over(struct storm *s, const struct element *e, uint32_t state)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (e->extras[i].state == EXTRA_LIVES || e->extras[i].state == EXTRA_LEAVES)
			storm_violate(s, "%llu_%u is over, but extra task %u is not",
				      (unsigned long long)e->job, e->index, i + 1);
	if (state == ARMADA__JOB_STATE__JOB_PREEMPTED && e->why != WHY(ENDING_PREEMPT) &&
	    e->why != WHY(ENDING_REQUEUE))
		storm_violate(s, "%llu_%u counts as preempted, but only a task was taken back",
			      (unsigned long long)e->job, e->index);
}

ON_EVENT(requeued)
{
	const Armada__ElementRequeued *m = ev->element_requeued;
	struct element *e = element_of(own, m->job, m->element);

	if (e)
		check_over(s, e, m->state);
}

ON_EVENT(ended)
{
	const Armada__ElementEnded *m = ev->element_ended;
	const struct element *e = element_of(own, m->job, m->elements[0]->first);

	if (e && m->attempt)
		check_over(s, e, m->state);
}

const struct invariant invariant_elastic = {
	.size = sizeof(struct elastics),
	.forgets = true,
	.before_record = before_record,
	.on_event =
		{
			[ARMADA__EVENT__KIND_JOB_SUBMITTED] = submitted,
			[ARMADA__EVENT__KIND_JOB_UPDATED] = updated,
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_TASK_STARTED] = task_started,
			[ARMADA__EVENT__KIND_TASK_LEASED] = task_leased,
			[ARMADA__EVENT__KIND_ELEMENT_SCALED] = scaled,
			[ARMADA__EVENT__KIND_TASK_LEAVING] = leaving,
			[ARMADA__EVENT__KIND_TASK_ENDED] = task_ended,
			[ARMADA__EVENT__KIND_TASK_VACATED] = vacated,
			[ARMADA__EVENT__KIND_ELEMENT_ENDING] = ending,
			[ARMADA__EVENT__KIND_ELEMENT_REQUEUED] = requeued,
			[ARMADA__EVENT__KIND_ELEMENT_ENDED] = ended,
		},
};

/*
 * Gangs of separate jobs: the rest of the scheduler sees each gang as one job.
 *
 * Input: the calls of sched.h about jobs of gangs. Output: one job record for each gang that is whole or
 * runs. Counters of the members decide when this record is made and removed, so an event of one member costs
 * O(1). Making the record costs O(members). It is made when the gang becomes whole, when the gang starts, and
 * when the member that gave the record its id ends.
 */
#include "sched/model/gang_jobs.h"
#include "sched/model/model.h"
#include "util/mem.h"
#include "util/splitmix.h"

#include <string.h>

struct gang {
	TAILQ_HEAD(, gang_member) members; /* by id */
	uint32_t count, cardinality, min;
	uint32_t waiting, held, running, pinned; /* members */
	uint32_t job, task;                      /* of the gang as a whole; NIL: none */
	const struct gang_member *lead;          /* the job has the id of this member */
	const struct gang_member
		*last; /* runs, and is the last of them in running order; NULL: unknown */
	bool begun;    /* it has started once: the present members are the whole gang */
	bool stale;    /* the job does not match the present members or their nodes */
	bool unsettled;
	SLIST_ENTRY(gang) next;
	UT_hash_handle hh;
	char *name;
};

/* --- members ------------------------------------------------------------------------------- */

static struct gang *find_gang(struct model *m, const struct sched_gang *of)
{
	struct gang *g;

	HASH_FIND_STR(m->gangs.by_name, of->name, g);
	if (g)
		return g;
	g = xcalloc(1, sizeof(*g));
	g->name = xstrdup(of->name);
	TAILQ_INIT(&g->members);
	g->cardinality = of->cardinality;
	g->min = of->min ? of->min : of->cardinality;
	g->job = g->task = NIL;
	HASH_ADD_KEYPTR(hh, m->gangs.by_name, g->name, strlen(g->name), g);
	return g;
}

void gang_jobs_touch(struct model *m, struct gang_member *member)
{
	struct gang *g = member->gang;

	if (!g->unsettled)
		SLIST_INSERT_HEAD(&m->gangs.unsettled, g, next);
	g->unsettled = true;
}

void gang_jobs_join(struct model *m, uint32_t job, const struct sched_gang *of)
{
	struct gang_member *member = xcalloc(1, sizeof(*member));
	struct gang *g = find_gang(m, of);

	member->gang = g;
	member->job = job;
	TAILQ_INSERT_TAIL(&g->members, member, by_id); /* ids grow */
	g->count++;
	g->stale = true;
	m->jobs.list[job].is_member = true;
	m->jobs.list[job].member = member;
	gang_jobs_touch(m, member);
}

void gang_jobs_leave(struct model *m, struct gang_member *member)
{
	struct gang *g = member->gang;

	gang_jobs_end(m, member);
	gang_jobs_touch(m, member);
	TAILQ_REMOVE(&g->members, member, by_id);
	g->count--;
	g->stale |= g->task == NIL || g->lead == member;
	free(member);
}

void gang_jobs_count(struct model *m, const struct gang_member *member, int sign)
{
	const struct job *j = &m->jobs.list[member->job];

	member->gang->waiting += (uint32_t)sign * (jobs_waiting(j) > 0);
	member->gang->held += (uint32_t)sign * j->held;
}

void gang_jobs_reorder(struct model *m, struct gang_member *member, int64_t priority)
{
	struct gang *g = member->gang;

	if (m->jobs.list[member->job].priority == priority)
		return;
	m->jobs.list[member->job].priority = priority;
	g->stale |= g->task == NIL;
	g->last = NULL;
	gang_jobs_touch(m, member);
}

void gang_jobs_reshaped(struct model *m, struct gang_member *member)
{
	struct gang *g = member->gang;

	g->stale |= g->task == NIL;
	gang_jobs_touch(m, member);
}

static uint32_t seats(const struct model *m, const struct gang_member *member)
{
	return m->shapes.list[jobs_shape(m, member->job)].members;
}

/* NULL: none. */
static const int64_t *licenses(const struct model *m, const struct gang_member *member)
{
	return m->shapes.list[jobs_shape(m, member->job)].licenses;
}

/* True if the gang runs and the seats of the members are those of its task. */
static bool is_seated(const struct gang *g)
{
	return g->task != NIL && !g->stale;
}

void gang_jobs_run(struct model *m, struct gang_member *member, const char *const *nodes,
		   int64_t start_us)
{
	uint32_t count = seats(m, member);

	if (member->nodes)
		return;
	member->nodes = xcalloc(count, sizeof(*member->nodes));
	for (uint32_t i = 0; i < count; i++)
		member->nodes[i] = nodes[i] ? nodes_intern(m, nodes[i]) : NIL;
	member->start_us = start_us;
	member->gang->last = NULL;
	member->gang->running++;
	member->gang->stale |= member->gang->task != NIL;
	jobs_unwait(m, member->job, 0, 0);
	gang_jobs_touch(m, member);
}

void gang_jobs_started(struct model *m, struct gang_member *member, int64_t start_us)
{
	member->start_us = start_us;
	member->gang->last = NULL;
	gang_jobs_touch(m, member);
}

void gang_jobs_pin(struct model *m, struct gang_member *member, bool pinned)
{
	if (!member->nodes || member->pinned == pinned)
		return;
	member->pinned = pinned;
	member->gang->pinned += pinned ? 1 : -1;
	gang_jobs_touch(m, member);
}

void gang_jobs_yield(struct model *m, struct gang_member *member, uint32_t at)
{
	if (!member->nodes || at >= seats(m, member))
		return;
	member->yields = true;
	if (is_seated(member->gang))
		tasks_yield_member(m, &m->tasks.list[member->gang->task], member->seat + at);
}

void gang_jobs_end(struct model *m, struct gang_member *member)
{
	struct gang *g = member->gang;

	if (!member->nodes)
		return;
	for (uint32_t i = 0; i < seats(m, member); i++) {
		if (is_seated(g))
			tasks_end_member(m, &m->tasks.list[g->task], member->seat + i);
		else if (g->task == NIL && member->nodes[i] != NIL)
			nodes_release(m, member->nodes[i]);
	}
	if (is_seated(g))
		floating_give_part(m, &m->tasks.list[g->task], licenses(m, member));
	g->running--;
	if (g->last == member)
		g->last = NULL;
	g->pinned -= member->pinned;
	free(member->nodes);
	member->nodes = NULL;
	member->pinned = member->yields = false;
	gang_jobs_touch(m, member);
}

void sched_gang_begun(struct sched *s, uint64_t id)
{
	struct model *m = model_of(s);
	struct gang_member *member = jobs_member(m, jobs_with_id(m, id));

	if (!member)
		return;
	member->gang->begun = true;
	gang_jobs_touch(m, member);
}

uint32_t gang_jobs_whole(const struct model *m, uint32_t job)
{
	const struct gang_member *member = jobs_member(m, job);

	return member ? member->gang->job : job;
}

/* --- the gang as one job ------------------------------------------------------------------- */

/* Can both be in one part? */
static bool is_alike(const struct model *m, uint32_t job, uint32_t other)
{
	uint32_t a = jobs_shape(m, job), b = jobs_shape(m, other);

	return m->shapes.list[a].constraint == m->shapes.list[b].constraint &&
	       memcmp(job_shape_request(m, a), job_shape_request(m, b),
		      m->dims * sizeof(int64_t)) == 0;
}

/*
 * Add a member to the gang's job: distinct nodes if any member asks for them, the longest time limit and the
 * longest grace period.
 */
static void join(struct sched_job *whole, const struct sched_job *each)
{
	whole->members += each->members;
	for (size_t r = 0; r < SCHED_RESOURCES; r++)
		whole->licenses[r] = amounts_add(whole->licenses[r], each->licenses[r]);
	whole->distinct |= each->distinct;
	if (!each->time_limit_us || !whole->time_limit_us)
		whole->time_limit_us = 0;
	else if (each->time_limit_us > whole->time_limit_us)
		whole->time_limit_us = each->time_limit_us;
	if (each->grace_us > whole->grace_us)
		whole->grace_us = each->grace_us;
}

/* Neighbours that are alike are one part. Returns the number of parts. */
static size_t describe_parts(struct model *m, struct gang *g, struct sched_job *whole,
			     struct sched_job *parts)
{
	const struct gang_member *last = NULL;
	struct gang_member *member;
	size_t n = 0;

	TAILQ_FOREACH (member, &g->members, by_id) {
		struct sched_job each;

		jobs_describe(m, member->job, &each);
		member->seat = whole->members;
		join(whole, &each);
		each.uniformity = NULL;
		if (last && is_alike(m, last->job, member->job))
			parts[n - 1].members += each.members;
		else
			parts[n++] = each;
		parts[n - 1].min_members = 0;
		last = member;
	}
	return n;
}

static bool is_later(const struct model *m, const struct gang_member *a,
		     const struct gang_member *b)
{
	struct running_order x = {.job = a->job, .start_us = a->start_us},
			     y = {.job = b->job, .start_us = b->start_us};

	return running_list_compare(m, &x, &y) > 0;
}

/*
 * A running gang stands in the running order where its last member does. Finding that member costs
 * O(members); it is found again when it has ended, or when a start or a priority has changed.
 */
static const struct gang_member *find_last(const struct model *m, struct gang *g)
{
	const struct gang_member *member;

	if (g->last)
		return g->last;
	TAILQ_FOREACH (member, &g->members, by_id)
		if (member->nodes && (!g->last || is_later(m, member, g->last)))
			g->last = member;
	return g->last;
}

static void stand_at_last(struct model *m, struct gang *g)
{
	struct job *whole = &m->jobs.list[g->job];
	const struct job *last = &m->jobs.list[find_last(m, g)->job];

	if (whole->priority != last->priority || whole->submit_us != last->submit_us)
		running_list_forget(m, m->subqueues.list[whole->subqueue].queue);
	whole->priority = last->priority;
	whole->submit_us = last->submit_us;
}

/*
 * The lead of a running gang: its job has the id of this member. (A waiting gang has the id of its first
 * member, as in the core. The core accepts the id of any running member.) The lead is the member with the
 * least hash of its id. Each change of the lead costs O(members), and members mostly end in the order of
 * their ids: with the hash, a gang of 10,000 changes its lead about ten times.
 */
static const struct gang_member *draw_lead(const struct model *m, const struct gang *g)
{
	const struct gang_member *member, *lead = NULL;
	uint64_t least = UINT64_MAX;

	TAILQ_FOREACH (member, &g->members, by_id) {
		uint64_t lot = splitmix_mix(m->jobs.list[member->job].id);

		if (lead && lot >= least)
			continue;
		lead = member;
		least = lot;
	}
	return lead;
}

/*
 * The gang runs on the nodes of the members that have nodes. The other members wait until these have ended.
 */
static void run(struct model *m, struct gang *g)
{
	struct task *t = tasks_open(m, g->job, 0, find_last(m, g)->start_us);
	const struct gang_member *member;

	TAILQ_FOREACH (member, &g->members, by_id)
		if (member->nodes)
			memcpy(tasks_nodes(t) + member->seat, member->nodes,
			       seats(m, member) * sizeof(*member->nodes));
	tasks_begin(m, t);
	g->task = (uint32_t)(t - m->tasks.list);
	TAILQ_FOREACH (member, &g->members, by_id)
		if (!member->nodes)
			floating_give_part(m, t, licenses(m, member));
	TAILQ_FOREACH (member, &g->members, by_id)
		for (uint32_t i = 0; member->yields && i < seats(m, member); i++)
			tasks_yield_member(m, t, member->seat + i);
}

static void form(struct model *m, struct gang *g)
{
	struct sched_job whole, *parts CLEANUP_FREE = xcalloc(g->count, sizeof(*parts));
	uint32_t min = g->count < g->min ? g->count : g->min;

	jobs_describe(m, TAILQ_FIRST(&g->members)->job, &whole);
	g->lead = g->running ? draw_lead(m, g) : TAILQ_FIRST(&g->members);
	whole.id = m->jobs.list[g->lead->job].id;
	whole.members = 0;
	memset(whole.licenses, 0, sizeof(whole.licenses));
	whole.elements = g->count;
	whole.part_count = describe_parts(m, g, &whole, parts);
	/* a job that is left out may have several members, but is counted as one */
	whole.min_members = whole.members - (g->count - min);
	if (whole.part_count == 1) {
		whole.part_count = 0;
	} else {
		whole.parts = parts;
		whole.selector_count = whole.of_queue = whole.toleration_count = 0;
		whole.include_count = whole.exclude_count = 0;
	}
	g->job = jobs_add(m, &whole);
	g->stale = false;
	jobs_wait(m, g->job, 0, 0, 1);
	if (g->running)
		run(m, g);
}

static void dissolve(struct model *m, struct gang *g)
{
	if (g->task != NIL)
		tasks_end(m, &m->tasks.list[g->task]);
	jobs_remove(m, g->job);
	g->job = g->task = NIL;
}

/* --- settling ------------------------------------------------------------------------------ */

/* True if the gang is whole and all its members wait. */
static bool is_ready(const struct gang *g)
{
	return g->count && g->waiting == g->count && (g->begun || g->count >= g->cardinality);
}

static void settle(struct model *m, struct gang *g)
{
	bool runs = g->running > 0, ready = is_ready(g);

	if (g->job != NIL && (g->stale || runs != (g->task != NIL) || (!runs && !ready)))
		dissolve(m, g);
	if (g->job == NIL && (runs || ready))
		form(m, g);
	if (runs) {
		struct task *t = &m->tasks.list[g->task];

		tasks_set_elements(m, t, g->running);
		stand_at_last(m, g);
		tasks_started(m, t, find_last(m, g)->start_us);
		tasks_pin(m, t, g->pinned > 0);
	}
	if (g->job != NIL)
		jobs_hold(m, g->job, g->held > 0);
}

static void gang_free(struct model *m, struct gang *g)
{
	struct gang_member *member;

	HASH_DEL(m->gangs.by_name, g);
	while ((member = TAILQ_FIRST(&g->members))) {
		TAILQ_REMOVE(&g->members, member, by_id);
		free(member->nodes);
		free(member);
	}
	free(g->name);
	free(g);
}

void sched_gangs_settle(struct sched *s)
{
	struct model *m = model_of(s);

	while (!SLIST_EMPTY(&m->gangs.unsettled)) {
		struct gang *g = SLIST_FIRST(&m->gangs.unsettled);

		SLIST_REMOVE_HEAD(&m->gangs.unsettled, next);
		g->unsettled = false;
		settle(m, g);
		if (!g->count)
			gang_free(m, g);
	}
}

void gang_jobs_done(struct model *m)
{
	while (m->gangs.by_name)
		gang_free(m, m->gangs.by_name);
}

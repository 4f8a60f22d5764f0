/*
 * Jobs that wait for other jobs, or for a time, from the records and the requests of their users:
 * no element is leased before its dependencies allow it, and none is given up whose dependencies
 * could still be satisfied.
 *
 * Only one fact comes from the core: the dependencies after an update.
 */
#include "asim/storm/client.h"
#include "asim/storm/clock.h"
#include "asim/storm/history.h"
#include "asim/storm/invariant/table.h"

#include <string.h>

#define DEP(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name

/* The dependencies of a job. */
struct waiter {
	Armada__Dependency deps[SIM_DEPS];
	size_t dep_count;
	bool any;
	int64_t begin_us;
	char name[16];
	bool *leased; /* by element: leased at least once; NULL: the job is unknown */
};

struct waiters {
	struct waiter *list; /* by id */
	size_t count, cap;
};

static struct waiter *waiter_of(struct waiters *w, uint64_t job)
{
	return job < w->count && w->list[job].leased ? &w->list[job] : NULL;
}

ON_EVENT(submitted)
{
	const Armada__JobSubmitted *m = ev->job_submitted;
	const struct sim_job *j = sim_client_find(s, m);
	struct waiters *w = own;
	struct waiter *b;

	if (!j)
		return;
	while (w->count <= m->id) {
		RUN_GROW(s, w->list, w->cap, w->count);
		w->list[w->count++] = (struct waiter){0};
	}
	b = &w->list[m->id];
	*b = (struct waiter){
		.leased = arena_zalloc(s->run, j->elements, sizeof(bool)),
		.dep_count = j->dep_count,
		.any = j->dep_any,
		.begin_us = j->begin_us,
	};
	memcpy(b->deps, j->deps, sizeof(b->deps));
	strncpy(b->name, j->name, sizeof(b->name) - 1);
}

ON_EVENT(updated)
{
	const Armada__JobUpdated *m = ev->job_updated;
	struct waiter *b = waiter_of(own, m->job);

	if (!b || !m->set_waits)
		return;
	b->dep_count = 0;
	b->begin_us = m->waits ? m->waits->begin_us : 0;
	b->any = m->waits && m->waits->any;
	for (size_t i = 0; m->waits && i < m->waits->n_dependencies && i < SIM_DEPS; i++)
		b->deps[b->dep_count++] = *m->waits->dependencies[i];
}

/* A dependency holds, can never hold, or neither. */
enum standing { WAITS, HOLDS, NEVER };

static enum standing stands_one(const struct storm *s, const struct sim_job_history *on,
				const Armada__Dependency *d, uint32_t from, uint32_t to,
				int64_t now_us)
{
	uint32_t begun = 0, ended = 0, good = 0, due = 0, n = to - from + 1;

	for (uint32_t e = from; e <= to; e++) {
		begun += (on->state[e] & (HISTORY_BEGUN | HISTORY_ENDED)) != 0;
		ended += (on->state[e] & HISTORY_ENDED) != 0;
		good += (on->state[e] & HISTORY_GOOD) != 0;
		due += on->begun_us[e] + d->delay_s * INT64_C(1000000) <= now_us;
	}
	switch (d->type) {
	case DEP(AFTER):
		/* after the clock was set back, no record has the time that it showed before */
		return begun == n && (due || !d->delay_s || s->clock->jumps) ? HOLDS : WAITS;
	case DEP(AFTERANY):
		return ended == n ? HOLDS : WAITS;
	case DEP(AFTERNOTOK):
		return ended < n ? WAITS : good < n ? HOLDS : NEVER;
	default:
		return good == n ? HOLDS : ended > good ? NEVER : WAITS;
	}
}

static enum standing stands_alone(struct storm *s, struct waiters *w, uint64_t job)
{
	for (uint64_t i = 0; i < job; i++) {
		const struct sim_job_history *p = sim_history_find(s, i);

		if (p && p->left && !strcmp(w->list[i].name, w->list[job].name))
			return WAITS;
	}
	return HOLDS;
}

static enum standing stands(struct storm *s, struct waiters *w, uint64_t job,
			    const Armada__Dependency *d, uint32_t element, int64_t now_us)
{
	const struct sim_job_history *on = sim_history_find(s, d->job);

	if (d->type == DEP(SINGLETON))
		return stands_alone(s, w, job);
	if (!on)
		return NEVER;
	if (d->type == DEP(AFTERCORR))
		return stands_one(s, on, d, element, element, now_us);
	return stands_one(s, on, d, d->has_element ? d->element : 0,
			  d->has_element ? d->element : on->elements - 1, now_us);
}

static enum standing stands_all(struct storm *s, struct waiters *w, uint64_t job, uint32_t element,
				int64_t now_us)
{
	const struct waiter *b = waiter_of(w, job);
	size_t holds = 0, never = 0;

	for (size_t i = 0; i < b->dep_count; i++) {
		enum standing one = stands(s, w, job, &b->deps[i], element, now_us);

		holds += one == HOLDS;
		never += one == NEVER;
	}
	if (b->any && b->dep_count)
		return holds ? HOLDS : never == b->dep_count ? NEVER : WAITS;
	return never ? NEVER : holds == b->dep_count ? HOLDS : WAITS;
}

ON_EVENT(leased)
{
	uint64_t job = ev->element_leased->job;
	uint32_t element = ev->element_leased->element;
	struct waiter *b = waiter_of(own, job);
	bool again;

	if (!b || element >= sim_history_find(s, job)->elements)
		return;
	s->count.waited += b->dep_count || b->begin_us;
	/* an element that was leased once is exempt: its job may have got more dependencies since */
	again = b->leased[element];
	b->leased[element] = true;
	if (again)
		return;
	if (b->begin_us > r->wall_us)
		storm_violate(s, "%llu_%u is leased before its begin time", (unsigned long long)job,
			      element);
	if (stands_all(s, own, job, element, r->wall_us) != HOLDS)
		storm_violate(s, "%llu_%u is leased though what it waits for does not hold",
			      (unsigned long long)job, element);
}

ON_EVENT(ended)
{
	const Armada__ElementEnded *m = ev->element_ended;

	if (strncmp(m->reason, "DependencyNeverSatisfied", 24) != 0 || !waiter_of(own, m->job))
		return;
	s->count.given_up++;
	for (size_t i = 0; i < m->n_elements; i++)
		for (uint32_t e = m->elements[i]->first; e <= m->elements[i]->last; e++)
			if (stands_all(s, own, m->job, e, r->wall_us) != NEVER)
				storm_violate(s, "%llu_%u is given up though it might have started",
					      (unsigned long long)m->job, e);
}

const struct invariant invariant_deps = {
	.size = sizeof(struct waiters),
	.forgets = true,
	.on_event =
		{
			[ARMADA__EVENT__KIND_JOB_SUBMITTED] = submitted,
			[ARMADA__EVENT__KIND_JOB_UPDATED] = updated,
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_ELEMENT_ENDED] = ended,
		},
};

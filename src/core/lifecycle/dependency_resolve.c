/*
 * Dependencies: resolves them when the job that they name starts, ends or is renamed.
 *
 * There are two steps. dependency_resolve_event() runs just before an event of this controller is
 * applied, because the fold may remove the job from memory. It computes which kinds of dependency
 * on the job become met, or can never be met, and emits DependencySettled. The fold decides the
 * edges (core/state/dependents.h) and notes each dependent as due. dependency_resolve_due() then
 * takes the due jobs one by one. It combines the edges of a job and its begin time, frees elements
 * (JobEligible), ends those that can never start (unless the job keeps them), or sets a timer.
 *
 * A job combines its edges with "all of them" or with "any of them" (depend->any). An aftercorr
 * edge decides element by element; every other edge decides for the whole job. Both kinds may be
 * mixed.
 *
 * Caveat: one end may free many jobs. So an input does a bounded part (..._AT_ONCE below) and sets
 * txn->unfinished; the rest follows with later inputs. Replays do not run this code: they find its
 * events in the log.
 */
#include "core/lifecycle/dependency_resolve.h"

#include "core/lifecycle/deadline.h"

#include "core/lifecycle/element.h"
#include "core/state/dependents.h"
#include "core/state/same_name_index.h"
#include "core/txn/dependency_timers.h"
#include "core/txn/emit.h"
#include "core/view/dependency_text.h"

#include <string.h>

/* Bounds of one input for the jobs that are due: checks, events and memory. */
enum { LOOKS_AT_ONCE = 20000, EVENTS_AT_ONCE = 2000, MEMORY_AT_ONCE = 16 << 20 };
/* The bound for one array that can never start: its steps may have made many ranges. */
enum { PIECES_AT_ONCE = 2000 };

/* Kinds of dependencies, as an event lists them. */
struct kinds {
	Armada__DependencyType list[8];
	size_t count;
};

static void add(struct kinds *k, Armada__DependencyType type)
{
	k->list[k->count++] = type;
}

static Armada__DependencySettled *make_settled(struct txn *txn, const struct kinds *met,
					       const struct kinds *never, Armada__Event **ret_ev)
{
	Armada__DependencySettled *m;

	*ret_ev = emit_make(txn, ARMADA__EVENT__KIND_DEPENDENCY_SETTLED, &m);
	m->met = arena_memdup(txn->arena, met->list, sizeof(met->list));
	m->n_met = met->count;
	m->never = arena_memdup(txn->arena, never->list, sizeof(never->list));
	m->n_never = never->count;
	return m;
}

/* elements: the elements that settle; NULL: the job as a whole. */
static void settle(struct txn *txn, const struct job *j, Armada__IndexRange **elements,
		   size_t count, const struct kinds *met, const struct kinds *never, int64_t at_us)
{
	Armada__DependencySettled *m;
	Armada__Event *ev;

	if (!met->count && !never->count)
		return;
	m = make_settled(txn, met, never, &ev);
	m->job = j->id;
	m->at_us = at_us;
	m->elements = elements;
	m->n_elements = count;
	emit_event(txn, ev);
}

/* The numbers of elements of a job after the end of some elements will be applied. */
struct passing {
	uint64_t waiting, structs, unbegun;
	bool ok, first_bad;
};

static void look_at_end(const struct job *j, const Armada__ElementEnded *m, struct passing *ret)
{
	*ret = (struct passing){
		.waiting = j->waiting.total,
		.structs = j->element_count,
		.unbegun = j->target ? j->target->unbegun : 0,
		.ok = m->state == ARMADA__JOB_STATE__JOB_COMPLETED,
		.first_bad = !job_bad(j),
	};
	for (size_t i = 0; i < m->n_elements; i++) {
		const Armada__IndexRange *r = m->elements[i];
		const struct element *e = r->first == r->last ? element_find(j, r->first) : NULL;
		uint64_t n = (uint64_t)r->last - r->first + 1;

		ret->structs -= e != NULL;
		if (!e || !e->task_count)
			ret->waiting -= n;
		if (!e || !e->begun)
			ret->unbegun -= n;
	}
}

static void end_of_whole(struct txn *txn, const struct job *j, const struct passing *p)
{
	bool over = !p->waiting && !p->structs, all_ok = p->ok && p->first_bad;
	struct kinds met = {0}, never = {0};

	if (!p->unbegun && j->target->unbegun)
		add(&met, DEPENDENCY(AFTER));
	if (!p->ok && p->first_bad)
		add(&never, DEPENDENCY(AFTEROK));
	if (over) {
		add(&met, DEPENDENCY(AFTERANY));
		add(all_ok ? &met : &never, DEPENDENCY(AFTEROK));
		add(all_ok ? &never : &met, DEPENDENCY(AFTERNOTOK));
	}
	settle(txn, j, NULL, 0, &met, &never, txn->in->wall_us);
}

static void end_of_elements(struct txn *txn, const struct job *j, const Armada__ElementEnded *m,
			    bool ok)
{
	struct kinds met = {0}, never = {0};

	add(&met, DEPENDENCY(AFTER));
	add(&met, DEPENDENCY(AFTERANY));
	add(ok ? &met : &never, DEPENDENCY(AFTEROK));
	add(ok ? &met : &never, DEPENDENCY(AFTERCORR));
	add(ok ? &never : &met, DEPENDENCY(AFTERNOTOK));
	settle(txn, j, m->elements, m->n_elements, &met, &never, txn->in->wall_us);
}

static bool waits_alone(const struct job *j)
{
	const struct depend *d = j->depend;

	for (uint32_t i = 0; d && i < d->edge_count; i++)
		if (d->edges[i].type == DEPENDENCY(SINGLETON) && d->edges[i].state == DEPEND_WAITS)
			return true;
	return false;
}

/*
 * The job ends or gets another name. If it was the first of its name, the next job of that name is the
 * first now, and its singleton dependency is met.
 */
static void leave_name(struct txn *txn, const struct job *j)
{
	const struct job *next = TAILQ_NEXT(j, by_name);
	struct kinds met = {0}, never = {0};
	Armada__DependencySettled *m;
	Armada__Event *ev;

	if (!next || !same_name_is_first(j) || !waits_alone(next))
		return;
	add(&met, DEPENDENCY(SINGLETON));
	m = make_settled(txn, &met, &never, &ev);
	m->dependent = next->id;
	m->at_us = txn->in->wall_us;
	emit_event(txn, ev);
}

static void follow_end(struct txn *txn, const Armada__ElementEnded *m)
{
	const struct job *j = job_find(txn->state, m->job);
	struct passing p;

	if (!j || (!j->target && !TAILQ_NEXT(j, by_name)))
		return;
	look_at_end(j, m, &p);
	if (j->target && !LIST_EMPTY(&j->target->whole))
		end_of_whole(txn, j, &p);
	if (j->target && (j->target->by_element || !LIST_EMPTY(&j->target->corr)))
		end_of_elements(txn, j, m, p.ok);
	if (!p.waiting && !p.structs)
		leave_name(txn, j);
}

static void follow_start(struct txn *txn, const Armada__TaskStarted *m)
{
	const struct task *t = m->all ? task_find(txn->state, m->key) : NULL;
	const struct job *j = t ? t->element->job : NULL;
	struct kinds met = {{DEPENDENCY(AFTER)}, 1}, never = {0};
	/* the node reported the time; its clock may be ahead of the controller's */
	int64_t at_us =
		m->start_us && m->start_us < txn->in->wall_us ? m->start_us : txn->in->wall_us;

	if (!j || !j->target || t->element->begun)
		return;
	if (j->target->unbegun == 1 && !LIST_EMPTY(&j->target->whole))
		settle(txn, j, NULL, 0, &met, &never, at_us);
	if (!j->target || !j->target->by_element)
		return;
	settle(txn, j, range_of_one(t->element->index, 0, txn->arena), 1, &met, &never, at_us);
}

static void follow_update(struct txn *txn, const Armada__JobUpdated *m)
{
	const struct job *j = job_find(txn->state, m->job);

	if (j && strcmp(j->spec->name, m->spec->name) != 0)
		leave_name(txn, j);
}

void dependency_resolve_event(struct txn *txn, const Armada__Event *ev)
{
	switch (ev->kind_case) {
	case ARMADA__EVENT__KIND_ELEMENT_ENDED:
		follow_end(txn, ev->element_ended);
		break;
	case ARMADA__EVENT__KIND_TASK_STARTED:
		follow_start(txn, ev->task_started);
		break;
	case ARMADA__EVENT__KIND_JOB_UPDATED:
		follow_update(txn, ev->job_updated);
		break;
	default:
		break;
	}
}

/*
 * The combined result of a job's edges, without those that decide by element. from_us: the time
 * from which a met result counts.
 */
struct verdict {
	int state;
	int64_t from_us;
};

static struct verdict judge_edges(const struct depend *d)
{
	int64_t latest = 0, earliest = INT64_MAX;
	uint32_t met = 0, never = 0, count = 0;
	bool by_element = false;
	struct verdict v = {DEPEND_WAITS, 0};

	for (uint32_t i = 0; i < d->edge_count; i++) {
		const struct edge *e = &d->edges[i];

		by_element |= e->met != NULL;
		count += !e->met;
		never += e->state == DEPEND_NEVER;
		if (e->state != DEPEND_MET)
			continue;
		met++;
		latest = e->at_us > latest ? e->at_us : latest;
		earliest = e->at_us < earliest ? e->at_us : earliest;
	}
	if (d->any && (count || by_element)) {
		v.state = met ? DEPEND_MET : never == count ? DEPEND_NEVER : DEPEND_WAITS;
		v.from_us = met ? earliest : 0;
	} else {
		v.state = never ? DEPEND_NEVER : met == count ? DEPEND_MET : DEPEND_WAITS;
		v.from_us = latest;
	}
	if (d->begin_us > v.from_us)
		v.from_us = d->begin_us;
	return v;
}

/*
 * The elements that the edges by element call met (or never): the intersection of the edges if
 * `all`, else the union. False: no edge decides by element.
 */
static bool gather(const struct depend *d, bool never, bool all, struct rangeset *ret)
{
	bool first = true;

	for (uint32_t i = 0; i < d->edge_count; i++) {
		const struct edge *e = &d->edges[i];
		const struct rangeset *s = never ? e->never : e->met;

		if (!e->met)
			continue;
		if (first)
			rangeset_copy(ret, s);
		else if (all)
			rangeset_intersect(ret, s);
		else
			rangeset_unite(ret, s);
		first = false;
	}
	return !first;
}

/* The withheld elements that are free now, and the withheld elements that can never start. */
struct sorting {
	struct rangeset free, never;
	int64_t wake_us; /* when to check again; 0: the time changes nothing */
};

static void take_all(const struct depend *d, struct rangeset *ret)
{
	rangeset_clear(ret);
	if (d->withheld)
		rangeset_copy(ret, d->withheld);
	else
		rangeset_add(ret, 0, 0);
}

static void sort_elements(const struct depend *d, int64_t now_us, struct sorting *ret)
{
	struct verdict v = judge_edges(d);
	bool by_element = gather(d, false, !d->any, &ret->free);
	bool due = v.from_us <= now_us;

	gather(d, true, d->any, &ret->never);
	if (!by_element || (d->any && v.state == DEPEND_MET && due)) {
		rangeset_clear(&ret->never);
		if (v.state == DEPEND_MET && due)
			take_all(d, &ret->free);
		if (v.state == DEPEND_NEVER)
			take_all(d, &ret->never);
	} else if (!d->any) {
		if (v.state == DEPEND_NEVER)
			take_all(d, &ret->never);
		if (v.state != DEPEND_MET || !due)
			rangeset_clear(&ret->free);
	} else {
		if (v.state != DEPEND_NEVER)
			rangeset_clear(&ret->never);
		if (d->begin_us > now_us)
			rangeset_clear(&ret->free);
	}
	rangeset_subtract(&ret->free, &ret->never);
	if (v.state == DEPEND_MET && !due)
		ret->wake_us = v.from_us;
	if (by_element && d->begin_us > now_us)
		ret->wake_us = d->begin_us;
}

static void let_go(struct txn *txn, const struct job *j, const struct rangeset *which)
{
	Armada__JobEligible *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_ELIGIBLE, &m);

	m->job = j->id;
	m->elements = ranges_of(which, SIZE_MAX, txn->arena, &m->n_elements);
	emit_event(txn, ev);
}

static void look_at(struct txn *txn, const struct depend *d)
{
	const struct job *j = d->job;
	struct sorting s = {0};
	char *words;

	sort_elements(d, txn->in->wall_us, &s);
	if (s.wake_us)
		dependency_timer_set(txn->live, j, s.wake_us);
	words = s.never.total && !d->keep ? dependency_never_words(j, txn->arena) : NULL;
	if (words && rangeset_keep_last(&s.never, PIECES_AT_ONCE))
		dependency_timer_set(txn->live, j, 0); /* the remaining ones follow later */
	if (s.free.total)
		let_go(txn, j, &s.free);
	if (words)
		waiting_end(txn, j, &s.never,
			    arena_printf(txn->arena, "DependencyNeverSatisfied: %s", words));
	rangeset_done(&s.free);
	rangeset_done(&s.never);
}

void dependency_resolve_due(struct txn *txn)
{
	for (int looks = 0;; looks++) {
		const struct job *j;
		uint64_t id;

		if (!dependency_timer_is_due(txn->live, txn->in->wall_us))
			return;
		if (looks >= LOOKS_AT_ONCE || txn->event_count >= EVENTS_AT_ONCE ||
		    arena_used(txn->arena) > MEMORY_AT_ONCE) {
			txn->unfinished = true;
			return;
		}
		id = dependency_timer_next(txn->live, txn->in->wall_us);
		j = job_find(txn->state, id);
		if (j && j->depend)
			look_at(txn, j->depend);
		j = job_find(txn->state, id);
		if (j)
			deadline_look(txn, j);
	}
}

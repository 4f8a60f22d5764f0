/*
 * The fold of dependencies: decided edges, and elements that became free.
 *
 * Input: JobEligible, DependencySettled, and SnapWaits from a snapshot. Output: the changed edges
 * and sets of withheld elements, and marks (fold_check_later) on the jobs to check. Caveat:
 * deciding an edge takes it off its target, and frees the target with its last edge. So each loop
 * reads the next link first and reads job->target again.
 */
#include "core/state/write.h"

#include "core/state/dependents.h"
#include "core/state/fold_events.h"
#include "core/state/stored.h"

int fold_job_eligible(struct fold *f, const Armada__JobEligible *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);

	if (!j)
		return err_set(err, -EINVAL,
			       "job %" PRIu64 " is eligible, but does not "
			       "exist",
			       m->job);
	if (j->depend)
		j->eligible_us = f->clock_us;
	/* from the last range to the first: each removal then costs the same */
	for (size_t i = m->n_elements; i-- > 0 && j->depend;)
		dependents_release(j, m->elements[i]->first, m->elements[i]->last);
	return 0;
}

static bool among(uint8_t type, const Armada__DependencyType *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == type)
			return true;
	return false;
}

static void settle_edges(struct fold *f, struct edges *list, const Armada__DependencySettled *m)
{
	struct edge *e, *next;

	for (e = LIST_FIRST(list); e; e = next) {
		next = LIST_NEXT(e, beside);
		if (among(e->type, m->met, m->n_met))
			dependents_decide(f, e, DEPEND_MET, m->at_us);
		else if (among(e->type, m->never, m->n_never))
			dependents_decide(f, e, DEPEND_NEVER, 0);
	}
}

/*
 * AFTERCORR holds for each element on its own. All elements of the event are handled at once,
 * because each of them may be a range of its own.
 */
static void settle_corr(struct fold *f, struct target *t, const Armada__DependencySettled *m)
{
	bool met = among(DEPENDENCY(AFTERCORR), m->met, m->n_met);
	struct rangeset named = {0}, part = {0};
	struct edge *e;

	if ((!met && !among(DEPENDENCY(AFTERCORR), m->never, m->n_never)) || LIST_EMPTY(&t->corr))
		return;
	for (size_t i = 0; i < m->n_elements; i++)
		rangeset_add(&named, m->elements[i]->first, m->elements[i]->last);
	LIST_FOREACH (e, &t->corr, beside) {
		rangeset_copy(&part, &named);
		rangeset_intersect(&part, e->of->withheld);
		rangeset_unite(met ? e->met : e->never, &part);
		fold_check_later(f, e->of->job);
	}
	rangeset_done(&named);
	rangeset_done(&part);
}

/* j->target is freed with its last edge, so it is read again each time. */
static void settle_range(struct fold *f, struct job *j, const Armada__DependencySettled *m,
			 const Armada__IndexRange *r)
{
	struct element_edges *a, *next;

	if (j->target && r->first == r->last) {
		HASH_FIND(hh, j->target->by_element, &r->first, sizeof(r->first), a);
		if (a)
			settle_edges(f, &a->edges, m);
		return;
	}
	for (a = j->target ? j->target->by_element : NULL; a; a = next) {
		next = a->hh.next;
		if (a->element >= r->first && a->element <= r->last)
			settle_edges(f, &a->edges, m);
	}
}

static int settle_singleton(struct fold *f, const Armada__DependencySettled *m, struct err *err)
{
	struct job *j = job_find(f->state, m->dependent);

	if (!j || !j->depend)
		return err_set(err, -EINVAL, "job %" PRIu64 " has no dependencies", m->dependent);
	for (uint32_t i = 0; i < j->depend->edge_count; i++) {
		struct edge *e = &j->depend->edges[i];

		if (e->state == DEPEND_WAITS && among(e->type, m->met, m->n_met))
			dependents_decide(f, e, DEPEND_MET, m->at_us);
	}
	return 0;
}

int fold_dependency_settled(struct fold *f, const Armada__DependencySettled *m, struct err *err)
{
	struct job *j;

	if (m->dependent)
		return settle_singleton(f, m, err);
	j = job_find(f->state, m->job);
	if (!j)
		return err_set(err, -EINVAL,
			       "job %" PRIu64 " settles dependencies, but does not "
			       "exist",
			       m->job);
	if (j->target && m->n_elements)
		settle_corr(f, j->target, m);
	for (size_t i = 0; i < m->n_elements; i++)
		settle_range(f, j, m, m->elements[i]);
	if (!m->n_elements && j->target)
		settle_edges(f, &j->target->whole, m);
	return 0;
}

int fold_snap_waits(struct fold *f, const Armada__SnapWaits *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);

	if (!j || !m->waits || j->depend)
		return err_set(err, -EINVAL,
			       "job %" PRIu64 " has dependencies, but does not "
			       "exist",
			       m->job);
	dependents_add(f, j, m->waits);
	if (j->depend->withheld)
		rangeset_clear(j->depend->withheld);
	for (size_t i = 0; j->depend->withheld && i < m->n_withheld; i++)
		rangeset_add(j->depend->withheld, m->withheld[i]->first, m->withheld[i]->last);
	stored_note(f->state, j);
	return 0;
}

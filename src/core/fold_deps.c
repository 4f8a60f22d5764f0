/* The fold of what jobs wait for, and of changes of jobs. */
#include "core/depend.h"
#include "core/fold.h"
#include "core/gang.h"
#include "core/tenant.h"
#include "util/mem.h"

#include <string.h>

int fold_job_eligible(struct core *c, const Armada__JobEligible *m, struct err *err)
{
	struct job *j = job_find(c, m->job);

	if (!j)
		return err_set(err, -EINVAL, "job %" PRIu64 " may start but is not there", m->job);
	/* the last first: so each costs the same, however many pieces wait */
	for (size_t i = m->n_elements; i-- > 0 && j->depend;)
		depend_let(c, j, m->elements[i]->first, m->elements[i]->last);
	return 0;
}

static bool among(uint8_t type, const Armada__DependencyType *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == type)
			return true;
	return false;
}

static void settle_edges(struct core *c, struct edges *list, const Armada__DependencySettled *m)
{
	struct edge *e, *next;

	for (e = LIST_FIRST(list); e; e = next) {
		next = LIST_NEXT(e, beside);
		if (among(e->type, m->met, m->n_met))
			edge_decide(c, e, DEPEND_MET, m->at_us);
		else if (among(e->type, m->never, m->n_never))
			edge_decide(c, e, DEPEND_NEVER, 0);
	}
}

/* Element by element: all that the event names at once, for each may be a piece of its own. */
static void settle_corr(struct core *c, struct target *t, const Armada__DependencySettled *m)
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
		wake_at(c, e->of, 0);
	}
	rangeset_done(&named);
	rangeset_done(&part);
}

/* The job's target goes with the last that hangs on it. */
static void settle_range(struct core *c, struct job *j, const Armada__DependencySettled *m,
			 const Armada__IndexRange *r)
{
	struct aim *a, *next;

	if (j->target && r->first == r->last) {
		HASH_FIND(hh, j->target->aims, &r->first, sizeof(r->first), a);
		if (a)
			settle_edges(c, &a->edges, m);
		return;
	}
	for (a = j->target ? j->target->aims : NULL; a; a = next) {
		next = a->hh.next;
		if (a->element >= r->first && a->element <= r->last)
			settle_edges(c, &a->edges, m);
	}
}

static int settle_singleton(struct core *c, const Armada__DependencySettled *m, struct err *err)
{
	struct job *j = job_find(c, m->dependent);

	if (!j || !j->depend)
		return err_set(err, -EINVAL, "job %" PRIu64 " waits for nobody", m->dependent);
	for (uint32_t i = 0; i < j->depend->edge_count; i++) {
		struct edge *e = &j->depend->edges[i];

		if (e->state == DEPEND_WAITS && among(e->type, m->met, m->n_met))
			edge_decide(c, e, DEPEND_MET, m->at_us);
	}
	return 0;
}

int fold_dependency_settled(struct core *c, const Armada__DependencySettled *m, struct err *err)
{
	struct job *j;

	if (m->dependent)
		return settle_singleton(c, m, err);
	j = job_find(c, m->job);
	if (!j)
		return err_set(err, -EINVAL, "job %" PRIu64 " is settled but not there", m->job);
	if (j->target && m->n_elements)
		settle_corr(c, j->target, m);
	for (size_t i = 0; i < m->n_elements; i++)
		settle_range(c, j, m, m->elements[i]);
	if (!m->n_elements && j->target)
		settle_edges(c, &j->target->whole, m);
	return 0;
}

static void change_queue(struct core *c, struct job *j, const char *name)
{
	struct queue *to = core_find_queue(c, name);

	if (!to || to == j->queue)
		return;
	j->queue->jobs--;
	j->queue->waiting -= j->waiting.total;
	tenant_waits(j, -(int64_t)j->waiting.total);
	tenant_leave(c, j);
	to->jobs++;
	to->waiting += j->waiting.total;
	j->queue = to;
	tenant_join(c, j);
	tenant_waits(j, (int64_t)j->waiting.total);
}

int fold_job_updated(struct core *c, const Armada__JobUpdated *m, struct err *err)
{
	struct job *j = job_find(c, m->job);
	struct spec *old;

	if (!j || !m->spec || !core_find_queue(c, m->spec->queue))
		return err_set(err, -EINVAL, "job %" PRIu64 " is changed but not there", m->job);
	old = j->spec;
	j->spec = spec_obtain(c, m->spec);
	change_queue(c, j, m->spec->queue);
	if (strcmp(old->name, j->spec->name) != 0) {
		namesake_leave(c, j);
		namesake_join(c, j);
	}
	spec_release(c, old);
	if (m->set_waits) {
		depend_drop(c, j);
		if (m->waits && j->waiting.total)
			depend_make(c, j, m->waits);
	}
	j->excess = UINT32_MAX;
	note_excess(j);
	/* what was said of why it waits was said of another */
	free(j->reason);
	j->reason = NULL;
	j->why = WHY_NONE;
	j->expected_us = 0;
	return 0;
}

int fold_snap_waits(struct core *c, const Armada__SnapWaits *m, struct err *err)
{
	struct job *j = job_find(c, m->job);

	if (!j || !m->waits || j->depend)
		return err_set(err, -EINVAL, "job %" PRIu64 " waits but is not there", m->job);
	depend_make(c, j, m->waits);
	if (!j->depend->withheld)
		return 0;
	rangeset_clear(j->depend->withheld);
	for (size_t i = 0; i < m->n_withheld; i++)
		rangeset_add(j->depend->withheld, m->withheld[i]->first, m->withheld[i]->last);
	return 0;
}

void note_unbegun(struct job *j, uint64_t count)
{
	if (j->target)
		j->target->unbegun -= count;
}

void note_begun(struct element *e)
{
	if (!e->begun)
		note_unbegun(e->job, 1);
	e->begun = true;
}

struct array_ends *ends_obtain(struct job *j)
{
	if (!j->ends)
		j->ends = xcalloc(1, sizeof(*j->ends));
	return j->ends;
}

const struct rangeset *job_bad(const struct job *j)
{
	return j->ends && j->ends->bad.count ? &j->ends->bad : NULL;
}

void note_bad(struct job *j, const Armada__ElementEnded *m)
{
	if (!j->spec->array || m->state == ARMADA__JOB_STATE__JOB_COMPLETED)
		return;
	for (size_t i = 0; i < m->n_elements; i++)
		rangeset_add(&ends_obtain(j)->bad, m->elements[i]->first, m->elements[i]->last);
}

uint32_t running_elements(const struct job *j)
{
	uint32_t n = 0;

	for (size_t i = 0; i < j->element_count; i++)
		n += j->elements[i]->task_count > 0;
	return n;
}

void note_excess(struct job *j)
{
	uint32_t running;

	if (!j->excess)
		return;
	running = running_elements(j);
	j->excess = j->spec->throttle && running > j->spec->throttle ? running : 0;
}

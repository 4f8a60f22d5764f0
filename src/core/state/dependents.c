/*
 * The dependencies of jobs: their structs, and the links between dependent jobs and their targets.
 *
 * Input: the dependencies of a submission or an update (Armada__JobWaits), and the results that
 * events carry. Output: job->depend, the edges on job->target, and the messages for records and
 * snapshots. Caveats: an edge hangs on its target only while it waits. A target is freed with its
 * last edge, and the functions here may free a struct depend or a struct target that the caller
 * still has in a variable. count_unbegun() walks all elements, but runs only when a job gets its
 * first edge.
 */
#include "core/state/write.h"

#include "core/state/dependents.h"

#include "core/state/fold.h"
#include "core/state/gang.h"
#include "util/mem.h"

#include <assert.h>

bool job_withholds(const struct job *j, uint32_t index)
{
	const struct depend *d = j->depend;

	return d && (!d->withheld || rangeset_contains(d->withheld, index));
}

uint64_t job_withheld(const struct job *j)
{
	const struct depend *d = j->depend;

	return !d ? 0 : d->withheld ? d->withheld->total : j->waiting.total;
}

static uint64_t count_unbegun(const struct job *j)
{
	uint64_t n = j->waiting.total;

	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		if (e->begun)
			n -= !e->task_count; /* requeued: it is counted in waiting */
		else
			n += e->task_count > 0;
	}
	return n;
}

static struct target *target_obtain(struct job *j)
{
	if (!j->target) {
		j->target = xcalloc(1, sizeof(*j->target));
		j->target->unbegun = count_unbegun(j);
	}
	return j->target;
}

static struct edges *edges_of(struct target *t, const struct edge *e)
{
	struct element_edges *a;

	if (e->type == DEPENDENCY(AFTERCORR))
		return &t->corr;
	if (!e->has_element)
		return &t->whole;
	HASH_FIND(hh, t->by_element, &e->element, sizeof(e->element), a);
	if (!a) {
		a = xcalloc(1, sizeof(*a));
		a->element = e->element;
		HASH_ADD(hh, t->by_element, element, sizeof(a->element), a);
	}
	return &a->edges;
}

static void drop_element_edges(struct target *t, struct element_edges *a)
{
	HASH_DEL(t->by_element, a);
	free(a);
}

static void edge_hang(const struct state *state, struct edge *e)
{
	struct job *on = e->type == DEPENDENCY(SINGLETON) ? NULL : job_find(state, e->job);

	if (!on || e->state != DEPEND_WAITS)
		return;
	e->on = on;
	LIST_INSERT_HEAD(edges_of(target_obtain(on), e), e, beside);
}

static void edge_unhang(struct edge *e)
{
	struct target *t = e->on ? e->on->target : NULL;
	struct element_edges *a = NULL;

	if (!t)
		return;
	if (e->has_element)
		HASH_FIND(hh, t->by_element, &e->element, sizeof(e->element), a);
	LIST_REMOVE(e, beside);
	if (a && LIST_EMPTY(&a->edges))
		drop_element_edges(t, a);
	if (LIST_EMPTY(&t->whole) && LIST_EMPTY(&t->corr) && !t->by_element) {
		e->on->target = NULL;
		free(t);
	}
	e->on = NULL;
}

void dependents_decide(struct fold *f, struct edge *e, int state, int64_t at_us)
{
	edge_unhang(e);
	e->state = (uint8_t)state;
	e->at_us = state == DEPEND_MET && e->delay_s ? at_us + e->delay_s * INT64_C(1000000) : 0;
	fold_check_later(f, e->of->job);
}

static void drop_edges(struct edges *list)
{
	while (!LIST_EMPTY(list)) {
		struct edge *e = LIST_FIRST(list);

		LIST_REMOVE(e, beside);
		e->on = NULL;
	}
}

void dependents_leave(struct job *j)
{
	struct target *t = j->target;

	if (!t)
		return;
	drop_edges(&t->whole);
	drop_edges(&t->corr);
	while (t->by_element) {
		drop_edges(&t->by_element->edges);
		drop_element_edges(t, t->by_element);
	}
	free(t);
	j->target = NULL;
}

static struct rangeset *set_of(Armada__IndexRange *const *list, size_t count)
{
	struct rangeset *s = xcalloc(1, sizeof(*s));

	for (size_t i = 0; i < count; i++)
		rangeset_add(s, list[i]->first, list[i]->last);
	return s;
}

static void set_free(struct rangeset *s)
{
	if (s)
		rangeset_done(s);
	free(s);
}

static void edge_make(const struct state *state, struct depend *d, const Armada__Dependency *m)
{
	struct edge *e = &d->edges[d->edge_count++];

	*e = (struct edge){
		.of = d,
		.job = m->job,
		.at_us = m->at_us,
		.delay_s = (int32_t)m->delay_s,
		.element = m->element,
		.has_element = m->has_element,
		.type = m->type,
		.state = m->state,
	};
	if (e->type == DEPENDENCY(AFTERCORR)) {
		e->met = set_of(m->met, m->n_met);
		e->never = set_of(m->never, m->n_never);
		rangeset_intersect(e->met, d->withheld);
		rangeset_intersect(e->never, d->withheld);
	}
	edge_hang(state, e);
}

void dependents_add(struct fold *f, struct job *j, const Armada__JobWaits *waits)
{
	struct depend *d;

	assert(!j->depend);
	d = xcalloc(1, sizeof(*d) + waits->n_dependencies * sizeof(d->edges[0]));
	d->job = j;
	d->begin_us = waits->begin_us;
	d->any = waits->any;
	d->keep = waits->keep;
	if (j->spec->array) {
		d->withheld = xcalloc(1, sizeof(*d->withheld));
		rangeset_copy(d->withheld, &j->waiting);
	}
	for (size_t i = 0; i < waits->n_dependencies; i++)
		edge_make(f->state, d, waits->dependencies[i]);
	j->depend = d;
	if (j->gang)
		j->gang->withheld++;
	fold_check_later(f, j);
}

void dependents_drop(struct job *j)
{
	struct depend *d = j->depend;

	if (!d)
		return;
	for (uint32_t i = 0; i < d->edge_count; i++) {
		edge_unhang(&d->edges[i]);
		set_free(d->edges[i].met);
		set_free(d->edges[i].never);
	}
	set_free(d->withheld);
	free(d);
	j->depend = NULL;
	if (j->gang)
		j->gang->withheld--;
}

void dependents_release(struct job *j, uint32_t first, uint32_t last)
{
	struct depend *d = j->depend;

	if (!d)
		return;
	if (d->withheld)
		rangeset_remove(d->withheld, first, last);
	if (!d->withheld || !d->withheld->total) {
		dependents_drop(j);
		return;
	}
	for (uint32_t i = 0; i < d->edge_count; i++) {
		struct edge *e = &d->edges[i];

		if (!e->met)
			continue;
		rangeset_remove(e->met, first, last);
		rangeset_remove(e->never, first, last);
	}
}

static Armada__Dependency *message_of(const struct edge *e, struct arena *a)
{
	Armada__Dependency *m = arena_alloc(a, sizeof(*m));

	armada__dependency__init(m);
	m->type = e->type;
	m->job = e->job;
	m->has_element = e->has_element;
	m->element = e->element;
	m->delay_s = e->delay_s;
	m->state = e->state;
	m->at_us = e->at_us;
	if (e->met) {
		m->met = ranges_of(e->met, SIZE_MAX, a, &m->n_met);
		m->never = ranges_of(e->never, SIZE_MAX, a, &m->n_never);
	}
	return m;
}

Armada__JobWaits *waits_of(const struct job *j, struct arena *a)
{
	const struct depend *d = j->depend;
	Armada__JobWaits *m;

	if (!d)
		return NULL;
	m = arena_alloc(a, sizeof(*m));
	armada__job_waits__init(m);
	m->any = d->any;
	m->keep = d->keep;
	m->begin_us = d->begin_us;
	m->dependencies = arena_alloc(a, (d->edge_count + 1) * sizeof(*m->dependencies));
	for (uint32_t i = 0; i < d->edge_count; i++)
		m->dependencies[m->n_dependencies++] = message_of(&d->edges[i], a);
	return m;
}

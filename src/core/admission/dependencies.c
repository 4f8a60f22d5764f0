/*
 * Dependencies of jobs at submission and at updates (dependencies.h).
 *
 * Input: the dependencies of a spec, the jobs in memory, and the answers of the history
 * (txn->in->past) for jobs that have left memory. Output: a refusal, or the state of each
 * dependency at this moment (dependencies_now). Later changes: core/lifecycle/dependency_resolve.c.
 *
 * Caveat: dependencies by element (aftercorr) cost as much as the arrays have ranges, so their
 * number and pieces are limited for each job and each request. dependencies_cycle() needs memory
 * and time in proportion to the jobs in memory; it is for updates only, because a new job has no
 * dependents.
 */
#include "core/admission/dependencies.h"

#include "core/state/dependents.h"
#include "core/state/same_name_index.h"
#include "core/txn/effects.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"
#include "core/view/visibility.h"
#include "util/mem.h"
#include "util/steps.h"

#include <stdlib.h>
#include <string.h>

/* Limits of one job, and of one request: all dependencies, and those by element of arrays. */
enum { DEPENDENCIES_MAX = 1000, REQUEST_MAX = 10000, CORR_MAX = 100, EXIT_NOT_FOUND = 3 };
/* The limit of the ranges that steps make of arrays, summed over all aftercorr. */
enum { CORR_PIECES_MAX = 2000000 };

#define LONGEST_S (INT64_C(100) * 366 * 86400)

/* The named job: in memory, in the history, in the request, or nowhere. */
struct other {
	const struct job *job;
	const struct core_finished_job *past;
	/* of a job in the request, or of an array in memory if elements of it are named */
	const Armada__JobSpec *spec;
};

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int past_by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = ((const struct core_finished_job *)b)->job;

	return (x > y) - (x < y);
}

static const struct core_finished_job *past_find(const struct txn *txn, uint64_t id)
{
	if (!txn->in->finished_count)
		return NULL;
	return bsearch(&id, txn->in->past, txn->in->finished_count, sizeof(*txn->in->past),
		       past_by_id);
}

static struct other other_of(struct txn *txn, uint64_t id, bool by_element)
{
	struct other o = {.job = job_find(txn->state, id)};

	if (o.job && o.job->spec->array && by_element)
		o.spec = spec_open(txn, o.job->spec, txn->arena);
	if (!o.job)
		o.past = past_find(txn, id);
	return o;
}

static bool is_by_element(const Armada__Dependency *d)
{
	return d->has_element || d->type == DEPENDENCY(AFTERCORR);
}

static void add_array(const Armada__JobSpec *s, struct rangeset *set)
{
	for (size_t i = 0; i < s->n_array; i++)
		steps_add(set, s->array[i]->first, s->array[i]->last, s->array[i]->step);
}

static void elements_of(const struct other *o, struct rangeset *set)
{
	if (o->spec)
		add_array(o->spec, set);
	else
		rangeset_copy(set, &o->past->elements);
}

static bool other_is_array(const struct other *o)
{
	if (o->past)
		return o->past->array;
	return o->job ? o->job->spec->array : o->spec->n_array > 0;
}

static bool other_has(const struct other *o, uint32_t element)
{
	if (o->past)
		return rangeset_contains(&o->past->elements, element);
	for (size_t i = 0; i < o->spec->n_array; i++) {
		const Armada__IndexRange *r = o->spec->array[i];

		if (steps_have(r->first, r->last, r->step, element))
			return true;
	}
	return false;
}

/* Refuses unless each element of this array has a counterpart in the other. */
static int check_corr(struct admission *a, const struct other *o, const char *name)
{
	struct rangeset ours = {0}, theirs = {0}, both = {0};
	int rc = 0;

	add_array(a->spec, &ours);
	elements_of(o, &theirs);
	rangeset_copy(&both, &ours);
	rangeset_intersect(&both, &theirs);
	if (!both.total) {
		rc = admit_no(a, "dependency aftercorr:%s: the two arrays have no index in common",
			      name);
	} else if (both.total != ours.total) {
		rangeset_subtract(&ours, &both);
		rc = admit_no(a, "dependency aftercorr:%s: that job has no element %u", name,
			      rangeset_first(&ours));
	}
	rangeset_done(&ours);
	rangeset_done(&theirs);
	rangeset_done(&both);
	return rc;
}

static bool is_of_its_gang(const struct admission *a, const struct job *o)
{
	const Armada__JobSpec *s = a->spec;

	return o->gang && s->gang_id[0] && strcmp(o->spec->gang->id, s->gang_id) == 0 &&
	       (o->spec->gang->of_queue || strcmp(o->spec->job_set, s->job_set) == 0) &&
	       strcmp(o->spec->queue, s->queue) == 0 && o->user->uid == a->txn->in->caller->uid;
}

/* name: of the other job in messages. */
static int check_elements(struct admission *a, const Armada__Dependency *d, const struct other *o,
			  const char *name)
{
	if (is_by_element(d) && !other_is_array(o))
		return admit_no(a, "dependency: job %s is not an array", name);
	if (d->has_element && !other_has(o, d->element)) {
		a->code = EXIT_NOT_FOUND;
		return admit_no(a, "dependency: job %s has no element %u", name, d->element);
	}
	return d->type == DEPENDENCY(AFTERCORR) ? check_corr(a, o, name) : 0;
}

/* A dependency on another job of the request, which must come earlier. */
static int check_in_request(struct admission *a, const Armada__Dependency *d)
{
	const Armada__SubmitRequest *m = a->request;
	size_t at = d->request_job - 1;
	struct other o = {0};

	if (!m || d->job)
		return admit_no(
			a, "dependency: a place in the request is for submissions, without an id");
	o.spec = at < a->place ? m->jobs[at] : NULL;
	if (!o.spec)
		return admit_no(a,
				"dependency: job %zu of the request does not come before this one",
				at + 1);
	if (a->spec->gang_id[0] && strcmp(o.spec->gang_id, a->spec->gang_id) == 0)
		return admit_no(
			a,
			"dependency: %s is a member of the same gang, and the members of a gang "
			"start together",
			o.spec->name);
	return check_elements(a, d, &o, o.spec->name);
}

static int check_other(struct admission *a, const Armada__Dependency *d)
{
	struct other o = other_of(a->txn, d->job, is_by_element(d));
	char name[24];

	snprintf(name, sizeof(name), "%" PRIu64, d->job);
	if (o.job ? !rights_sees(a->txn, o.job) : !o.past || !o.past->known) {
		a->code = EXIT_NOT_FOUND;
		return admit_no(a, "dependency: there is no job %" PRIu64, d->job);
	}
	if (o.job && is_of_its_gang(a, o.job))
		return admit_no(a,
				"dependency: job %" PRIu64 " is a member of the same gang, and the "
				"members of a gang start together",
				d->job);
	return check_elements(a, d, &o, name);
}

static int check_dependency(struct admission *a, const Armada__Dependency *d)
{
	if (d->type < DEPENDENCY(AFTER) || d->type > DEPENDENCY(SINGLETON))
		return admit_no(a, "dependency: kind %d is not known to this controller", d->type);
	if (d->delay_s && d->type != DEPENDENCY(AFTER))
		return admit_no(a, "dependency: only after:JOB takes minutes");
	if (d->delay_s < 0 || d->delay_s > LONGEST_S / 100)
		return admit_no(a, "dependency: at most a year after a start is accepted");
	if (d->type == DEPENDENCY(SINGLETON))
		return d->job ? admit_no(a, "dependency: singleton names no job") : 0;
	if (d->type == DEPENDENCY(AFTERCORR) && d->has_element)
		return admit_no(a, "dependency: aftercorr takes a whole array, not an element");
	if (d->type == DEPENDENCY(AFTERCORR) && !a->spec->n_array)
		return admit_no(a, "dependency: aftercorr is for arrays: element by element");
	return d->request_job ? check_in_request(a, d) : check_other(a, d);
}

void dependencies_bind(Armada__JobSpec *spec, uint64_t first)
{
	for (size_t i = 0; i < spec->n_dependencies; i++) {
		Armada__Dependency *d = spec->dependencies[i];

		if (d->request_job)
			d->job = first + d->request_job - 1;
		d->request_job = 0;
	}
}

static uint64_t corr_pieces(const Armada__JobSpec *s)
{
	uint64_t pieces = 0, corr = 0;

	for (size_t i = 0; i < s->n_array; i++)
		pieces += steps_pieces(s->array[i]->first, s->array[i]->last, s->array[i]->step);
	for (size_t i = 0; i < s->n_dependencies; i++)
		corr += s->dependencies[i]->type == DEPENDENCY(AFTERCORR);
	return corr * pieces;
}

int admit_dependencies(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;

	if (s->n_dependencies > DEPENDENCIES_MAX)
		return admit_no(a, "dependency: %zu jobs; at most %d are accepted",
				s->n_dependencies, DEPENDENCIES_MAX);
	if (corr_pieces(s) > CORR_PIECES_MAX)
		return admit_no(
			a, "dependency: aftercorr: the steps of the array make too many ranges; "
			   "submit several arrays");
	for (size_t i = 0; i < s->n_dependencies; i++) {
		int rc = check_dependency(a, s->dependencies[i]);

		if (rc < 0)
			return rc;
	}
	if (s->begin_us < 0 || (s->begin_us - a->txn->in->wall_us) / 1000000 > LONGEST_S)
		return admit_no(a, "begin: at most 100 years ahead are accepted");
	return 0;
}

static size_t unknown_of(const struct txn *txn, Armada__JobSpec *const *specs, size_t count,
			 uint64_t *ids)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < specs[i]->n_dependencies; k++) {
			uint64_t id = specs[i]->dependencies[k]->job;

			if (id && id < txn->state->next_job && !job_find(txn->state, id))
				ids[n++] = id;
		}
	qsort(ids, n, sizeof(*ids), by_id);
	for (size_t i = 0; i < n; i++)
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	return kept;
}

bool dependencies_ask_history(struct txn *txn, Armada__JobSpec *const *specs, size_t count,
			      const void *message)
{
	size_t all = 0, corr = 0, n, missing = 0;
	uint64_t pieces = 0;
	struct effect *e;
	uint64_t *ids;

	for (size_t i = 0; i < count; i++) {
		all += specs[i]->n_dependencies;
		pieces += corr_pieces(specs[i]);
		for (size_t k = 0; k < specs[i]->n_dependencies; k++)
			corr += specs[i]->dependencies[k]->type == DEPENDENCY(AFTERCORR);
	}
	if (all > REQUEST_MAX || corr > CORR_MAX) {
		reply_refuse(
			txn, 1,
			"dependency: %zu in one request, %zu of them aftercorr; at most %d and "
			"%d are accepted",
			all, corr, REQUEST_MAX, CORR_MAX);
		return true;
	}
	if (pieces > CORR_PIECES_MAX) {
		reply_refuse(
			txn, 1,
			"dependency: aftercorr: the steps of the arrays in one request make too "
			"many ranges");
		return true;
	}
	if (!all)
		return false;
	ids = arena_alloc(txn->arena, all * sizeof(*ids));
	n = unknown_of(txn, specs, count, ids);
	for (size_t i = 0; i < n; i++)
		missing += !past_find(txn, ids[i]);
	if (!missing)
		return false;
	e = effect_later_with(txn, EFFECT_FINISHED_JOBS, txn->in->type, message);
	e->viewer = visibility_viewer(txn);
	e->finished_jobs = ids;
	e->finished_count = n;
	return true;
}

/* The present state of the job or element that is waited for. */
struct standing {
	bool begun, over, bad;
	int64_t start_us;
};

static struct standing standing_of_element(const struct other *o, uint32_t index)
{
	const struct element *e = o->job ? element_find(o->job, index) : NULL;
	bool waits = o->job && rangeset_contains(&o->job->waiting, index);
	const struct rangeset *bad = o->job ? job_bad(o->job) : &o->past->bad;
	struct standing s = {.over = !waits && !(e && e->task_count)};

	s.begun = s.over || (e && e->begun);
	s.bad = s.over && bad && rangeset_contains(bad, index);
	s.start_us = e ? e->start_us : o->past ? o->past->start_us : 0;
	return s;
}

static struct standing standing_of_job(const struct job *j)
{
	struct standing s = {.begun = true, .bad = job_bad(j) != NULL};
	uint64_t waiting = j->waiting.total;

	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		s.begun &= e->begun;
		waiting -= !e->task_count;
		s.start_us = e->start_us > s.start_us ? e->start_us : s.start_us;
	}
	s.begun &= !waiting;
	return s;
}

static struct standing standing_of(const struct other *o, const Armada__Dependency *d)
{
	if (d->has_element)
		return standing_of_element(o, d->element);
	if (o->job)
		return standing_of_job(o->job);
	return (struct standing){true, true, o->past->bad.total > 0, o->past->start_us};
}

static Armada__DependencyState state_of(uint8_t type, const struct standing *s)
{
	switch (type) {
	case DEPENDENCY(AFTER):
		return s->begun ? DEPEND_MET : DEPEND_WAITS;
	case DEPENDENCY(AFTERANY):
		return s->over ? DEPEND_MET : DEPEND_WAITS;
	case DEPENDENCY(AFTEROK):
		return s->bad ? DEPEND_NEVER : s->over ? DEPEND_MET : DEPEND_WAITS;
	case DEPENDENCY(AFTERNOTOK):
		return !s->over ? DEPEND_WAITS : s->bad ? DEPEND_MET : DEPEND_NEVER;
	default:
		return DEPEND_WAITS;
	}
}

/* Fills in met and never, element by element, from the elements that have ended there. */
static void stand_by_element(struct txn *txn, const struct other *o, const Armada__JobSpec *spec,
			     Armada__Dependency *d)
{
	const struct rangeset *bad = o->job ? job_bad(o->job) : &o->past->bad;
	struct rangeset ended = {0}, ours = {0}, never = {0}, left = {0};

	add_array(spec, &ours);
	elements_of(o, &ended);
	for (size_t i = 0; o->job && i < o->job->element_count; i++)
		rangeset_add(&left, o->job->elements[i]->index, o->job->elements[i]->index);
	rangeset_subtract(&ended, &left);
	if (o->job)
		rangeset_subtract(&ended, &o->job->waiting);
	if (bad)
		rangeset_copy(&never, bad);
	rangeset_subtract(&ended, &never);
	rangeset_intersect(&ended, &ours);
	rangeset_intersect(&never, &ours);
	d->met = ranges_of(&ended, SIZE_MAX, txn->arena, &d->n_met);
	d->never = ranges_of(&never, SIZE_MAX, txn->arena, &d->n_never);
	rangeset_done(&ended);
	rangeset_done(&ours);
	rangeset_done(&never);
	rangeset_done(&left);
}

static bool is_alone(const struct txn *txn, const Armada__JobSpec *spec, const struct job *j,
		     uint32_t uid)
{
	const struct same_name *n = same_name_find(txn->state, uid, spec->name);

	return !n || (j && TAILQ_FIRST(&n->jobs)->id >= j->id);
}

static Armada__Dependency *stand(struct txn *txn, const Armada__JobSpec *spec, const struct job *j,
				 uint32_t uid, const Armada__Dependency *said)
{
	Armada__Dependency *d = arena_memdup(txn->arena, said, sizeof(*said));
	struct standing s;
	struct other o;

	d->n_met = d->n_never = 0;
	d->state = DEPEND_WAITS;
	d->at_us = 0;
	if (d->type == DEPENDENCY(SINGLETON)) {
		d->state = is_alone(txn, spec, j, uid) ? DEPEND_MET : DEPEND_WAITS;
		return d;
	}
	o = other_of(txn, d->job, is_by_element(d));
	if (d->type == DEPENDENCY(AFTERCORR)) {
		stand_by_element(txn, &o, spec, d);
		return d;
	}
	s = standing_of(&o, d);
	d->state = state_of(d->type, &s);
	if (d->state == DEPEND_MET && d->delay_s)
		d->at_us = d->delay_s * 1000000 + (s.start_us && s.start_us < txn->in->wall_us
							   ? s.start_us
							   : txn->in->wall_us);
	return d;
}

Armada__JobWaits *dependencies_now(struct txn *txn, const Armada__JobSpec *spec,
				   const struct job *j, uint32_t uid)
{
	Armada__JobWaits *w = arena_alloc(txn->arena, sizeof(*w));

	armada__job_waits__init(w);
	w->any = spec->dependency_any;
	w->keep = spec->keep_invalid_dependency;
	w->begin_us = spec->begin_us;
	w->dependencies =
		arena_alloc(txn->arena, (spec->n_dependencies + 1) * sizeof(*w->dependencies));
	for (size_t i = 0; i < spec->n_dependencies; i++)
		w->dependencies[w->n_dependencies++] =
			stand(txn, spec, j, uid, spec->dependencies[i]);
	return w;
}

void dependencies_rename(struct txn *txn, Armada__JobWaits *w, const Armada__JobSpec *spec,
			 const struct job *j)
{
	for (size_t i = 0; i < w->n_dependencies; i++)
		if (w->dependencies[i]->type == DEPENDENCY(SINGLETON) &&
		    w->dependencies[i]->state == DEPEND_WAITS &&
		    is_alone(txn, spec, j, j->user->uid))
			w->dependencies[i]->state = DEPEND_MET;
}

bool dependencies_are_met(const struct txn *txn, const Armada__JobWaits *w)
{
	size_t met = 0;

	for (size_t i = 0; i < w->n_dependencies; i++)
		met += w->dependencies[i]->state == DEPEND_MET &&
		       w->dependencies[i]->at_us <= txn->in->wall_us;
	return w->begin_us <= txn->in->wall_us && (met == w->n_dependencies || (w->any && met > 0));
}

int64_t dependencies_work(const struct txn *txn, const struct job *j, const Armada__JobSpec *spec)
{
	int64_t work = 0;

	for (size_t i = 0; i < spec->n_dependencies; i++) {
		const struct job *o = job_find(txn->state, spec->dependencies[i]->job);
		const struct core_finished_job *past =
			o ? NULL : past_find(txn, spec->dependencies[i]->job);

		work += 1 + (o ? (int64_t)o->element_count : 0);
		if (!is_by_element(spec->dependencies[i]))
			continue;
		work += (int64_t)j->waiting.count;
		work += (int64_t)(o ? o->waiting.count : past ? past->elements.count : 0);
	}
	return work;
}

void dependencies_strip(Armada__JobSpec *spec)
{
	spec->dependencies = NULL;
	spec->n_dependencies = 0;
	spec->dependency_any = spec->keep_invalid_dependency = false;
	spec->begin_us = 0;
}

/* A walk along the dependencies of jobs. */
struct walk {
	const struct txn *txn;
	const struct job *goal;
	uint64_t *seen; /* one bit for each job slot */
	const struct job **next;
	size_t count, cap;
	int64_t work;
};

static void walk_to(struct walk *w, const struct job *j)
{
	size_t slot;

	if (!j)
		return;
	w->work++;
	slot = job_after(w->txn->state, j->id - 1);
	if (w->seen[slot / 64] >> (slot % 64) & 1)
		return;
	w->seen[slot / 64] |= UINT64_C(1) << (slot % 64);
	GROW(w->next, w->cap, w->count + 1);
	w->next[w->count++] = j;
}

static void walk_earlier(struct walk *w, const struct job *j)
{
	for (j = TAILQ_PREV(j, name_list, by_name); j; j = TAILQ_PREV(j, name_list, by_name))
		walk_to(w, j);
}

static void walk_on(struct walk *w, const struct job *j)
{
	const struct depend *d = j->depend;

	for (uint32_t i = 0; d && i < d->edge_count; i++) {
		if (d->edges[i].type == DEPENDENCY(SINGLETON) && d->edges[i].state == DEPEND_WAITS)
			walk_earlier(w, j);
		else if (d->edges[i].on)
			walk_to(w, d->edges[i].on);
	}
}

bool dependencies_cycle(const struct txn *txn, const struct job *j, const Armada__JobSpec *spec,
			int64_t *work)
{
	struct walk w = {.txn = txn, .goal = j};
	bool found = false;

	for (size_t i = 0; i < spec->n_dependencies; i++)
		if (spec->dependencies[i]->job == j->id)
			return true;
	if (!spec->n_dependencies || (!j->target && !TAILQ_NEXT(j, by_name)))
		return false; /* no job waits for j */
	w.seen = xcalloc(txn->state->job_slots / 64 + 1, sizeof(*w.seen));
	for (size_t i = 0; i < spec->n_dependencies; i++) {
		if (spec->dependencies[i]->type == DEPENDENCY(SINGLETON))
			walk_earlier(&w, j);
		else
			walk_to(&w, job_find(txn->state, spec->dependencies[i]->job));
	}
	while (w.count && !found) {
		const struct job *at = w.next[--w.count];

		found = at == j;
		if (!found)
			walk_on(&w, at);
	}
	*work += w.work + (int64_t)(txn->state->job_slots / 64);
	free(w.seen);
	free(w.next);
	return found;
}

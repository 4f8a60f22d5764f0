/*
 * JobFilter: which jobs and elements a request selects.
 *
 * Input: a filter from a message (NULL selects everything), a job, and an element or an index.
 * Output: whether it is selected, the set of selected elements, or the ids that are not in memory.
 * Caveats: an element may have ten thousand tasks and a filter more names of nodes, so these are
 * sorted once and searched. filter_job() also checks that the caller may see the job. A filter may
 * name many ids with steps, so names_element() checks one element without building the set, and
 * filter_missing() stops after a fixed amount of work.
 */
#include "core/view/filter.h"

#include "core/view/rights.h"
#include "util/names.h"
#include "util/steps.h"

#include <stdlib.h>

static bool among(const char *word, char *const *words, size_t n)
{
	return n == 0 || names_have((const char *const *)words, n, word);
}

static bool id_among(const Armada__JobFilter *f, uint64_t id)
{
	for (size_t i = 0; i < f->n_ids; i++)
		if (f->ids[i]->first <= id && id <= f->ids[i]->last)
			return true;
	return f->n_ids == 0;
}

/* Selectors of labels: key=value, key, or the opposite. */
static bool has_labels(const Armada__JobFilter *f, const struct spec *s)
{
	for (size_t i = 0; i < f->n_labels; i++) {
		const Armada__Selector *want = f->labels[i];
		bool has = false;

		for (size_t k = 0; k < s->label_count && !has; k++)
			has = strcmp(s->labels[k].key, want->key) == 0 &&
			      (!want->value[0] || strcmp(s->labels[k].value, want->value) == 0);
		if (has == (bool)want->negate)
			return false;
	}
	return true;
}

static bool matches(const Armada__JobFilter *f, const struct job *j)
{
	return id_among(f, j->id) && among(j->user->name, f->users, f->n_users) &&
	       among(j->spec->queue, f->queues, f->n_queues) &&
	       among(j->spec->job_set, f->job_sets, f->n_job_sets) &&
	       among(j->spec->name, f->names, f->n_names) &&
	       among(j->spec->account, f->accounts, f->n_accounts) &&
	       among(j->spec->priority_class, f->priority_classes, f->n_priority_classes) &&
	       has_labels(f, j->spec);
}

bool filter_job(struct txn *txn, const Armada__JobFilter *f, const struct job *j)
{
	return (!f || matches(f, j)) && rights_sees(txn, j);
}

void filter_sort(const Armada__JobFilter *f)
{
	if (f && f->n_nodes)
		qsort(f->nodes, f->n_nodes, sizeof(*f->nodes), names_compare);
}

static bool on_nodes(const Armada__JobFilter *f, const struct element *e)
{
	if (!f->n_nodes)
		return true;
	for (uint32_t i = 0; e && i < e->task_count; i++)
		if (bsearch(&e->tasks[i].node->name, f->nodes, f->n_nodes, sizeof(*f->nodes),
			    names_compare))
			return true;
	return false;
}

static bool in_state(const Armada__JobFilter *f, int state)
{
	for (size_t i = 0; i < f->n_states; i++)
		if ((int)f->states[i] == state)
			return true;
	return f->n_states == 0;
}

/*
 * True if the ids name the element, or (index NULL) any element of the job. Does not build the set
 * of all named elements.
 */
static bool names_element(const Armada__JobFilter *f, uint64_t job, const uint32_t *index)
{
	for (size_t i = 0; i < f->n_ids; i++) {
		const Armada__JobRange *r = f->ids[i];
		const Armada__IndexRange *e = r->has_elements ? r->elements : NULL;

		if (job < r->first || job > r->last)
			continue;
		if (!e)
			return true;
		if (index ? steps_have(e->first, e->last, e->step, *index) : e->first <= e->last)
			return true;
	}
	return f->n_ids == 0;
}

bool filter_element(const Armada__JobFilter *f, const struct job *j, const struct element *e)
{
	if (!f)
		return true;
	return in_state(f, e ? element_shown_state(e) : ARMADA__JOB_STATE__JOB_PENDING) &&
	       on_nodes(f, e) && names_element(f, j->id, e ? &e->index : NULL);
}

bool filter_state(const Armada__JobFilter *f, int state)
{
	return !f || in_state(f, state);
}

bool filter_waiting(const Armada__JobFilter *f, const struct job *j, uint32_t index)
{
	if (!f)
		return true;
	return in_state(f, ARMADA__JOB_STATE__JOB_PENDING) && !f->n_nodes &&
	       names_element(f, j->id, &index);
}

bool filter_elements(const Armada__JobFilter *f, uint64_t job, struct rangeset *ret_set)
{
	rangeset_clear(ret_set);
	if (!f || !f->n_ids)
		return true;
	for (size_t i = 0; i < f->n_ids; i++) {
		const Armada__JobRange *r = f->ids[i];

		if (job < r->first || job > r->last)
			continue;
		if (!r->has_elements || !r->elements)
			return true;
		if (r->elements->first <= r->elements->last)
			steps_add(ret_set, r->elements->first, r->elements->last,
				  r->elements->step);
	}
	return false;
}

/*
 * The next range from `from` (at least 1) up to last without a job in memory that the caller may
 * see. False: no such range, or the budget of steps is spent.
 */
static bool next_gap(struct txn *txn, uint64_t from, uint64_t last, int64_t *budget,
		     uint64_t *ret_lo, uint64_t *ret_hi)
{
	size_t at = job_after(txn->state, from - 1);

	while (from <= last && --*budget > 0) {
		while (at < txn->state->job_slots && txn->state->job_ids[at] <= last &&
		       *budget > 0 &&
		       (!txn->state->jobs[at] || !rights_sees(txn, txn->state->jobs[at]))) {
			*budget -= txn->state->jobs[at] != NULL;
			at++;
		}
		if (at == txn->state->job_slots || txn->state->job_ids[at] > from) {
			*ret_lo = from;
			*ret_hi = at == txn->state->job_slots || txn->state->job_ids[at] > last
					  ? last
					  : txn->state->job_ids[at] - 1;
			return true;
		}
		from = txn->state->job_ids[at++] + 1;
	}
	return false;
}

uint64_t filter_pieces(const Armada__JobFilter *f)
{
	uint64_t pieces = 0;

	for (size_t i = 0; f && i < f->n_ids; i++) {
		const Armada__IndexRange *e = f->ids[i]->has_elements ? f->ids[i]->elements : NULL;

		if (e)
			pieces += steps_pieces(e->first, e->last, e->step);
	}
	return pieces;
}

int64_t filter_cost(const Armada__JobFilter *f)
{
	enum { LOOK = 20 };

	if (!f)
		return LOOK;
	return LOOK + f->n_ids + f->n_users + f->n_queues + f->n_job_sets + f->n_states +
	       f->n_names + f->n_nodes + f->n_priority_classes + f->n_accounts + f->n_labels;
}

enum { MISSING_MAX = 1000, MISSING_WORK = 1000000 };

Armada__JobRange **filter_missing(struct txn *txn, const Armada__JobFilter *f, size_t *ret_count)
{
	Armada__JobRange **list = arena_alloc(txn->arena, MISSING_MAX * sizeof(*list));
	int64_t budget = MISSING_WORK;
	size_t n = 0;

	for (size_t i = 0; f && i < f->n_ids; i++) {
		uint64_t from = f->ids[i]->first ? f->ids[i]->first : 1, lo, hi;

		while (from && n < MISSING_MAX &&
		       next_gap(txn, from, f->ids[i]->last, &budget, &lo, &hi)) {
			list[n] = arena_alloc(txn->arena, sizeof(**list));
			*list[n] = *f->ids[i];
			list[n]->first = lo;
			list[n++]->last = hi;
			from = hi + 1;
		}
	}
	*ret_count = n;
	return list;
}

bool filter_is_empty(const Armada__JobFilter *f)
{
	return !f ||
	       !(f->n_ids || f->n_users || f->n_queues || f->n_job_sets || f->n_states ||
		 f->n_names || f->n_nodes || f->n_priority_classes || f->n_accounts || f->n_labels);
}

/*
 * Progress of arrays, and their merged rows (array_rows.h).
 *
 * Input: an array and the filter of a listing. Output: counts by state, or a row. Caveats: the reason of a
 * merged row is that of its waiting elements. A row of a single element, or of waiting elements alone, is
 * the row that a listing without merging has.
 */
#include "core/view/array_rows.h"

#include "core/view/filter.h"
#include "core/view/job_rows.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum { STATES = ARMADA__JOB_STATE__JOB_SUSPENDED + 1 };

void array_rows_progress(const struct job *j, const Armada__JobFilter *f, struct arena *a,
			 struct array_progress *ret)
{
	uint64_t counts[STATES] = {0};

	*ret = (struct array_progress){0};
	if (!j->spec->array)
		return;
	counts[ARMADA__JOB_STATE__JOB_PENDING] = j->waiting.total;
	for (size_t s = 0; j->ends && s < ARRAY_SIZE(j->ends->count); s++)
		counts[s] += j->ends->count[s];
	for (size_t i = 0; i < j->element_count; i++)
		if (j->elements[i]->task_count)
			counts[element_shown_state(j->elements[i])]++;
	ret->list = arena_alloc(a, STATES * sizeof(*ret->list));
	for (int s = 0; s < STATES; s++) {
		Armada__StateCount *count;

		if (!counts[s] || !filter_state(f, s))
			continue;
		count = ret->list[ret->count++] = arena_alloc(a, sizeof(*count));
		armada__state_count__init(count);
		count->state = (Armada__JobState)s;
		count->count = counts[s];
	}
}

bool array_rows_may_merge(const Armada__JobFilter *f)
{
	if (!f)
		return true;
	for (size_t i = 0; i < f->n_ids; i++)
		if (f->ids[i]->has_elements)
			return false;
	return !f->n_nodes;
}

/* The elements that a row is for: those with tasks, and whether it has the waiting ones. */
struct part {
	const struct element **list;
	size_t count;
	bool waiting;
};

static void choose(const struct job *j, const Armada__JobFilter *f, struct arena *a,
		   struct part *ret)
{
	*ret = (struct part){
		.list = arena_alloc(a, (j->element_count + 1) * sizeof(*ret->list)),
		.waiting = j->waiting.total && filter_element(f, j, NULL),
	};
	for (size_t i = 0; i < j->element_count; i++)
		if (j->elements[i]->task_count && filter_element(f, j, j->elements[i]))
			ret->list[ret->count++] = j->elements[i];
}

/* The element that gives the row its state: one that runs, if there is any. */
static const struct element *leader(const struct part *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (element_shown_state(p->list[i]) == ARMADA__JOB_STATE__JOB_RUNNING)
			return p->list[i];
	return p->list[0];
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The nodes of all tasks, each once. */
static void fill_nodes(const struct part *p, struct arena *a, Armada__JobRow *row)
{
	size_t tasks = 0, kept = 0;

	for (size_t i = 0; i < p->count; i++)
		tasks += p->list[i]->task_count;
	row->nodes = arena_alloc(a, (tasks + 1) * sizeof(*row->nodes));
	row->n_nodes = 0;
	for (size_t i = 0; i < p->count; i++)
		for (uint32_t t = 0; t < p->list[i]->task_count; t++)
			row->nodes[row->n_nodes++] = p->list[i]->tasks[t].node->name;
	qsort(row->nodes, row->n_nodes, sizeof(*row->nodes), by_name);
	for (size_t i = 0; i < row->n_nodes; i++)
		if (!kept || strcmp(row->nodes[kept - 1], row->nodes[i]) != 0)
			row->nodes[kept++] = row->nodes[i];
	row->n_nodes = kept;
}

/* Removes from the row what is true of a single element only. */
static void forget_element(Armada__JobRow *row)
{
	row->n_elements = 0;
	row->attempt = 0;
	row->usage = NULL;
	row->n_groups = 0;
	row->min_available = 0;
}

static void merge(const struct part *p, struct arena *a, Armada__JobRow *row)
{
	forget_element(row);
	if (!p->waiting)
		row->last_end = (char *)"";
	row->merged = true;
	row->state = (Armada__JobState)element_shown_state(leader(p));
	row->start_us = 0;
	for (size_t i = 0; i < p->count; i++) {
		int64_t start_us = p->list[i]->start_us;

		if (start_us && (!row->start_us || start_us < row->start_us))
			row->start_us = start_us;
	}
	fill_nodes(p, a, row);
}

bool array_rows_merge(const struct txn *txn, const struct job *j, const Armada__JobFilter *f,
		      struct arena *a, Armada__JobRow *row)
{
	struct part p;

	choose(j, f, a, &p);
	if (!p.count && !p.waiting)
		return false;
	job_rows_fill(txn, j, p.waiting ? NULL : leader(&p), a, row);
	if (p.count + p.waiting == 1)
		return true;
	merge(&p, a, row);
	row->count = p.count + (p.waiting ? j->waiting.total : 0);
	if (!p.waiting)
		row->reason = (char *)"";
	return true;
}

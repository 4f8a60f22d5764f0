/*
 * Charges for elastic jobs (charge.h). Input: a row with the times of its attempt. Output: resources of
 * tasks, averaged over that time. Caveat: the times of extra tasks are those of the clocks of their nodes, as
 * are the times of the attempt.
 */
#include "core/txn/charge.h"

#include "core/state/extra.h"
#include "core/txn/effects.h"

#include <string.h>

/* For how long the extra tasks of each group ran, all together. */
static double *run_times(const struct txn *txn, const struct element *e, const Armada__JobRow *row)
{
	double *us = arena_zalloc(txn->arena, e->job->spec->group_count, sizeof(*us));

	for (uint32_t i = 0; i < e->extras->count; i++)
		us[e->extras->slots[i].group] += (double)e->extras->slots[i].run_us;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];
		int64_t end_us = t->state == TASK_ENDED ? t->end_us : row->end_us;

		if (t->extra && t->start_us && end_us > t->start_us)
			us[t->group] += (double)(end_us - t->start_us);
	}
	return us;
}

/* The resource of the sum, which is added if it is new. */
static Armada__Resource *resource_of(Armada__JobRow *row, struct arena *a,
				     const Armada__Resource *like)
{
	Armada__Resource *r;

	for (size_t i = 0; i < row->n_charged; i++)
		if (strcmp(row->charged[i]->name, like->name) == 0)
			return row->charged[i];
	r = row->charged[row->n_charged++] = arena_alloc(a, sizeof(*r));
	*r = *like;
	r->amount = 0;
	return r;
}

static void add(Armada__Resource *sum, double amount)
{
	double all = (double)sum->amount + amount;

	sum->amount = all >= (double)INT64_MAX ? INT64_MAX : (int64_t)(all + 0.5);
}

void charge_fill(const struct txn *txn, const struct element *e, Armada__JobRow *row)
{
	int64_t elapsed_us = row->end_us - row->start_us;
	const Armada__JobSpec *spec;
	const double *us;
	size_t most = 0;

	if (!e || !e->extras || !e->task_count || !row->start_us || elapsed_us <= 0)
		return;
	spec = spec_open(txn, e->job->spec, txn->arena);
	us = run_times(txn, e, row);
	for (size_t g = 0; g < spec->n_groups; g++)
		most += spec->groups[g]->n_resources;
	row->charged = arena_alloc(txn->arena, (most + spec->n_licenses) * sizeof(*row->charged));
	for (uint32_t g = 0; g < spec->n_groups; g++) {
		double tasks = extras_first_of(e, g) + us[g] / (double)elapsed_us;

		for (size_t r = 0; r < spec->groups[g]->n_resources; r++) {
			const Armada__Resource *one = spec->groups[g]->resources[r];

			add(resource_of(row, txn->arena, one), (double)one->amount * tasks);
		}
	}
	for (size_t i = 0; i < spec->n_licenses; i++)
		add(resource_of(row, txn->arena, spec->licenses[i]),
		    (double)spec->licenses[i]->amount);
}

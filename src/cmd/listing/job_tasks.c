#include "cmd/listing/job_tasks.h"

#include "client/jobstate.h"
#include "util/mem.h"

#include <inttypes.h>

void job_row_counts(const Armada__JobRow *row, struct task_counts *ret)
{
	*ret = (struct task_counts){0};
	for (size_t i = 0; i < row->n_groups; i++) {
		ret->pending += row->groups[i]->pending;
		ret->running += row->groups[i]->running;
		ret->unknown += row->groups[i]->unknown;
		ret->succeeded += row->groups[i]->succeeded;
		ret->failed += row->groups[i]->failed;
	}
	if (row->n_groups)
		return;
	if (row->state == ARMADA__JOB_STATE__JOB_PENDING)
		ret->pending = row->tasks;
	else if (row->state == ARMADA__JOB_STATE__JOB_COMPLETED)
		ret->succeeded = row->tasks;
	else if (job_state(row->state)->ended)
		ret->failed = row->tasks;
	else if (row->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		ret->unknown = row->tasks;
	else
		ret->running = row->tasks;
}

uint32_t job_row_min_available(const Armada__JobRow *row)
{
	return row->min_available ? row->min_available : row->tasks;
}

static void add_counts(const Armada__GroupCount *g, struct buf *out)
{
	const struct {
		uint32_t n;
		const char *word;
	} counts[] = {{g->running, "running"},
		      {g->unknown, "unknown"},
		      {g->pending, "pending"},
		      {g->succeeded, "succeeded"},
		      {g->failed, "failed"}};
	const char *before = "";

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (!counts[i].n)
			continue;
		buf_addf(out, "%s%" PRIu32 " %s", before, counts[i].n, counts[i].word);
		before = ", ";
	}
}

void job_row_tasks(const Armada__JobRow *row, struct buf *out)
{
	uint32_t all = 0;
	bool by_group = false;

	for (size_t i = 0; i < row->n_groups; i++) {
		const Armada__GroupCount *g = row->groups[i];

		buf_addf(out, "%s%s%s", i ? "; " : "", g->name, g->name[0] ? " " : "");
		add_counts(g, out);
		if (g->min_available && g->min_available < g->replicas)
			buf_addf(out, " (at least %" PRIu32 ")", g->min_available);
		by_group |= g->min_available > 0;
		all += g->replicas;
	}
	if (!by_group && row->min_available && row->min_available < all)
		buf_addf(out, "; at least %" PRIu32, row->min_available);
}

const char *task_failure_word(Armada__TaskFailure policy)
{
	static const char *const words[] = {
		[ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB] = "fail_job",
		[ARMADA__TASK_FAILURE__TASK_FAILURE_RESTART_JOB] = "restart_job",
		[ARMADA__TASK_FAILURE__TASK_FAILURE_REPLACE_TASK] = "replace_task",
	};

	return (size_t)policy < ARRAY_SIZE(words) ? words[policy] : "?";
}

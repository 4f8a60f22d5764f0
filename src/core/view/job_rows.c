/*
 * Rows of jobs for listings, with the reason why each waits or runs as it does.
 *
 * Input: a job, and an element or the index of a waiting one. Output: a JobRow in the arena with
 * reason, word of the reason, expected start and dependencies. The reason comes from the first of
 * these that applies: the dependencies, the gang, a fact of the state (state_reason.h), the last
 * round of the scheduler (core/txn/live.h). Caveats: a gang has one reason, that of its first job. An
 * array that is partly withheld has two, and they are joined in one sentence.
 */
#include "core/view/job_rows.h"

#include "core/state/dependents.h"
#include "core/txn/job_row.h"
#include "core/view/dependency_text.h"
#include "core/view/gang_text.h"
#include "core/view/state_reason.h"
#include "core/view/wait_text.h"
#include "util/plural.h"

/*
 * The word and the sentence of the reason. A job that no round has checked yet waits for its turn.
 */
static void fill_plain_reason(const struct txn *txn, const struct job *j, const struct element *e,
			      struct arena *a, Armada__JobRow *row)
{
	const struct job_live *live = live_job(txn->live, j);
	struct state_reason r = {live->why, live->reason, live->expected_us};

	state_reason_correct(txn, j, a, &r);
	if (!r.text && e && e->text)
		r.text = e->text;
	row->reason = (char *)(r.text ? r.text : "waits for its turn");
	row->reason_word = (char *)why_word(r.why ? r.why : WHY_PRIORITY);
	row->expected_us = r.expected_us;
}

/* A gang of jobs has one reason: a member, or the reason of its first job. */
static const struct job *fill_gang_reason(const struct txn *txn, const struct job *j,
					  struct arena *a, Armada__JobRow *row)
{
	enum sched_why why;
	char *text = gang_text_reason(txn, j, a, &why);

	if (!text)
		return gang_lead(j->gang);
	row->reason = text;
	row->reason_word = (char *)why_word(why);
	return NULL;
}

static void fill_waits(const struct job *j, struct arena *a, Armada__JobRow *row)
{
	enum sched_why why;
	char *text = dependency_text_reason(j, a, &why, &row->begin_us);

	row->dependency = dependency_words(j, DEPEND_WAITS, a);
	if (j->held)
		return;
	row->reason = text;
	row->reason_word = (char *)why_word(why);
}

static void add_waits(const struct job *j, struct arena *a, Armada__JobRow *row)
{
	enum sched_why why;
	uint64_t n = job_withheld(j);
	char *text = dependency_text_reason(j, a, &why, &row->begin_us);

	row->dependency = dependency_words(j, DEPEND_WAITS, a);
	row->reason = arena_printf(a, "%s; %" PRIu64 " of them: %s", row->reason, n, text);
}

/* If only some elements of an array are withheld, the reason of the free elements comes first. */
static void fill_reason(const struct txn *txn, const struct job *j, const struct element *e,
			struct arena *a, Armada__JobRow *row)
{
	bool withheld =
		e ? job_withholds(j, e->index) : j->depend && job_withheld(j) == j->waiting.total;

	if (withheld && (!j->gang || j->held)) {
		fill_plain_reason(txn, j, e, a, row);
		fill_waits(j, a, row);
		return;
	}
	if (!e && !j->spec->array)
		e = element_find(j, 0);
	if (e && e->not_before_us && !j->held) {
		row->reason = wait_text_pause(txn, e, a);
		row->reason_word = (char *)why_word(WHY_RESTART_PAUSE);
		row->begin_us = e->not_before_us;
		return;
	}
	if (j->gang && !j->held)
		j = fill_gang_reason(txn, j, a, row);
	if (j)
		fill_plain_reason(txn, j, e, a, row);
	if (!e && j && j->depend)
		add_waits(j, a, row);
}

/* The reason of an element that has tasks. */
static void fill_active_reason(const struct txn *txn, const struct element *e, struct arena *a,
			       Armada__JobRow *row)
{
	if (e->lease_pending)
		row->reason = wait_text_pending_lease(e, a);
	else if (e->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		row->reason = wait_text_unknown(txn, e, a);
	else if (e->text)
		row->reason = e->text;
	else if (e->replacements)
		row->reason = wait_text_task_replacements(txn, e, a);
	else
		row->reason = e->extras ? wait_text_extras(txn, e, a) : wait_text_gap(e, a);
	if (!row->reason[0] && e->state == ARMADA__JOB_STATE__JOB_CONFIGURING)
		row->reason = wait_text_starting(txn, e, a);
}

/*
 * How the last attempts of the waiting elements of an array ended: the first one by name, and the number of
 * the others.
 */
static char *last_ends(const struct job *j, struct arena *a)
{
	const struct element *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		if (e->task_count || !e->before)
			continue;
		first = first ? first : e;
		count++;
	}
	if (!first)
		return (char *)"";
	if (count == 1)
		return arena_printf(a, "%" PRIu64 "_%u: %s", j->id, first->index, first->before);
	return arena_printf(a, "%" PRIu64 "_%u: %s; and %zu other %s again after an attempt", j->id,
			    first->index, first->before, count - 1,
			    plural(count - 1, "element waits", "elements wait"));
}

static void job_rows_fill_job(const struct txn *txn, const struct job *j, const struct element *e,
			      struct arena *a, Armada__JobRow *row)
{
	job_row_fill(txn, j, e, a, row);
	e = job_row_element(j, e);
	if (e && e->task_count)
		fill_active_reason(txn, e, a, row);
	else
		fill_reason(txn, j, e, a, row);
	if (!e && j->spec->array)
		row->last_end = last_ends(j, a);
}

void row_fill_waiting(const struct txn *txn, const struct job *j, uint32_t index, struct arena *a,
		      Armada__JobRow *row)
{
	job_rows_fill_job(txn, j, element_find(j, index), a, row);
	row->elements = range_of_one(index, 1, a);
	row->n_elements = 1;
	row->count = 1;
}

void job_rows_fill(const struct txn *txn, const struct job *j, const struct element *e,
		   struct arena *a, Armada__JobRow *row)
{
	job_rows_fill_job(txn, j, e, a, row);
	if (e && e->task_count)
		return;
	row->elements = ranges_of(&j->waiting, ROW_RANGES, a, &row->n_elements);
	row->count = j->waiting.total;
}

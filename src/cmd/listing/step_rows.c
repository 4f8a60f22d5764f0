/*
 * Steps of running jobs: the rows that the controller has, and their columns.
 *
 * The columns have the names and headings of the columns of jobs where they mean the same.
 */
#include "cmd/listing/step_rows.h"

#include "client/jobstate.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>

#define ROW(view) (((const struct step_view *)(view))->row)

void step_row_id(const Armada__StepRow *row, struct buf *out)
{
	buf_addf(out, "%" PRIu64, row->job);
	if (row->is_array)
		buf_addf(out, "_%" PRIu32, row->element);
	buf_addf(out, ".%" PRIu32, row->step);
}

static void id_text(const void *view, struct buf *out)
{
	step_row_id(ROW(view), out);
}

static void state_text(const void *view, struct buf *out)
{
	buf_addstr(out, job_state(ROW(view)->state)->name);
}

static void st_text(const void *view, struct buf *out)
{
	buf_addstr(out, job_state(ROW(view)->state)->code);
}

static int64_t elapsed_us(const void *view, const void *unused)
{
	const Armada__StepRow *r = ROW(view);
	int64_t end_us = r->end_us ? r->end_us : ((const struct step_view *)view)->now_us;

	(void)unused;
	return r->start_us && end_us > r->start_us ? end_us - r->start_us : 0;
}

/* A step on a lost or silent node has no exit code; 0 would be untrue. */
static bool has_exit(const Armada__StepRow *r)
{
	return r->state == ARMADA__JOB_STATE__JOB_COMPLETED ||
	       r->state == ARMADA__JOB_STATE__JOB_FAILED;
}

static void exit_text(const void *view, struct buf *out)
{
	if (has_exit(ROW(view)))
		buf_addf(out, "%d:%d", ROW(view)->exit_code, ROW(view)->exit_signal);
}

static int64_t exit_code(const void *view, const void *unused)
{
	(void)unused;
	return has_exit(ROW(view)) ? ROW(view)->exit_code : CELL_UNKNOWN;
}

static int64_t exit_signal(const void *view, const void *unused)
{
	(void)unused;
	return has_exit(ROW(view)) ? ROW(view)->exit_signal : CELL_UNKNOWN;
}

static int64_t figure(const Armada__StepRow *r, int64_t n)
{
	return r->ended ? n : CELL_UNKNOWN;
}

static int64_t cpu_us(const void *view, const void *unused)
{
	(void)unused;
	return figure(ROW(view), ROW(view)->usage ? ROW(view)->usage->cpu_us : 0);
}

static int64_t rss(const void *view, const void *unused)
{
	(void)unused;
	return figure(ROW(view), ROW(view)->usage ? ROW(view)->usage->max_rss_bytes : 0);
}

/* clang-format off */
#define STEP Armada__StepRow
#define TEXT(f) CELL_TEXT(STEP, f, .through = true)
#define INT(f) CELL_INT(STEP, f, .through = true)
#define TIME(f) CELL_QUANTITY(STEP, f, format_time, .through = true)

static const struct column columns[] = {
	{"id", "STEPID", 'i', true, false, CELL(id_text, NULL), NULL, "Id of the step: 812.0, 812_7.0"},
	{"job", "JOB", 0, true, false, INT(job), NULL, "Id of the job alone"},
	{"element", "ELEMENT", 0, true, false, INT(element), NULL, "Index in its array"},
	{"step", "STEP", 0, true, false, INT(step), NULL, "Number of the step in its job, from 0"},
	{"attempt", "TRY", 0, true, false, INT(attempt), NULL, "Number of the attempt of the job"},
	{"name", "NAME", 'j', false, true, TEXT(name), NULL, "Name of the job"},
	{"user", "USER", 'u', false, false, TEXT(user), NULL, "User of the job"},
	{"command", "COMMAND", 'o', false, true, TEXT(command), NULL, "Command of the step; empty if another controller started the step"},
	{"st", "ST", 't', false, false, CELL(st_text, NULL), NULL, "State, as a short code"},
	{"state", "STATE", 'T', false, false, CELL(state_text, NULL), NULL, "State"},
	{"exit", "EXIT", 0, true, false, CELL(exit_text, NULL), NULL, "Highest exit code, and signal, of its tasks; - while it runs"},
	{"exit_code", "CODE", 0, true, false, CELL_NUMBER(exit_code, NULL, NULL), NULL, "Exit code; null in JSON while it runs"},
	{"exit_signal", "SIGNAL", 0, true, false, CELL_NUMBER(exit_signal, NULL, NULL), NULL, "Signal that ended a task"},
	{"tasks", "TASKS", 0, true, false, INT(tasks), NULL, "Number of its tasks"},
	{"tasks_ended", "ENDED", 0, true, false, INT(ended), NULL, "Number of its tasks that have ended"},
	{"nodes", "NODES", 'D', true, false, INT(node_count), NULL, "Number of its nodes"},
	{"nodelist", "NODELIST", 'N', false, true, TEXT(nodes), NULL, "Nodes"},
	{"start_time", "START", 'S', false, false, TIME(start_us), NULL, "Start of its first task"},
	{"end_time", "END", 'e', false, false, TIME(end_us), NULL, "End of its last task"},
	{"elapsed", "TIME", 'M', true, false, CELL_NUMBER(elapsed_us, NULL, format_duration), NULL, "Run time; microseconds in JSON"},
	{"cpu_time", "CPU_TIME", 0, true, false, CELL_NUMBER(cpu_us, NULL, format_duration), NULL, "Processor time of the tasks that have ended; microseconds in JSON"},
	{"max_rss", "MAX_RSS", 0, true, false, CELL_NUMBER(rss, NULL, format_size), NULL, "Peak memory of the largest process; bytes in JSON"},
};
/* clang-format on */

const struct listing step_listing =
	LISTING("steps", "id,user,st,elapsed,tasks,nodelist,command", columns);

static void add(struct step_rows *rows, const Armada__StepRow *row, int64_t now_us)
{
	struct step_view *v = arena_alloc(rows->arena, sizeof(*v));

	*v = (struct step_view){row, now_us};
	rows->list =
		arena_grow(rows->arena, rows->list, &rows->cap, rows->count, sizeof(*rows->list));
	rows->list[rows->count++] = v;
}

/* step: 1 + the number; 0: all. */
static int fetch(struct step_rows *rows, struct connection *c, const Armada__JobFilter *f,
		 uint32_t step, struct err *err)
{
	Armada__ListStepsRequest q = ARMADA__LIST_STEPS_REQUEST__INIT;
	const Armada__ListStepsReply *page;

	q.filter = (Armada__JobFilter *)(uintptr_t)f;
	q.step = step;
	do {
		int rc = connection_ask(c, MSG_LIST_STEPS, &q, MSG_LIST_STEPS_REPLY, rows->arena, 0,
					&page, err);

		if (rc < 0)
			return rc;
		for (size_t i = 0; i < page->n_steps; i++)
			add(rows, page->steps[i], clock_us(CLOCK_REALTIME));
		q.from_id = page->next_id;
		q.from_element = page->next_element;
		q.from_step = page->next_step;
	} while (q.from_id);
	return 0;
}

int step_rows_fetch(struct step_rows *rows, struct connection *c, const struct filter *f,
		    struct err *err)
{
	return fetch(rows, c, &f->message, 0, err);
}

int step_rows_fetch_one(struct step_rows *rows, struct connection *c, const char *text,
			struct err *err)
{
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ids[] = {&range};
	Armada__IndexRange element = ARMADA__INDEX_RANGE__INIT;
	size_t before = rows->count;
	struct step_id id;
	int rc = step_id_parse(text, &id, err);

	if (rc < 0)
		return rc;
	range.first = range.last = id.job;
	range.has_elements = id.has_element;
	element.first = element.last = id.element;
	if (id.has_element)
		range.elements = &element;
	f.ids = ids;
	f.n_ids = 1;
	rc = fetch(rows, c, &f, id.step + 1, err);
	if (rc == 0 && rows->count == before)
		return err_set(err, -ENOENT,
			       "there is no step %.60s: its job does not run, or it ended long ago",
			       text);
	return rc;
}

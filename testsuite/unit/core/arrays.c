/*
 * Arrays in listings: their progress, and one row for each. A large array takes one row however many elements
 * it has, a filter by state counts what it selects, and rows of single elements are as without merging.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

enum { LARGE = 20000 };

static uint64_t submit_array(struct test_world *w, uint32_t last)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	range.first = 1;
	range.last = last;
	spec.array = ranges;
	spec.n_array = 1;
	return world_submit(w, &spec);
}

/* Lists with this filter; merge: one row for each array. */
static const Armada__ListJobsReply *list(struct test_world *w, Armada__JobFilter *f, bool merge)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;

	m.filter = f;
	m.merge_arrays = merge;
	arena_clear(w->arena);
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	return world_reply(w, MSG_LIST_JOBS_REPLY);
}

/* "PENDING:9 RUNNING:2" by the numbers of the states, in their order */
static const char *progress(const Armada__JobRow *row)
{
	static char text[200];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < row->n_progress; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d:%d", i ? " " : "",
					row->progress[i]->state, (int)row->progress[i]->count);
	return text;
}

/* Three elements run on two nodes, one has failed. */
static uint64_t stage(struct test_world *w)
{
	uint64_t job;

	world_init(w);
	w->policy.max_array_elements = LARGE;
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
	job = submit_array(w, LARGE);
	world_decide(w, job, 1, "n1");
	world_started(w, 1, job, 1, 0, 1);
	world_ended(w, 1, job, 1, 0, 1, ARMADA__END_CAUSE__END_EXITED, 1);
	world_decide(w, job, 2, "n2");
	world_started(w, 2, job, 2, 0, 1);
	world_decide(w, job, 3, "n1");
	world_decide(w, job, 4, "n2");
	world_started(w, 2, job, 4, 0, 1);
	return job;
}

static void check_merged(struct test_world *w, uint64_t job)
{
	const Armada__ListJobsReply *r = list(w, NULL, true);
	const Armada__JobRow *row = r->rows[0];

	is_int((int)r->n_rows, 1, "one row for the array");
	ok(row->job == job && row->merged && !row->n_elements, "it names no elements");
	is_str(progress(row), "1:19996 2:1 3:2 7:1", "it has the number of elements by state");
	is_int((int)row->count, LARGE - 1, "it is for those that have not ended");
	is_int(row->state, ARMADA__JOB_STATE__JOB_RUNNING, "its state is that of running ones");
	ok(row->n_nodes == 2 && !strcmp(row->nodes[0], "n1") && !strcmp(row->nodes[1], "n2"),
	   "each node is named once");
	ok(armada__job_row__get_packed_size(row) < 500, "the row is small");
	is_int((int)list(w, NULL, false)->n_rows, 4,
	       "without merging there is a row for each element");
	is_str(progress(list(w, NULL, false)->rows[2]), "1:19996 2:1 3:2 7:1",
	       "and each has the progress of the array");
}

static void check_filters(struct test_world *w, uint64_t job)
{
	Armada__JobState states[] = {ARMADA__JOB_STATE__JOB_RUNNING, ARMADA__JOB_STATE__JOB_FAILED};
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange id = ARMADA__JOB_RANGE__INIT, *ids[] = {&id};
	Armada__IndexRange two = ARMADA__INDEX_RANGE__INIT;
	char *nodes[] = {(char *)"n2"};
	const Armada__ListJobsReply *r;

	f.states = states;
	f.n_states = 2;
	r = list(w, &f, true);
	is_str(progress(r->rows[0]), "3:2 7:1", "a filter by state counts these states");
	is_int((int)r->rows[0]->count, 2, "two elements match and have not ended");
	states[0] = ARMADA__JOB_STATE__JOB_PENDING;
	r = list(w, &f, true);
	ok(r->n_rows == 1 && !r->rows[0]->merged && r->rows[0]->n_elements == 1,
	   "waiting elements alone are named");
	states[0] = ARMADA__JOB_STATE__JOB_CONFIGURING;
	r = list(w, &f, true);
	ok(r->n_rows == 1 && !r->rows[0]->merged && r->rows[0]->elements[0]->first == 3,
	   "so is a single element");
	states[0] = ARMADA__JOB_STATE__JOB_UNKNOWN;
	is_int((int)list(w, &f, true)->n_rows, 0, "nothing matches");
	f.n_states = 0;
	f.nodes = nodes;
	f.n_nodes = 1;
	is_int((int)list(w, &f, true)->n_rows, 2, "a filter by node lists elements");
	f.n_nodes = 0;
	id.first = id.last = job;
	id.has_elements = true;
	two.first = two.last = 2;
	id.elements = &two;
	f.ids = ids;
	f.n_ids = 1;
	r = list(w, &f, true);
	is_int((int)r->rows[r->n_rows - 1]->elements[0]->first, 2, "a named element has its row");
}

/* Pages of one row: each array is listed once. */
static void check_pages(struct test_world *w)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;
	int rows = 0, pages = 0;
	uint64_t plain;

	submit_array(w, 3);
	submit_array(w, 3);
	plain = world_submit_plain(w);
	m.merge_arrays = true;
	m.limit = 1;
	do {
		arena_clear(w->arena);
		world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
		r = world_reply(w, MSG_LIST_JOBS_REPLY);
		rows += (int)r->n_rows;
		m.after_id = r->next_after_id;
		m.after_element = r->next_after_element;
		m.has_after_element = r->next_has_element;
	} while (r->more && ++pages < 100);
	is_int(rows, 4, "pages of one row list each job once");
	is_int((int)world_row(w, plain)->n_progress, 0, "a job that is no array has no progress");
}

int main(void)
{
	struct test_world w;
	uint64_t job = stage(&w);

	check_merged(&w, job);
	check_filters(&w, job);
	check_pages(&w);
	world_done(&w);
	return done();
}

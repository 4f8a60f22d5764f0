/*
 * Progress of arrays in listings: its words, its place in the columns, the sums over pages of the history,
 * and one row for each array; and the blocks of aqueue --detail.
 */
#include "cmd/listing/job_blocks.h"
#include "cmd/listing/job_progress.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

#define STATE(name) ARMADA__JOB_STATE__JOB_##name

enum { ROWS = 8 };

static Armada__JobRow all[ROWS];
static Armada__IndexRange ranges[ROWS], *range_of[ROWS];
static Armada__StateCount counts[ROWS], *count_of[ROWS];
static struct job_rows rows;

/* Begins a list of rows. */
static void begin(void)
{
	if (!rows.arena)
		job_rows_init(&rows);
	rows.count = 0;
	rows.now_us = 100000000;
	GROW(rows.list, rows.cap, ROWS);
}

/* Adds a row of an array; index 0: it names no element. */
static Armada__JobRow *add(uint64_t job, uint32_t index, Armada__JobState state)
{
	Armada__JobRow *row = &all[rows.count];

	armada__job_row__init(row);
	row->job = job;
	row->is_array = true;
	row->state = state;
	row->count = 1;
	armada__index_range__init(&ranges[rows.count]);
	ranges[rows.count].first = ranges[rows.count].last = index;
	range_of[rows.count] = &ranges[rows.count];
	row->elements = &range_of[rows.count];
	row->n_elements = index > 0;
	rows.list[rows.count++] = (struct job_view){.row = row, .now_us = rows.now_us};
	return row;
}

static size_t made;

/* Gives the row counts of states; they end with UNSET. */
static void give(Armada__JobRow *row, const Armada__JobState *states, const uint64_t *numbers)
{
	row->progress = &count_of[made];
	for (; *states; states++, numbers++) {
		armada__state_count__init(&counts[made]);
		counts[made].state = *states;
		counts[made].count = *numbers;
		count_of[made] = &counts[made];
		made++;
		row->n_progress++;
	}
}

static const char *text_of(size_t i, const char *column)
{
	static struct buf text;

	buf_clear(&text);
	buf_reserve(&text, 1);
	for (size_t k = 0; k < job_listing.count; k++)
		if (!strcmp(job_listing.columns[k].name, column))
			column_text(&job_listing.columns[k], &rows.list[i], &text);
	return text.len ? (char *)text.data : "";
}

static char *json_of(size_t i)
{
	json_t *object = listing_row_json(&job_listing, &rows.list[i]);
	char *text = json_dumps(json_object_get(object, "progress"),
				JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_COMPACT);

	json_decref(object);
	return text;
}

static void check_words(void)
{
	static const Armada__JobState some[] = {STATE(RUNNING), STATE(PENDING), STATE(COMPLETED),
						STATE(FAILED), 0};
	static const uint64_t numbers[] = {128, 12000, 7500, 3};
	Armada__JobRow *row;
	char *nodes[] = {(char *)"n1"};
	char *json;

	begin();
	made = 0;
	row = add(7, 0, STATE(RUNNING));
	give(row, some, numbers);
	row->merged = true;
	row->nodes = nodes;
	row->n_nodes = 1;
	row->reason_word = (char *)"Resources";
	is_str(text_of(0, "progress"), "7500 done, 3 failed, 128 running, 12000 waiting",
	       "the counts in words");
	json = json_of(0);
	is_str(json, "{\"completed\":7500,\"failed\":3,\"pending\":12000,\"running\":128}",
	       "the counts in JSON");
	free(json);
	is_str(text_of(0, "where"), "n1", "a listing of elements shows nodes");
	rows.list[0].whole = true;
	is_str(text_of(0, "where"), "7500 done, 3 failed, 128 running, 12000 waiting (Resources)",
	       "a listing of jobs shows the counts, and why the rest waits");
	is_str(text_of(0, "id"), "7", "a row of many elements has the id of the job");
	row->merged = false;
	row->reason_word = (char *)"";
	is_str(text_of(0, "where"), "7500 done, 3 failed, 128 running, 12000 waiting on n1",
	       "the last element is shown with its node");
	row->is_array = false;
	row->n_progress = 0;
	json = json_of(0);
	is_str(json, "null", "a job that is no array has none");
	free(json);
}

static void check_sums(void)
{
	char *json;

	begin();
	made = 0;
	add(7, 1, STATE(COMPLETED));
	add(7, 2, STATE(PREEMPTED));
	add(7, 2, STATE(COMPLETED));
	add(7, 3, STATE(FAILED));
	add(8, 1, STATE(TIMEOUT));
	job_progress_fill(&rows);
	is_int((int)rows.count, 5, "no row is lost");
	is_str(text_of(0, "progress"), "2 done, 1 failed", "the last attempt of an element counts");
	is_str(text_of(3, "progress"), "2 done, 1 failed", "each row of an array has the same");
	is_str(text_of(4, "progress"), "1 timed out", "another array has its own");
	json = json_of(4);
	is_str(json, "{\"timeout\":1}", "also in JSON");
	free(json);
}

static void check_merge(void)
{
	static const Armada__JobState some[] = {STATE(COMPLETED), STATE(RUNNING), 0};
	static const Armada__JobState other[] = {STATE(COMPLETED), STATE(FAILED), 0};
	static const Armada__JobState good[] = {STATE(COMPLETED), 0};
	static const uint64_t live[] = {9, 2}, page[] = {1000, 4};

	begin();
	made = 0;
	give(add(6, 0, STATE(COMPLETED)), good, page); /* of the history */
	give(add(6, 0, STATE(RUNNING)), some, live);   /* of the memory of the controller */
	give(add(7, 0, STATE(COMPLETED)), good, page); /* two pages of the history */
	give(add(7, 0, STATE(FAILED)), other, page);
	add(9, 0, STATE(COMPLETED))->is_array = false;
	job_progress_merge(&rows);
	is_int((int)rows.count, 3, "one row for each job");
	is_str(text_of(0, "where"), "9 done, 2 running", "the controller knows all of the array");
	is_str(text_of(1, "where"), "2000 done, 4 failed", "pages of the history are added up");
	is_str(text_of(1, "state"), "FAILED", "its state is not that of the good elements");
	is_str(text_of(2, "where"), "", "another job keeps its row");
}

static void check_wide(void)
{
	static const Armada__JobState some[] = {STATE(FAILED), 0};
	static const uint64_t numbers[] = {12};
	static Armada__IndexRange each[12], *list[12];
	Armada__JobRow *row;

	begin();
	made = 0;
	row = add(7, 1, STATE(FAILED));
	give(row, some, numbers);
	for (uint32_t i = 0; i < 12; i++) {
		armada__index_range__init(&each[i]);
		each[i].first = each[i].last = 1000 + 2 * i;
		list[i] = &each[i];
	}
	row->elements = list;
	row->n_elements = 7; /* 7_[1000,1002,...]: 38 columns */
	rows.list[0].whole = true;
	is_str(text_of(0, "id"), "7_[1000,1002,1004,1006,1008,1010,1012]",
	       "a short id has the elements");
	row->n_elements = 12;
	is_str(text_of(0, "id"), "7", "a wide one has the job alone");
	is_str(text_of(0, "where"), "12 failed", "and the line has counts");
	rows.list[0].whole = false;
	ok(strlen(text_of(0, "id")) > 60, "scripts get the whole id");
	rows.list[0].whole = true;
}

static char *blocks(size_t width, bool colours)
{
	const void *views[ROWS];
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < rows.count; i++)
		views[i] = &rows.list[i];
	job_blocks_print(views, rows.count, width, colours, out);
	fclose(out);
	return text;
}

/* Begins with the row of check_wide(). */
static void check_blocks(void)
{
	static const char reason[] = "none of 3 nodes has 64 cpu free now (best: n1 with 4), "
				     "and job 12 waits before it";
	Armada__JobRow *row;
	char *text = blocks(40, false);

	has_str(text, "Job 7: FAILED", "the title is short");
	has_str(text,
		"\n  Elements    12 failed\n"
		"  Ids         7_[1000,1002,1004,1006,1008,1010,1012,1014,1016,1018,1020,1022]\n",
		"the block has the whole id");
	free(text);
	begin();
	row = add(12, 0, STATE(PENDING));
	row->is_array = false;
	row->name = (char *)"RUNNING \033[31m job";
	row->user = (char *)"ann";
	row->queue = (char *)"physics";
	row->reason_word = (char *)"Resources";
	row->reason = (char *)reason;
	row->last_end = (char *)"preempted for job 11";
	row->attempt = 2;
	row->time_limit_s = 3600;
	row->output = (char *)"/a/path/that/is/longer/than/any/line/of/this/terminal.out";
	row = add(13, 4, STATE(FAILED));
	row->end_us = 90000000;
	row->exit_code = 3;
	text = blocks(0, false);
	has_str(text, "Job 12 (RUNNING \\x1b[31m job): PENDING\n", "the title; names are escaped");
	has_str(text,
		"\n  Waits       Resources: none of 3 nodes has 64 cpu free now "
		"(best: n1 with 4), and job 12 waits before it\n",
		"in a file a reason is one line");
	has_str(text, "\n  Before      preempted for job 11\n", "the last attempt has a line");
	has_str(text, "\n  Run time    limit 01:00:00\n", "the limit");
	has_str(text, "terminal.out\n\nJob 13_4: FAILED at ",
		"blocks are separated by an empty line");
	has_str(text, ", exit 3:0\n", "an ended job has its exit code");
	ok(!strstr(text, "Nodes"), "a field without a value is left out");
	free(text);
	text = blocks(50, true);
	has_str(text,
		"\n  Waits       Resources: none of 3 nodes has 64\n"
		"              cpu free now (best: n1 with 4), and\n"
		"              job 12 waits before it\n",
		"on a terminal lines hang under the value");
	has_str(text, "/a/path/that/is/longer/than/any/line/of/this/terminal.out\n",
		"no value is cut");
	has_str(text, "(RUNNING \\x1b[31m job): \033[33mPENDING\033[0m\n",
		"the state is coloured, not the name");
	free(text);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	listing_locale();
	check_words();
	check_sums();
	check_merge();
	check_wide();
	check_blocks();
	job_rows_done(&rows);
	return done();
}

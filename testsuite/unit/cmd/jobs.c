/*
 * The values of the columns of jobs, as text and as JSON, for pending, running and ended jobs.
 */
#include "cmd/listing/job_rows.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

static Armada__JobRow row;
static struct job_view view = {.row = &row, .now_us = 100000000};

static const char *text_of(const char *column)
{
	static struct buf text;

	buf_clear(&text);
	buf_reserve(&text, 1);
	for (size_t i = 0; i < job_listing.count; i++) {
		if (!strcmp(job_listing.columns[i].name, column)) {
			column_text(&job_listing.columns[i], &view, &text);
			return (char *)text.data;
		}
	}
	bail("no column %s", column);
}

static void check_id(bool is_array, Armada__IndexRange **ranges, size_t count, const char *want)
{
	row.is_array = is_array;
	row.elements = ranges;
	row.n_elements = count;
	is_str(text_of("id"), want, "id %s", want);
}

static void check_states(void)
{
	char *nodes[] = {(char *)"n1", (char *)"n2", (char *)"n1"};

	row.state = ARMADA__JOB_STATE__JOB_PENDING;
	is_str(text_of("where"), "(Priority)",
	       "a pending job without a reason has the word Priority");
	row.held = true;
	is_str(text_of("where"), "(Held)", "a held job has the word Held");
	row.reason = (char *)"too large";
	is_str(text_of("where"), "(too large)", "the reason of an older controller is in brackets");
	row.reason_word = (char *)"TooLarge";
	is_str(text_of("where"), "(TooLarge)", "the reason's word is in brackets");
	is_str(text_of("why"), "TooLarge", "the word has a column");
	is_str(text_of("reason"), "too large", "the full reason has a column");
	is_str(text_of("expected"), "-", "without an estimate the start is unknown");
	row.expected_us = view.now_us - 1;
	is_str(text_of("expected"), "-", "a passed estimate is not shown");
	row.expected_us = view.now_us + 1;
	ok(strlen(text_of("expected")) > 8, "the latest start is shown");
	is_str(text_of("elapsed"), "00:00:00", "a waiting job has no run time");

	row.state = ARMADA__JOB_STATE__JOB_RUNNING;
	row.reason = (char *)"";
	row.nodes = nodes;
	row.n_nodes = 3;
	row.start_us = 40000000;
	row.time_limit_s = 90;
	is_str(text_of("where"), "n[1-2]", "a running job shows its nodes");
	is_str(text_of("nodes"), "2", "each node is counted once");
	is_str(text_of("elapsed"), "00:01:00", "the run time is a minute");
	is_str(text_of("time_left"), "00:00:30", "half a minute is left");
	is_str(text_of("exit"), "", "a running job has no exit code");
	row.time_limit_s = -1;
	is_str(text_of("time_limit"), "UNLIMITED", "no limit is UNLIMITED");

	row.state = ARMADA__JOB_STATE__JOB_FAILED;
	row.end_us = 50000000;
	row.reason = (char *)"too large";
	row.exit_code = 3;
	is_str(text_of("elapsed"), "00:00:10", "an ended job has the run time of its end");
	is_str(text_of("time_left"), "-", "an ended job has no time left");
	is_str(text_of("exit"), "3:0", "the exit code and signal are shown");
	is_str(text_of("where"), "n[1-2] (too large)", "the nodes and the reason are shown");
	is_str(text_of("st"), "F", "the state is short");
	is_str(text_of("state"), "FAILED", "the state is long");
	row.state = 99;
	is_str(text_of("state"), "?", "an unknown state is ?");
	row.nodes = NULL;
	row.n_nodes = 0;
}

int main(void)
{
	Armada__IndexRange a = ARMADA__INDEX_RANGE__INIT;
	Armada__IndexRange b = ARMADA__INDEX_RANGE__INIT, c = ARMADA__INDEX_RANGE__INIT;
	Armada__IndexRange *list[] = {&a, &b, &c};
	Armada__Resource cpu = ARMADA__RESOURCE__INIT;
	Armada__Resource *resources[] = {&cpu};

	armada__job_row__init(&row);
	row.job = 812;
	a.first = 1;
	a.last = 5;
	b.first = b.last = 7;
	c.first = 10;
	c.last = 20;
	c.step = 5;
	check_id(false, NULL, 0, "812");
	check_id(true, NULL, 0, "812");
	check_id(true, list + 1, 1, "812_7");
	check_id(true, list, 1, "812_[1-5]");
	check_id(true, list, 3, "812_[1-5,7,10-20:5]");

	check_states();

	cpu.name = (char *)"cpu";
	cpu.amount = 1500;
	row.resources = resources;
	row.n_resources = 1;
	is_str(text_of("cpus"), "1.5", "cpus");
	is_str(text_of("gpus"), "0", "an absent resource is 0");
	for (size_t i = 0; i < job_listing.count; i++) {
		json_t *j = column_json(&job_listing.columns[i], &view);

		for (size_t k = 0; k < i; k++)
			ok(strcmp(job_listing.columns[i].name, job_listing.columns[k].name) != 0 &&
				   (!job_listing.columns[i].letter ||
				    job_listing.columns[i].letter != job_listing.columns[k].letter),
			   "%s and %s differ", job_listing.columns[i].name,
			   job_listing.columns[k].name);
		json_decref(j);
	}
	return done();
}

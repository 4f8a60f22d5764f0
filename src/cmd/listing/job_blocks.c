/*
 * Jobs as blocks (job_blocks.h).
 *
 * Input: rows of a listing. Output: a title with the job, its state and since when, and fields with a
 * label. A field without a value is left out. The figures are those of the columns of the listing: most
 * fields are made of them, so that both always say the same. On a terminal the state is coloured.
 */
#include "cmd/listing/job_blocks.h"

#include "client/jobstate.h"
#include "cmd/listing/job_progress.h"
#include "cmd/listing/resources.h"
#include "cmd/listing/wrap.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <inttypes.h>
#include <string.h>

enum { MARGIN = 2, LABEL = 12, INDENT = MARGIN + LABEL };

struct block {
	FILE *out;
	size_t width;
	bool colours;
	const struct job_view *view;
	const Armada__JobRow *row;
	struct buf *text; /* of the present field */
};

/* The text of a column; empty if its value is not known. It is valid until the next call. */
static const char *cell(const struct block *b, struct buf *buf, const char *column)
{
	buf_clear(buf);
	buf_reserve(buf, 1);
	column_text(listing_column(&job_listing, column), b->view, buf);
	if (!buf->len || strcmp((char *)buf->data, "-") == 0)
		return "";
	return (char *)buf->data;
}

/* Adds "words value" to the field, after a comma if it has text already; nothing without a value. */
static void add(struct block *b, const char *words, const char *value)
{
	if (!*value)
		return;
	buf_addf(b->text, "%s%s%s%s", b->text->len ? ", " : "", words, *words ? " " : "", value);
}

static void add_cell(struct block *b, const char *words, const char *column)
{
	CLEANUP_BUF struct buf value = {0};

	add(b, words, cell(b, &value, column));
}

/* Prints the field that was added, and begins the next one. */
static void end_field(struct block *b, const char *label)
{
	CLEANUP_BUF struct buf lines = {0};

	if (b->text->len) {
		buf_addf(&lines, "%*s%-*s", MARGIN, "", LABEL, label);
		wrap_add(&lines, (char *)b->text->data, INDENT, INDENT, b->width);
		fprintf(b->out, "%s\n", (char *)lines.data);
	}
	buf_clear(b->text);
}

static void field(struct block *b, const char *label, const char *column)
{
	add_cell(b, "", column);
	end_field(b, label);
}

/* Since when the job is in its state; 0: not known. */
static int64_t since_us(const Armada__JobRow *r)
{
	if (job_state(r->state)->ended)
		return r->end_us;
	if (r->state == ARMADA__JOB_STATE__JOB_PENDING)
		return r->last_end[0] ? 0 : r->submit_us;
	return r->state == ARMADA__JOB_STATE__JOB_RUNNING ? r->start_us : 0;
}

static int64_t whole_seconds(int64_t us)
{
	return us > 0 ? us / 1000000 * 1000000 : 0;
}

static void add_since(const struct block *b, struct buf *out)
{
	const Armada__JobRow *r = b->row;
	int64_t since = since_us(r), ago = b->view->now_us - since;
	char when[48];

	if (!since)
		return;
	format_time(since, when, sizeof(when));
	if (job_state(r->state)->ended)
		buf_addf(out, " at %s", when);
	else
		buf_addf(out, " since %s (%s)", when, duration_words(whole_seconds(ago)).text);
}

/* The number of the colour that smartcols has under this name. */
static const char *colour_of(const struct block *b)
{
	const struct column *state = listing_column(&job_listing, "state");
	const char *name = b->colours && state->colour ? state->colour(b->view) : NULL;

	if (!name)
		return "";
	return strcmp(name, "green") == 0    ? "\033[32m"
	       : strcmp(name, "yellow") == 0 ? "\033[33m"
					     : "\033[31m";
}

/* "Job 812 (train): RUNNING since 2026-11-23T10:12:00 (1 h 2 min)" */
static void print_title(struct block *b)
{
	CLEANUP_BUF struct buf text = {0}, id = {0}, lines = {0};
	const char *colour = colour_of(b);
	const char *state = job_state(b->row->state)->name;
	const char *at;

	buf_addf(&text, "Job %s", cell(b, &id, "id"));
	if (b->row->name[0])
		buf_addf(&text, " (%s)", b->row->name);
	buf_addf(&text, ": %s", state);
	add_since(b, &text);
	if (job_state(b->row->state)->ended && !b->row->merged && job_row_has_exit(b->row))
		buf_addf(&text, ", exit %s", cell(b, &id, "exit"));
	wrap_add(&lines, (char *)text.data, 0, MARGIN, b->width);
	/* the name stands before the state and may contain the same word */
	at = memmem(lines.data, lines.len, state, strlen(state));
	for (const char *next = at; *colour && next; at = next, next = strstr(at + 1, state))
		;
	if (!*colour || !at) {
		fprintf(b->out, "%s\n", (char *)lines.data);
		return;
	}
	fprintf(b->out, "%.*s%s%s\033[0m%s\n", (int)(at - (char *)lines.data), (char *)lines.data,
		colour, state, at + strlen(state));
}

static void print_reason(struct block *b)
{
	const Armada__JobRow *r = b->row;
	bool waits = r->reason_word[0] != '\0';

	if (waits)
		buf_addf(b->text, "%s%s", r->reason_word, r->reason[0] ? ": " : "");
	buf_addstr(b->text, r->reason);
	end_field(b, waits ? "Waits" : "Reason");
	buf_addstr(b->text, r->last_end);
	end_field(b, "Before");
	field(b, "Depends on", "dependency");
	add_cell(b, "not before", "begin");
	add_cell(b, "expected at the latest", "expected");
	end_field(b, "Start");
}

static void print_owner(struct block *b)
{
	const Armada__JobRow *r = b->row;

	add(b, "", r->user);
	add(b, "queue", r->queue);
	add(b, "class", r->priority_class);
	add_cell(b, "priority", "priority");
	add(b, "account", r->account);
	add(b, "job set", r->job_set);
	add_cell(b, "labels", "labels");
	if (r->gang_id[0]) {
		add(b, "gang", r->gang_id);
		buf_addf(b->text, " of %" PRIu32 " %s", r->gang_cardinality,
			 plural(r->gang_cardinality, "job", "jobs"));
	}
	end_field(b, "Owner");
}

static void print_resources(struct block *b)
{
	const Armada__JobRow *r = b->row;

	resources_add(r->resources, r->n_resources, ", ", b->text);
	if (r->tasks > 1)
		buf_addf(b->text, "%sin %" PRIu32 " tasks", b->text->len ? " " : "", r->tasks);
	if (r->merged || r->count > 1)
		buf_addstr(b->text, ", for each element");
	if (r->scavenge)
		buf_addstr(b->text, ", only while no other job needs them (--scavenge)");
	end_field(b, "Resources");
	field(b, "Tasks", "groups");
	if (r->n_nodes) {
		size_t nodes = job_row_nodes(r, NULL);

		buf_addf(b->text, "%zu: ", nodes);
		job_row_nodes(r, b->text);
	}
	end_field(b, "Nodes");
}

static void print_times(struct block *b)
{
	const Armada__JobRow *r = b->row;
	bool runs = r->start_us && !job_state(r->state)->ended && !r->merged;

	add_cell(b, "", "submit_time");
	if (r->submit_host[0])
		buf_addf(b->text, " from %s", r->submit_host);
	end_field(b, "Submitted");
	if (r->start_us) {
		add_cell(b, "", "start_time");
		if (r->end_us)
			add_cell(b, "ended", "end_time");
		end_field(b, r->merged ? "First start" : "Started");
		add_cell(b, "", "elapsed");
		add_cell(b, "limit", "time_limit");
		if (runs && r->time_limit_s > 0)
			add_cell(b, "left", "time_left");
	} else {
		add_cell(b, "limit", "time_limit");
		add_cell(b, "at least", "time_min");
	}
	if (!r->end_us)
		add_cell(b, "deadline", "deadline");
	end_field(b, "Run time");
}

static void print_usage(struct block *b)
{
	if (b->row->usage && b->row->start_us) {
		add_cell(b, "cpu", "cpu_time");
		add_cell(b, "memory", "max_rss");
		add_cell(b, "with the page cache", "max_with_cache");
		add_cell(b, "read", "read_bytes");
		add_cell(b, "written", "written_bytes");
	}
	end_field(b, "Used");
}

/* A name in a file name, as the controller writes it (core/lifecycle/task_env.c). */
static void add_name(struct buf *out, const char *name)
{
	for (; *name; name++)
		buf_addc(out, *name == '/' ? '_' : *name);
}

/* Adds the value of a letter of a pattern; false: tasks or elements differ in it, or it has none. */
static bool add_letter(const Armada__JobRow *r, char letter, int width, struct buf *out)
{
	bool one = r->n_elements == 1 && r->elements[0]->first == r->elements[0]->last;

	if ((letter == 'a' || (letter == 'j' && r->is_array)) && !one)
		return false;
	if (letter == 'j' || letter == 'A')
		buf_addf(out, "%0*" PRIu64, width, r->job);
	if (letter == 'j' && r->is_array)
		buf_addf(out, "_%" PRIu32, r->elements[0]->first);
	else if (letter == 'a')
		buf_addf(out, "%0*" PRIu32, width, r->is_array ? r->elements[0]->first : 0);
	else if (letter == 'x' || letter == 's' || letter == 'u')
		add_name(out, letter == 'x' ? r->name : letter == 's' ? r->job_set : r->user);
	else
		return letter == 'j' || letter == 'A';
	return true;
}

/* Prints the path of a file of the job, as far as it is the same for all tasks. */
static void print_file(struct block *b, const char *label, const char *pattern)
{
	if (*pattern && *pattern != '/' && b->row->chdir[0])
		buf_addf(b->text, "%s/", b->row->chdir);
	for (const char *p = pattern; *p; p++) {
		const char *q = p + 1;
		int width = 0;

		for (; *p == '%' && *q >= '0' && *q <= '9' && width < 10; q++)
			width = width * 10 + (*q - '0');
		if (*p == '%' && *q && add_letter(b->row, *q, width, b->text))
			p = q;
		else
			buf_addc(b->text, *p);
	}
	end_field(b, label);
}

static void print_files(struct block *b)
{
	print_file(b, "Output", b->row->output);
	print_file(b, "Errors", b->row->error);
	field(b, "Directory", "chdir");
}

static void print_block(struct block *b)
{
	print_title(b);
	if (b->row->is_array) {
		job_progress_text(b->row, b->text);
		end_field(b, "Elements");
	}
	if (job_view_is_brief(b->view)) {
		job_row_id(b->row, b->text);
		end_field(b, "Ids");
	}
	print_reason(b);
	print_owner(b);
	print_resources(b);
	print_times(b);
	print_usage(b);
	print_files(b);
}

void job_blocks_print(const void *const *views, size_t count, size_t width, bool colours, FILE *out)
{
	CLEANUP_BUF struct buf text = {0};

	for (size_t i = 0; i < count; i++) {
		const struct job_view *view = views[i];
		struct block b = {out, width, colours, view, view->row, &text};

		if (i)
			fputc('\n', out);
		print_block(&b);
	}
}

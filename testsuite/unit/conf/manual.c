/*
 * Manual pages that are made from tables. armada.conf(5) has a paragraph for every option of the
 * controller and of each built plugin; actl(1) has one for the option and for the column of every
 * field of a queue. armd(8) has a paragraph for the option and anode(1) one for the column of every
 * field of a node; these may be edited in the page, and `make manual` only adds missing ones.
 *
 * The test compares the parts of the pages between two markers with the tables. After a change of a
 * table, `make manual` (this program with --write) writes these parts.
 */
#include "armrestd/metric_table.h"
#include "conf/tables.h"
#include "conf/conf.h"
#include "conf/node_table.h"
#include "conf/queue_field.h"
#include "plugin/plugin.h"
#include "proto/counter_table.h"
#include "proto/job_event_table.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const types[] = {
	[ARMADA_OPTION_BOOL] = "true or false",
	[ARMADA_OPTION_INT] = "whole number",
	[ARMADA_OPTION_DOUBLE] = "number",
	[ARMADA_OPTION_STRING] = "text",
	[ARMADA_OPTION_DURATION] = "duration",
	[ARMADA_OPTION_SIZE] = "size",
	[ARMADA_OPTION_CPU] = "cpus",
	[ARMADA_OPTION_CHOICE] = "word",
	[ARMADA_OPTION_STRINGS] = "list of texts",
	[ARMADA_OPTION_NUMBERS] = "group of numbers",
};

/* Writes text with the escapes of troff. */
static void put_text(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == '\\')
			buf_addstr(out, "\\e");
		else if (*text == '-')
			buf_addstr(out, "\\-");
		else
			buf_addc(out, *text);
	}
}

/* Directories depend on configure; the page has the usual ones. */
static const char *default_of(const struct conf_row *row)
{
	static const struct {
		const char *name, *text;
	} dirs[] = {{"state_dir", "/var/lib/armada"},
		    {"spool_dir", "/var/spool/armada"},
		    {"run_dir", "/run/armada"},
		    {"plugin_dir", "/usr/lib/armada"}};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (strcmp(dirs[i].name, row->opt.name) == 0)
			return dirs[i].text;
	return conf_list_default(row) ? conf_list_default(row) : row->opt.def;
}

static void put_option(const struct armada_option *opt, const char *def, bool reload,
		       struct buf *out)
{
	buf_addstr(out, ".TP\n.BR ");
	put_text(opt->name, out);
	buf_addf(out, " \" (%s", types[opt->type]);
	if (def && *def) {
		buf_addstr(out, ", default ");
		put_text(def, out);
	}
	if (!reload)
		buf_addstr(out, ", read at start only");
	buf_addstr(out, ")\"\n");
	put_text(opt->help, out);
	if (opt->choices) {
		buf_addstr(out, "\nOne of ");
		for (const char *p = opt->choices; *p; p++)
			buf_addf(out, *p == '|' ? ", " : "%c", *p);
		buf_addc(out, '.');
	}
	buf_addc(out, '\n');
}

static void put_row(const struct conf_row *row, struct buf *out)
{
	put_option(&row->opt, default_of(row), row->opt.reload, out);
}

static void put_section(const char *name, const char *help, const struct conf_row *rows,
			size_t count, struct buf *out)
{
	buf_addf(out, ".SS %s\n", name ? name : "Top level");
	put_text(help, out);
	buf_addc(out, '\n');
	for (size_t i = 0; i < count; i++)
		put_row(&rows[i], out);
}

/* A reload opens policy plugins again, so their options can change. */
static void put_plugin(const char *dir, int kind, const char *name, struct buf *out)
{
	bool policy = kind >= ARMADA_PLUGIN_FAIRNESS && kind <= ARMADA_PLUGIN_SELECT;
	struct plugin p;
	struct err err;

	if (plugin_load(&p, dir, kind, name, &err) < 0)
		bail("%s", err.text);
	buf_addf(out, ".SS plugins: %s/%s\n", conf_kinds[kind].name, name);
	buf_addc(out, (char)toupper((unsigned char)p.desc->description[0]));
	put_text(p.desc->description + 1, out);
	buf_addstr(out, p.desc->option_count ? ". Its options:\n" : ". It has no options.\n");
	for (size_t i = 0; i < p.desc->option_count; i++) {
		const struct armada_option *o = &p.desc->options[i];

		if (!o->help || strlen(o->help) < 10)
			bail("%s/%s: %s has no description", conf_kinds[kind].name, name, o->name);
		put_option(o, o->def, o->reload || policy, out);
	}
	plugin_free(&p);
}

/* The section of a plugin that is not built here stays as it is. */
static void keep_plugin(const char *page, const char *name, struct buf *out)
{
	CLEANUP_FREE char *head = xasprintf(".SS plugins: %s\n", name);
	const char *at = strstr(page, head), *end = at ? strstr(at + 1, "\n.S") : NULL;

	if (end)
		buf_add(out, at, (size_t)(end + 1 - at));
}

/* The plugins that the tree has built, by kind and name. */
static void put_plugins(const char *page, struct buf *out)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	CLEANUP_FREE char *dir = xasprintf("%s/plugins.d", build ? build : ".");
	struct dirent **list;
	int n = scandir(dir, &list, NULL, alphasort), found = 0;

	if (n < 0)
		bail("%s: %s", dir, strerror(errno));
	for (int k = ARMADA_PLUGIN_AUTH; k <= ARMADA_PLUGIN_CONTAIN; k++) {
		CLEANUP_FREE char *redis = xasprintf("%s/state_redis.so", dir);

		if (k == ARMADA_PLUGIN_STATE && access(redis, F_OK))
			keep_plugin(page, "state/redis", out);
		for (int i = 0; i < n; i++) {
			const char *file = list[i]->d_name, *dot = strrchr(file, '.');
			size_t len = strlen(conf_kinds[k].name);

			if (strncmp(file, conf_kinds[k].name, len) != 0 || file[len] != '_' ||
			    !dot || strcmp(dot, ".so") != 0)
				continue;
			CLEANUP_FREE char *name =
				xasprintf("%.*s", (int)(dot - file - len) - 1, file + len + 1);
			put_plugin(dir, k, name, out);
			found++;
		}
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	if (found < 10)
		bail("%d plugins are built", found);
}

static void put_options(const char *page, struct buf *out)
{
	for (size_t i = 0; i < CONF_SECTIONS; i++)
		put_section(conf_sections[i].name, conf_sections[i].help, conf_sections[i].rows,
			    conf_sections[i].count, out);
	for (size_t i = 0; i < CONF_LISTS; i++)
		put_section(conf_lists[i].name, conf_lists[i].help, conf_lists[i].rows,
			    conf_lists[i].count, out);
	buf_addstr(out,
		   ".SS plugins\nA plugin for each kind, by its name or as a group of its name "
		   "and its options:\n");
	for (int k = ARMADA_PLUGIN_AUTH; k <= ARMADA_PLUGIN_CONTAIN; k++)
		buf_addf(out, ".TP\n.BR %s \" (default %s)\"\n%s.\n", conf_kinds[k].name,
			 conf_kinds[k].def, conf_kinds[k].help);
	put_plugins(page, out);
}

/* ---- actl(1) ---- */

/* A sentence of a table, with a full stop added. */
static void put_sentence(const char *text, struct buf *out)
{
	buf_addstr(out, *text == '.' ? "\\&" : "");
	put_text(text, out);
	buf_addstr(out, ".\n");
}

static void put_queue_options(const char *page, struct buf *out)
{
	(void)page;
	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		const struct queue_field *f = &queue_fields[i];

		if (!f->option.name)
			continue;
		buf_addstr(out, ".TP\n.BR \\-\\-");
		put_text(f->option.name, out);
		buf_addf(out, " =\\c\n.I %s\n", f->option.arg);
		put_sentence(f->option.help, out);
		if (f->option.more)
			buf_addf(out, "%s\n", f->option.more);
	}
}

static void put_queue_columns(const char *page, struct buf *out)
{
	(void)page;
	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		const struct queue_field *f = &queue_fields[i];

		if (!f->column.name)
			continue;
		buf_addf(out, ".TP\n.BR %s\n", f->column.name);
		put_sentence(f->column.help, out);
	}
}

/* ---- armd(8), anode(1) ---- */

/* clang-format off */
#define OPTION(name, letter, arg, to, help)             {letter, name, arg, help},
#define NODE_OPTION(member, registered, in_file, option, ...) option
static const struct node_option {
	char letter;
	const char *name, *arg, *help;
} node_options[] = {NODE_TABLE(NODE_OPTION)};

#define COLUMN(name, heading, letter, side, cell, colour, help) {name, letter, help},
#define NODE_FIELD(member, registered, in_file, option, ...)          __VA_ARGS__
static const struct node_column {
	const char *name;
	char letter;
	const char *help;
} node_columns[] = {NODE_TABLE(NODE_FIELD)};
/* clang-format on */

/* Adds a paragraph with the sentence, unless the page has a paragraph of this name. */
static void put_missing(struct buf *head, const char *help, const char *page, struct buf *out)
{
	buf_addstr(head, "\n");
	if (strstr(page, (char *)head->data))
		return;
	buf_add(out, head->data, head->len);
	put_sentence(help, out);
}

static void put_node_options(const char *page, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(node_options); i++) {
		CLEANUP_BUF struct buf head = {0};
		const struct node_option *o = &node_options[i];

		buf_addstr(&head, ".TP\n.BR ");
		if (o->letter)
			buf_addf(&head, "\\-%c \", \" ", o->letter);
		buf_addstr(&head, "\\-\\-");
		put_text(o->name, &head);
		buf_addf(&head, " =\\fI%s\\fR", o->arg);
		put_missing(&head, o->help, page, out);
	}
}

static void put_node_columns(const char *page, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(node_columns); i++) {
		CLEANUP_BUF struct buf head = {0};
		const struct node_column *c = &node_columns[i];

		buf_addf(&head, ".TP\n.BR %s", c->name);
		if (c->letter)
			buf_addf(&head, " \" %%%c\"", c->letter);
		put_missing(&head, c->help, page, out);
	}
}

/* ---- pages ---- */

/* Between the comments "NAME: begin" and "NAME: end" of a page. */
static void put_job_events(const char *page, struct buf *out)
{
	size_t count;
	const struct job_event_kind *kinds = job_event_kinds(&count);

	(void)page;
	for (size_t i = 0; i < count; i++) {
		const char *before = "Fields: ";

		buf_addstr(out, ".TP\n.B ");
		put_text(kinds[i].name, out);
		buf_addc(out, '\n');
		put_sentence(kinds[i].help, out);
		for (int f = 0; f < JOB_EVENT_FIELDS; f++) {
			if (!(kinds[i].fields & UINT64_C(1) << f))
				continue;
			buf_addstr(out, before);
			put_text(job_event_field((enum job_event_field)f)->name, out);
			before = ", ";
		}
		if (kinds[i].fields)
			buf_addstr(out, ".\n");
	}
}

static void put_job_event_fields(const char *page, struct buf *out)
{
	(void)page;
	for (int f = 0; f < JOB_EVENT_FIELDS; f++) {
		buf_addstr(out, ".TP\n.B ");
		put_text(job_event_field((enum job_event_field)f)->name, out);
		buf_addc(out, '\n');
		put_sentence(job_event_field((enum job_event_field)f)->help, out);
	}
}

/* ---- armrestd(8) ---- */

/* A COUNTER or a COUNT has _total in its name. */
enum { METRIC_COUNTER, METRIC_COUNT = METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

static const struct metric {
	const char *name;
	int type;
	const char *unit, *label, *help;
} metrics[] = {
#define METRIC(ROW, name, type, unit, label, help) {name, METRIC_##type, unit, label, help},
#define COUNTED(ROW, name, type, unit, label, help)                                                \
	{name TOTAL_##type, METRIC_##type, unit, label, help},
#define TOTAL_COUNT "_total"
#define TOTAL_GAUGE
#define TOTAL_HISTOGRAM
	METRIC_TABLE(METRIC) COUNTER_TABLE(COUNTED)};

static void put_metrics(const char *page, struct buf *out)
{
	static const char *const words[] = {
		[METRIC_COUNTER] = "counter",
		[METRIC_GAUGE] = "gauge",
		[METRIC_HISTOGRAM] = "histogram",
	};

	(void)page;
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		const struct metric *m = &metrics[i];

		buf_addf(out, ".TP\n.BR armada_%s \" (%s", m->name, words[m->type]);
		if (*m->unit)
			buf_addf(out, ", %s", m->unit);
		if (*m->label)
			buf_addf(out, ", by %s", m->label);
		buf_addstr(out, ")\"\n");
		put_sentence(m->help, out);
	}
}

static const struct part {
	const char *page, *name;
	void (*put)(const char *page, struct buf *out);
	bool adds; /* only missing paragraphs are added, before "NAME: end" */
} parts[] = {
	{"armada.conf.5", "options", put_options, false},
	{"actl.1", "queue options", put_queue_options, false},
	{"actl.1", "queue columns", put_queue_columns, false},
	{"armd.8", "node options", put_node_options, true},
	{"anode.1", "node columns", put_node_columns, true},
	{"armada-events.5", "job events", put_job_events, false},
	{"armada-events.5", "job event fields", put_job_event_fields, false},
	{"armrestd.8", "metrics", put_metrics, false},
};

static char *path_of(const char *page)
{
	const char *src = getenv("ARMADA_SRCDIR");

	return xasprintf("%s/man/%s", src ? src : ".", page);
}

static char *read_page(const char *page)
{
	struct buf out = {0};
	CLEANUP_FREE char *path = path_of(page);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	while ((n = read(fd, buf_reserve(&out, 4096), 4096)) > 0)
		out.len += (size_t)n;
	buf_addstr(&out, "");
	return (char *)buf_take(&out, NULL);
}

/* Finds the part between the markers; ret_end is the end marker. False if there are no markers. */
static bool find_part(char *page, const struct part *p, char **ret_begin, char **ret_end)
{
	CLEANUP_FREE char *begin = xasprintf(".\\\" %s: begin\n", p->name);
	CLEANUP_FREE char *end = xasprintf(".\\\" %s: end\n", p->name);
	char *from = p->adds ? page : strstr(page, begin);

	*ret_end = from ? strstr(from, end) : NULL;
	*ret_begin = p->adds ? *ret_end : from ? from + strlen(begin) : NULL;
	return *ret_end != NULL;
}

static void check_part(const struct part *p)
{
	CLEANUP_FREE char *page = read_page(p->page);
	CLEANUP_BUF struct buf text = {0};
	char *from, *to;

	if (!ok(find_part(page, p, &from, &to), "%s has the markers of its %s", p->page, p->name))
		return;
	p->put(page, &text);
	*to = '\0';
	buf_addstr(&text, "");
	ok(strcmp(from, (char *)text.data) == 0,
	   "%s: the %s agree with the tables, %s: make manual", p->page, p->name,
	   p->adds ? "none is missing" : "without others");
}

static void write_part(const struct part *p)
{
	CLEANUP_FREE char *page = read_page(p->page), *path = path_of(p->page);
	CLEANUP_BUF struct buf text = {0};
	char *from, *to;
	FILE *f;

	if (!find_part(page, p, &from, &to))
		bail("%s: no markers of its %s", path, p->name);
	buf_add(&text, page, (size_t)(from - page));
	p->put(page, &text);
	buf_addstr(&text, to);
	f = fopen(path, "w");
	if (!f || fputs((char *)text.data, f) < 0 || fclose(f) != 0)
		bail("%s: %s", path, strerror(errno));
}

/* Checks each row separately, so that a failure names the missing paragraph. */
static void check_rows(const char *page, const char *name, const struct conf_row *rows,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		CLEANUP_BUF struct buf row = {0};

		put_row(&rows[i], &row);
		ok(strstr(page, (char *)row.data) != NULL, "the page has %s%s%s", name ? name : "",
		   name ? "." : "", rows[i].opt.name);
		ok(rows[i].opt.help && strlen(rows[i].opt.help) > 10, "the row has a help text");
	}
}

static void check_page(void)
{
	CLEANUP_FREE char *page = read_page("armada.conf.5");

	for (size_t i = 0; i < CONF_SECTIONS; i++)
		check_rows(page, conf_sections[i].name, conf_sections[i].rows,
			   conf_sections[i].count);
	for (size_t i = 0; i < CONF_LISTS; i++)
		check_rows(page, conf_lists[i].name, conf_lists[i].rows, conf_lists[i].count);
}

/* Every example of the page must be a valid file. */
static void check_examples(void)
{
	static const char open[] = "\n.nf\n.RS\n", shut[] = ".RE\n.fi\n";
	CLEANUP_FREE char *page = read_page("armada.conf.5");
	char *at = strstr(page, ".SH EXAMPLES\n"), *stop;
	int count = 0;

	while (at && (at = strstr(at, open)) && (stop = strstr(at, shut))) {
		struct conf *c = NULL;
		struct err err = {0};

		*stop = '\0';
		is_int(conf_parse(&c, "example", at + strlen(open), &err), 0,
		       "example %d of the page is accepted %s", ++count, err.text);
		conf_free(c);
		at = stop + 1;
	}
	ok(count >= 2, "the page has examples");
}

int main(int argc, char **argv)
{
	bool writes = argc > 1 && strcmp(argv[1], "--write") == 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		(writes ? write_part : check_part)(&parts[i]);
	if (writes)
		return 0;
	check_page();
	check_examples();
	return done();
}

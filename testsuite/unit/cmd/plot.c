/*
 * The plot of shares: well-formed with any queue names, with no sample, one sample, gaps and many
 * queues.
 */
#include "cmd/ashare/plot.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US  INT64_C(1000000)
#define T0  (INT64_C(1800000000) * US)
#define DAY (86400 * US)

struct world {
	Armada__ShareSample list[4096], *samples[4096];
	char names[64][64];
	size_t count;
};

static void add(struct world *w, int64_t us, const char *queue, double cost, double weight)
{
	Armada__ShareSample *s = &w->list[w->count];

	armada__share_sample__init(s);
	s->time_us = us;
	s->queue = (char *)queue;
	s->cost = cost;
	s->capped = s->fair = 0.5;
	s->weight = weight;
	w->samples[w->count++] = s;
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

/* With an independent parser. */
static void check_xml(const struct buf *svg, const char *what)
{
	char path[] = "/tmp/armada-plot-XXXXXX", command[256];
	const char *keep = getenv("ARMADA_PLOT_KEEP");
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, svg->data, svg->len) != (ssize_t)svg->len)
		bail("%s", path);
	close(fd);
	if (system("command -v python3 >/dev/null") == 0) {
		snprintf(command, sizeof(command),
			 "python3 -c 'import sys,xml.dom.minidom as m; m.parse(sys.argv[1])' %s",
			 path);
		is_int(system(command), 0, "%s: it is XML", what);
	} else {
		skip("%s: it is XML: python3 is not installed: package python3", what);
	}
	if (keep) {
		snprintf(command, sizeof(command), "cp %s '%s/%s.svg'", path, keep, what);
		ok(system(command) == 0, "kept");
	}
	unlink(path);
}

static char *plot(struct world *w, int64_t from_us, int64_t until_us, const char *what)
{
	struct buf b = {0};

	plot_shares(w->samples, w->count, from_us, until_us, &b);
	check_xml(&b, what);
	buf_addf(&b, "%c", 0);
	ok(!strstr((char *)b.data, "nan") && !strstr((char *)b.data, "inf"), "%s: numbers are",
	   what);
	return (char *)buf_take(&b, NULL);
}

static void test_nothing(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg = plot(w, T0, T0 + DAY, "nothing");

	has_str(svg, "there are no samples of this time",
		"nothing: the plot has a text that there are no samples");
	free(svg);
	svg = plot(w, T0, T0, "no-time");
	free(svg);
	free(w);
}

static void test_one(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg;

	add(w, T0 + DAY / 2, "hpc", 0.5, 1);
	svg = plot(w, T0, T0 + DAY, "one");
	/* from the middle to the end, at the height of 30 % on an axis that ends at 60 % */
	has_str(svg, "<path class=\"l\" d=\"M408.0 96.0L760.0 96.0\"/>",
		"one: the line goes to the end");
	has_str(svg, ">60.0%<", "one: the axis has a round end");
	free(svg);
	free(w);
}

static void test_names(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg;

	add(w, T0, "<a&b>\"'\x01\x7f", 0.25, 1);
	add(w, T0, "]]>--><script>", 0.25, 1);
	add(w, T0, "r\xc3\xa4um", 0.5, 1);
	add(w, T0, "a-name-that-is-much-longer-than-the-legend", 0.5, 1);
	svg = plot(w, T0, T0 + DAY, "names");
	has_str(svg, "&lt;a&amp;b&gt;&quot;'??", "names: special characters are escaped");
	ok(!strstr(svg, "<script"), "names: a name is never an element");
	has_str(svg, "r\xc3\xa4um", "names: UTF-8 letters are unchanged");
	has_str(svg, "a-name-that-is-much-lo\xe2\x80\xa6<",
		"names: long names are cut in the legend");
	free(svg);
	free(w);
}

static void test_gaps(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg, *line;

	add(w, T0, "a", 0.2, 1);
	add(w, T0 + DAY / 4, "a", 0, 0);
	add(w, T0 + DAY / 2, "a", 0.4, 1);
	add(w, T0 + 3 * DAY / 4, "a", 0, 0);
	svg = plot(w, T0, T0 + DAY, "gaps");
	line = strstr(svg, "<path class=\"l\" d=\"");
	if (!line)
		bail("no line");
	*strstr(line, "/>") = '\0';
	is_int((long long)count_of(line, "M"), 2, "gaps: the line has two pieces (%s)", line);
	ok(!strstr(line, "760.0"), "gaps: the last piece ends where the queue left");
	free(svg);
	free(w);
}

static void test_many(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg, *all;

	for (int t = 0; t < 40; t++)
		for (int q = 0; q < 30; q++) {
			snprintf(w->names[q], sizeof(w->names[q]), "team-%02d", q);
			add(w, T0 + t * DAY / 40, w->names[q],
			    (double)((t * 7 + q * 13) % 30) / 400, 1);
		}
	svg = plot(w, T0, T0 + DAY, "many");
	is_int((long long)count_of(svg, "<g stroke="), 30, "many: there are 30 lines");
	is_int((long long)count_of(svg, "class=\"e\""), 0, "many: no line is dashed without need");
	all = svg;
	for (int a = 0, same = 0; a < 30; a++) {
		char style[128], *at = strstr(all, "<g stroke=");

		if (!at)
			bail("a line is missing");
		snprintf(style, sizeof(style), "%.*s", (int)(strchr(at, '>') - at), at);
		all = at + 1;
		same += strstr(all, style) && count_of(svg, style) > 1 && strstr(style, "dash");
		if (a == 29)
			is_int(same, 0, "many: no two lines look alike");
	}
	free(svg);
	w->count = 0;
	for (int q = 0; q < 64; q++) {
		snprintf(w->names[q], sizeof(w->names[q]), "q%02d", q);
		add(w, T0, w->names[q], (q + 1) / 100.0, 1);
	}
	svg = plot(w, T0, T0 + 7 * DAY, "too-many");
	has_str(svg, "and 4 more", "too many: the queues with the least use are counted");
	ok(!strstr(svg, ">q03<") && strstr(svg, ">q04<"), "too many: the other queues are shown");
	free(svg);
	free(w);
}

static void test_spans(void)
{
	static const struct {
		int64_t span_us;
		const char *label;
	} spans[] = {{30 * US, ":"}, {600 * US, ":"},  {DAY, "12:00"},
		     {7 * DAY, "-"}, {365 * DAY, "-"}, {INT64_C(4000) * DAY, "-"}};
	struct world *w = xcalloc(1, sizeof(*w));

	setenv("TZ", "UTC", 1);
	add(w, T0, "a", 1, 1);
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++) {
		char *svg = plot(w, T0, T0 + spans[i].span_us, "span");
		size_t ticks = count_of(svg, "class=\"m\"");

		ok(ticks >= 2 && ticks <= 10, "the axis has %zu ticks", ticks);
		has_str(svg, spans[i].label, "span %zu: the labels are right", i);
		free(svg);
	}
	free(w);
}

int main(void)
{
	test_nothing();
	test_one();
	test_names();
	test_gaps();
	test_many();
	test_spans();
	return done();
}

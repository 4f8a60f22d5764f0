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
	bool stacked;
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

/* A sample of this release: the mean of a span, and the level after it. */
static Armada__ShareSample *add_span(struct world *w, int64_t from_us, int64_t us,
				     const char *queue, double cost, double level)
{
	add(w, us, queue, cost, 1);
	w->samples[w->count - 1]->from_us = from_us;
	w->samples[w->count - 1]->level = level;
	w->samples[w->count - 1]->capped = 0;
	return w->samples[w->count - 1];
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

	plot_shares(w->samples, w->count, from_us, until_us, w->stacked, &b);
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
	has_str(svg, "<path class=\"l\" d=\"M416.0 96.0L760.0 96.0\"/>",
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

/* The axis has all of the time that was asked for, and all that is drawn is named. */
static void test_labels(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg;

	add(w, T0 + 3 * DAY / 4, "a", 0.5, 1);
	svg = plot(w, T0, T0 + DAY, "labels");
	has_str(svg, ">Share of the cluster</text>", "labels: the axis of shares has a name");
	has_str(svg, ">adjusted share</text>", "labels: the dashed line is in the legend");
	has_str(svg, "<path class=\"l\" d=\"M588.0 ",
		"labels: the line begins with the first sample, at three quarters");
	ok(!strstr(svg, "not known"), "labels: no band is drawn without need");
	free(svg);
	w->count = 0;
	add(w, T0 - DAY, "a", 0.5, 1);
	svg = plot(w, T0, T0 + DAY, "earlier");
	has_str(svg, "<path class=\"l\" d=\"M72.0 ",
		"earlier: a level from before the time begins with it");
	free(svg);
	free(w);
}

/* A short job is seen with its use: the span is as long as that of the sample. */
static void test_means(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg;

	add_span(w, T0 + DAY / 4, T0 + DAY / 2, "a", 0.3, 0)->weight = 0;
	svg = plot(w, T0, T0 + DAY, "means");
	has_str(svg, "<path class=\"l\" d=\"M244.0 124.0L416.0 124.0L416.0 376.0\"/>",
		"means: the line has the mean for the span, and nothing else");
	free(svg);
	w->count = 0;
	add_span(w, T0, T0, "a", 0.4, 0.4);
	add_span(w, T0 + DAY / 2, T0 + 3 * DAY / 4, "a", 0.2, 0.1);
	svg = plot(w, T0, T0 + DAY, "levels");
	has_str(svg,
		"<path class=\"l\" d=\"M72.0 40.0L416.0 40.0L416.0 208.0L588.0 208.0L588.0 292.0"
		"L760.0 292.0\"/>",
		"levels: the level lasts until the next span, whose mean follows");
	free(svg);
	free(w);
}

/* No line goes through the time in which no controller ran. */
static void test_unknown(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg;

	add_span(w, T0, T0 + DAY / 4, "a", 0.4, 0.4)->unknown_after = true;
	add_span(w, T0 + DAY / 2, T0 + 3 * DAY / 4, "a", 0.4, 0.4);
	svg = plot(w, T0, T0 + DAY, "unknown");
	has_str(svg, "d=\"M72.0 40.0L244.0 40.0M416.0 40.0L588.0 40.0L588.0 40.0L760.0 40.0\"",
		"unknown: the line is interrupted");
	has_str(svg, "<rect class=\"u\" x=\"244.0\" y=\"40\" width=\"172.0\"",
		"unknown: a band marks the time");
	has_str(svg, ">not known</text>", "unknown: the band is in the legend");
	free(svg);
	free(w);
}

static void test_stacked(void)
{
	struct world *w = xcalloc(1, sizeof(*w));
	char *svg, *low, *high;

	w->stacked = true;
	add(w, T0, "a", 0.25, 1);
	add_span(w, T0 + DAY / 2, T0 + DAY, "b", 0.5, 0.5);
	add(w, T0 + DAY / 2, "a", 0.5, 1);
	svg = plot(w, T0, T0 + DAY, "stacked");
	has_str(svg, ">100.0%<", "stacked: the axis ends above the sum");
	low = strstr(svg, "<title>b</title>");
	high = strstr(svg, "<title>a</title>");
	ok(low && high && low < high, "stacked: the first queue of the legend is on top");
	/* b is half of the cluster in the second half of the time, and a is above it */
	has_str(low ? low : "", "M72.0 376.0L73.0 376.0L415.0 376.0L416.0 376.0L416.0 208.0",
		"stacked: an area begins at the axis");
	has_str(high ? high : "", "M72.0 292.0L73.0 292.0L415.0 292.0L416.0 292.0L416.0 40.0",
		"stacked: the next area ends at the sum");
	ok(!strstr(svg, "adjusted share"), "stacked: no line is dashed");
	free(svg);
	w->count = 0;
	for (int q = 0; q < 64; q++) {
		snprintf(w->names[q], sizeof(w->names[q]), "q%02d", q);
		add(w, T0, w->names[q], 1.0 / 64, 1);
	}
	svg = plot(w, T0, T0 + DAY, "stacked-many");
	has_str(svg, "<title>others</title>",
		"stacked: queues that are not named count in the sum");
	has_str(svg, ">100.0%<", "stacked: the axis ends at the whole, not above");
	is_int((long long)count_of(svg, "class=\"a\" d="), 61, "stacked: there are 61 areas");
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
	test_labels();
	test_means();
	test_unknown();
	test_stacked();
	test_many();
	test_spans();
	return done();
}

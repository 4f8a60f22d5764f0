/*
 * Draws samples of queues as an SVG document.
 *
 * find_lines() makes one line for each queue, choose_lines() selects those that used most,
 * find_top() sets the scale; then the put_... functions write the axes, lines and legend. Numbers
 * are written with integer arithmetic, so that no locale changes them.
 */
#include "cmd/ashare/plot.h"

#include "util/mem.h"
#include "util/names.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define US INT64_C(1000000)

/* In pixels. */
enum {
	WIDTH = 960,
	LEFT = 56,
	RIGHT = 200, /* the legend */
	TOP = 40,
	BOTTOM = 44,
	HEIGHT_MIN = 420,
	LINE = 17, /* of the legend */
	TICKS_MAX = 8,
	LETTERS_MAX = 22, /* of a name in the legend */
	ADJUSTED_MAX = 6, /* with more queues the adjusted shares are not drawn */
};

/* Can be distinguished on light and dark pages, also by people with a colour vision deficiency. */
static const char *const colours[] = {
	"#3b82c4", "#d9772b", "#3f9e58", "#c8504f", "#8f6bc2",
	"#9a7055", "#cf6fb3", "#8a8f2a", "#2f9fae", "#b08a1e",
};
/* The dash pattern changes when the colours repeat. */
static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3", "12 4", "1 2"};

struct line {
	const char *queue;
	double area; /* the sum of its costs, to choose the lines */
	bool shown;
	size_t place; /* in the legend */
};

struct plot {
	Armada__ShareSample *const *samples;
	size_t count;
	int64_t from_us, until_us;
	struct line *lines; /* by name */
	size_t line_count, shown_count;
	double top; /* of the axis */
	int height;
	struct buf *out;
};

static int by_area(const void *a, const void *b)
{
	const struct line *x = *(const struct line *const *)a, *y = *(const struct line *const *)b;

	if (x->area != y->area)
		return x->area < y->area ? 1 : -1;
	return strcmp(x->queue, y->queue);
}

static void find_lines(struct plot *p)
{
	size_t n = 0;

	p->lines = xcalloc(p->count + 1, sizeof(*p->lines));
	for (size_t i = 0; i < p->count; i++)
		p->lines[i].queue = p->samples[i]->queue;
	qsort(p->lines, p->count, sizeof(*p->lines), names_compare);
	for (size_t i = 0; i < p->count; i++)
		if (!n || strcmp(p->lines[n - 1].queue, p->lines[i].queue) != 0)
			p->lines[n++] = p->lines[i];
	p->line_count = n;
}

static struct line *line_of(const struct plot *p, const char *queue)
{
	return bsearch(&queue, p->lines, p->line_count, sizeof(*p->lines), names_compare);
}

/* Selects the queues that used most; the legend is ordered by name. */
static void choose_lines(struct plot *p)
{
	CLEANUP_FREE struct line **order = xcalloc(p->line_count + 1, sizeof(*order));
	size_t place = 0;

	for (size_t i = 0; i < p->count; i++)
		if (isfinite(p->samples[i]->cost))
			line_of(p, p->samples[i]->queue)->area += p->samples[i]->cost + 1e-9;
	for (size_t i = 0; i < p->line_count; i++)
		order[i] = &p->lines[i];
	qsort(order, p->line_count, sizeof(struct line *), by_area);
	p->shown_count = p->line_count < PLOT_QUEUES ? p->line_count : PLOT_QUEUES;
	for (size_t i = 0; i < p->shown_count; i++)
		order[i]->shown = true;
	for (size_t i = 0; i < p->line_count; i++)
		p->lines[i].place = p->lines[i].shown ? place++ : 0;
}

static bool shows_adjusted(const struct plot *p)
{
	return p->shown_count <= ADJUSTED_MAX;
}

static double clean(double share)
{
	return isfinite(share) && share > 0 ? share : 0;
}

/* Ends the axis at a round number above all values that are shown. */
static void find_top(struct plot *p)
{
	static const double ends[] = {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1};
	double highest = 0;

	for (size_t i = 0; i < p->count; i++) {
		double cost = clean(p->samples[i]->cost), capped = clean(p->samples[i]->capped);

		if (!line_of(p, p->samples[i]->queue)->shown)
			continue;
		highest = fmax(highest, cost);
		if (shows_adjusted(p) && capped <= 1)
			highest = fmax(highest, capped);
	}
	p->top = fmin(ceil(highest), 1000);
	for (size_t i = sizeof(ends) / sizeof(ends[0]); i-- > 0;)
		if (highest <= ends[i])
			p->top = ends[i];
}

static double x_of(const struct plot *p, int64_t us)
{
	double part = (double)(us - p->from_us) / (double)(p->until_us - p->from_us);

	return LEFT + fmin(fmax(part, 0), 1) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct plot *p, double share)
{
	double part = fmin(clean(share) / p->top, 1);

	return p->height - BOTTOM - part * (p->height - TOP - BOTTOM);
}

/* Writes a coordinate with tenths and a point, in any locale. */
static void put(struct buf *out, double n)
{
	long tenths = lround(n * 10);

	buf_addf(out, "%ld.%ld", tenths / 10, tenths % 10);
}

static void put_pair(struct buf *out, char verb, double x, double y)
{
	buf_addf(out, "%c", verb);
	put(out, x);
	buf_addf(out, " ");
	put(out, y);
}

/* Writes at most max letters. Control characters become question marks; names are valid UTF-8. */
static void put_text(struct buf *out, const char *text, size_t max)
{
	size_t letters = 0;

	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if ((*c & 0xc0) != 0x80 && letters++ == max) {
			buf_addstr(out, "\xe2\x80\xa6");
			return;
		}
		if (*c == '&')
			buf_addstr(out, "&amp;");
		else if (*c == '<')
			buf_addstr(out, "&lt;");
		else if (*c == '>')
			buf_addstr(out, "&gt;");
		else if (*c == '"')
			buf_addstr(out, "&quot;");
		else
			buf_addf(out, "%c", *c < 0x20 || *c == 0x7f ? '?' : *c);
	}
}

static void put_style(struct buf *out, size_t place)
{
	const char *dash = dashes[place / ARRAY_SIZE(colours) % ARRAY_SIZE(dashes)];

	buf_addf(out, " stroke=\"%s\"", colours[place % ARRAY_SIZE(colours)]);
	if (*dash)
		buf_addf(out, " stroke-dasharray=\"%s\"", dash);
}

static void put_grid_line(const struct plot *p, double x, double y, double to_x, double to_y)
{
	buf_addstr(p->out, "<path class=\"g\" d=\"");
	put_pair(p->out, 'M', x, y);
	put_pair(p->out, 'L', to_x, to_y);
	buf_addstr(p->out, "\"/>\n");
}

static void put_shares_axis(const struct plot *p)
{
	for (int i = 0; i <= 4; i++) {
		double share = p->top * i / 4, y = y_of(p, share);

		put_grid_line(p, LEFT, y, WIDTH - RIGHT, y);
		buf_addstr(p->out, "<text class=\"r\" x=\"48\" y=\"");
		put(p->out, y + 4);
		buf_addstr(p->out, "\">");
		put(p->out, share * 100);
		buf_addstr(p->out, "%</text>\n");
	}
}

/* The smallest step that gives few enough ticks. */
static int64_t tick_step_s(const struct plot *p)
{
	static const int64_t steps[] = {
		1,    2,    5,     10,    30,    60,    120,    300,    600,     1200,    1800,
		3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000,
	};
	int64_t span_s = (p->until_us - p->from_us) / US;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (span_s / steps[i] <= TICKS_MAX)
			return steps[i];
	return (span_s / TICKS_MAX / 86400 + 1) * 86400;
}

/* Steps are counted from midnight of the time zone, so that labels are round numbers. */
static int64_t zone_offset_s(int64_t at_s)
{
	time_t t = (time_t)at_s;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

static void put_tick(const struct plot *p, int64_t at_s, int64_t step_s)
{
	time_t t = (time_t)at_s;
	double x = x_of(p, at_s * US);
	struct tm tm;
	char label[32];

	if (!localtime_r(&t, &tm) ||
	    !strftime(label, sizeof(label),
		      step_s >= 86400 || (!tm.tm_hour && !tm.tm_min && !tm.tm_sec) ? "%m-%d"
		      : step_s >= 60                                               ? "%H:%M"
										   : "%H:%M:%S",
		      &tm))
		return;
	put_grid_line(p, x, TOP, x, p->height - BOTTOM + 5);
	buf_addstr(p->out, "<text class=\"m\" x=\"");
	put(p->out, x);
	buf_addf(p->out, "\" y=\"%d\">%s</text>\n", p->height - BOTTOM + 20, label);
}

static void put_times(const struct plot *p)
{
	int64_t step_s = tick_step_s(p), from_s = p->from_us / US, until_s = p->until_us / US;
	int64_t zone_s = zone_offset_s(from_s);

	for (int64_t at_s = ((from_s + zone_s) / step_s + 1) * step_s - zone_s; at_s <= until_s;
	     at_s += step_s)
		put_tick(p, at_s, step_s);
}

/* A line from sample to sample, with a gap while the queue takes no part. */
static void put_course(const struct plot *p, const struct line *l, bool adjusted)
{
	double y = 0;
	bool on = false;

	for (size_t i = 0; i < p->count; i++) {
		const Armada__ShareSample *s = p->samples[i];
		double x = x_of(p, s->time_us), share = adjusted ? s->capped : s->cost;

		if (strcmp(s->queue, l->queue) != 0)
			continue;
		if (on) {
			put_pair(p->out, 'L', x, y);
			y = y_of(p, s->weight > 0 ? share : 0);
			put_pair(p->out, 'L', x, y);
		} else if (s->weight > 0) {
			y = y_of(p, share);
			put_pair(p->out, 'M', x, y);
		}
		on = s->weight > 0;
	}
	if (on)
		put_pair(p->out, 'L', WIDTH - RIGHT, y);
}

static void put_line(const struct plot *p, const struct line *l)
{
	buf_addstr(p->out, "<g");
	put_style(p->out, l->place);
	buf_addstr(p->out, "><title>");
	put_text(p->out, l->queue, SIZE_MAX);
	buf_addstr(p->out, "</title><path class=\"l\" d=\"");
	put_course(p, l, false);
	buf_addstr(p->out, "\"/>");
	if (shows_adjusted(p)) {
		buf_addstr(p->out, "<path class=\"e\" d=\"");
		put_course(p, l, true);
		buf_addstr(p->out, "\"/>");
	}
	buf_addstr(p->out, "</g>\n");
}

static void put_legend(const struct plot *p)
{
	int y = TOP + 6;

	for (size_t i = 0; i < p->line_count; i++) {
		if (!p->lines[i].shown)
			continue;
		buf_addf(p->out, "<path class=\"l\" d=\"M%d %dL%d %d\"", WIDTH - RIGHT + 16, y,
			 WIDTH - RIGHT + 40, y);
		put_style(p->out, p->lines[i].place);
		buf_addf(p->out, "/><text x=\"%d\" y=\"%d\">", WIDTH - RIGHT + 47, y + 4);
		put_text(p->out, p->lines[i].queue, LETTERS_MAX);
		buf_addstr(p->out, "</text>\n");
		y += LINE;
	}
	if (p->line_count > p->shown_count)
		buf_addf(p->out, "<text x=\"%d\" y=\"%d\">and %zu more</text>\n",
			 WIDTH - RIGHT + 16, y + 4, p->line_count - p->shown_count);
}

static void put_head(const struct plot *p)
{
	buf_addf(p->out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		 "viewBox=\"0 0 %d %d\" role=\"img\">\n"
		 "<title>Shares of the queues over time</title>\n"
		 "<style>text{font:12px sans-serif;fill:#808080}.r{text-anchor:end}"
		 ".m{text-anchor:middle}.g{stroke:#808080;stroke-opacity:.35;fill:none}"
		 ".l{fill:none;stroke-width:2;stroke-linejoin:round}"
		 ".e{fill:none;stroke-width:1;stroke-dasharray:3 4}</style>\n",
		 WIDTH, p->height, WIDTH, p->height);
}

static void put_caption(const struct plot *p)
{
	char from[32], until[32];
	time_t a = (time_t)(p->from_us / US), b = (time_t)(p->until_us / US);
	struct tm tm;

	if (!localtime_r(&a, &tm) || !strftime(from, sizeof(from), "%Y-%m-%d %H:%M", &tm) ||
	    !localtime_r(&b, &tm) || !strftime(until, sizeof(until), "%Y-%m-%d %H:%M %Z", &tm))
		return;
	buf_addf(p->out, "<text x=\"%d\" y=\"22\">Use of the cluster by queue, %s to %s%s</text>\n",
		 LEFT, from, until,
		 shows_adjusted(p) && p->line_count ? "; dashed: adjusted share" : "");
	if (!p->line_count)
		buf_addf(p->out,
			 "<text class=\"m\" x=\"%d\" y=\"%d\">there are no samples of this time"
			 "</text>\n",
			 (WIDTH - RIGHT + LEFT) / 2, p->height / 2);
}

void plot_shares(Armada__ShareSample *const *samples, size_t count, int64_t from_us,
		 int64_t until_us, struct buf *out)
{
	struct plot p = {.samples = samples,
			 .count = count,
			 .from_us = from_us,
			 .until_us = until_us > from_us + US ? until_us : from_us + US,
			 .out = out};

	find_lines(&p);
	choose_lines(&p);
	find_top(&p);
	p.height = TOP + BOTTOM + ((int)p.shown_count + 1) * LINE;
	p.height = p.height < HEIGHT_MIN ? HEIGHT_MIN : p.height;
	put_head(&p);
	put_caption(&p);
	put_shares_axis(&p);
	put_times(&p);
	for (size_t i = 0; i < p.line_count; i++)
		if (p.lines[i].shown)
			put_line(&p, &p.lines[i]);
	put_legend(&p);
	buf_addstr(out, "</svg>\n");
	free(p.lines);
}

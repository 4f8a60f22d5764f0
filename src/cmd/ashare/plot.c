/*
 * Draws samples of queues as an SVG document.
 *
 * find_lines() makes one line for each queue, choose_lines() selects those that used most,
 * find_top() sets the scale; then the put_... functions write the axes, lines and legend. A stacked
 * plot has, for each column of pixels, the mean use of each queue in the time of that column.
 * Numbers are written with integer arithmetic, so that no locale changes them.
 */
#include "cmd/ashare/plot.h"

#include "cmd/ashare/course.h"

#include "util/mem.h"
#include "util/names.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define US INT64_C(1000000)

/* In pixels. */
enum {
	WIDTH = 960,
	LEFT = 72,
	RIGHT = 200, /* the legend */
	TOP = 40,
	BOTTOM = 44,
	HEIGHT_MIN = 420,
	LINE = 17, /* of the legend */
	TICKS_MAX = 8,
	LETTERS_MAX = 22, /* of a name in the legend */
	ADJUSTED_MAX = 6, /* with more queues the adjusted shares are not drawn */
	COLUMNS = WIDTH - LEFT - RIGHT,
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
	Armada__ShareSample *const *samples; /* its own, by time */
	size_t count;
	double area; /* its use multiplied by the time, to choose the lines */
	bool shown;
	size_t place; /* in the legend */
};

/* The height of the stack so far in each column. */
struct stack {
	double below[COLUMNS], top[COLUMNS];
};

/* Times that are not known, in order. */
struct unknown {
	struct span {
		int64_t from_us, until_us;
	} * list;
	size_t count, cap;
};

struct plot {
	Armada__ShareSample **samples; /* by queue, then by time */
	size_t count;
	int64_t from_us, until_us;
	struct line *lines; /* by name */
	size_t line_count, shown_count;
	struct unknown unknown;
	struct stack *stack; /* NULL: lines */
	double top;          /* of the axis */
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

static int by_queue(const void *a, const void *b)
{
	const Armada__ShareSample *x = *(Armada__ShareSample *const *)a,
				  *y = *(Armada__ShareSample *const *)b;
	int order = strcmp(x->queue, y->queue);

	return order ? order : x->time_us < y->time_us ? -1 : x->time_us > y->time_us;
}

static void find_lines(struct plot *p)
{
	p->lines = xcalloc(p->count + 1, sizeof(*p->lines));
	qsort(p->samples, p->count, sizeof(*p->samples), by_queue);
	for (size_t i = 0; i < p->count; i++) {
		struct line *l = p->line_count ? &p->lines[p->line_count - 1] : NULL;

		if (!l || strcmp(l->queue, p->samples[i]->queue) != 0) {
			l = &p->lines[p->line_count++];
			*l = (struct line){.queue = p->samples[i]->queue,
					   .samples = &p->samples[i]};
		}
		l->count++;
	}
}

static void walk(const struct plot *p, const struct line *l, piece_fn *fn, void *arg)
{
	course_walk(l->samples, l->count, p->from_us, p->until_us, fn, arg);
}

static void add_area(void *arg, int64_t from_us, int64_t until_us, enum piece_kind kind,
		     double value)
{
	struct line *l = arg;

	if (kind == PIECE_USE)
		l->area += (value + 1e-9) * (double)(until_us - from_us);
}

/* Selects the queues that used most; the legend is ordered by name. */
static void choose_lines(struct plot *p)
{
	CLEANUP_FREE struct line **order = xcalloc(p->line_count + 1, sizeof(*order));
	size_t place = 0;

	for (size_t i = 0; i < p->line_count; i++) {
		order[i] = &p->lines[i];
		walk(p, &p->lines[i], add_area, &p->lines[i]);
	}
	qsort(order, p->line_count, sizeof(struct line *), by_area);
	p->shown_count = p->line_count < PLOT_QUEUES ? p->line_count : PLOT_QUEUES;
	for (size_t i = 0; i < p->shown_count; i++)
		order[i]->shown = true;
	for (size_t i = 0; i < p->line_count; i++)
		p->lines[i].place = p->lines[i].shown ? place++ : 0;
}

static void add_unknown(void *arg, int64_t from_us, int64_t until_us, enum piece_kind kind,
			double value)
{
	struct unknown *u = arg;

	(void)value;
	if (kind != PIECE_UNKNOWN)
		return;
	GROW(u->list, u->cap, u->count + 1);
	u->list[u->count++] = (struct span){from_us, until_us};
}

static int by_time(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->from_us < y->from_us ? -1 : x->from_us > y->from_us;
}

/*
 * The times for which no controller ran are those after samples that say so. Before its first sample
 * a queue is left out: most likely there was nothing to tell of it.
 */
static void find_unknown(struct plot *p)
{
	struct unknown *u = &p->unknown;
	size_t n = 0;

	for (size_t i = 0; i < p->line_count; i++)
		course_walk(p->lines[i].samples, p->lines[i].count, p->lines[i].samples[0]->time_us,
			    p->until_us, add_unknown, u);
	if (u->count)
		qsort(u->list, u->count, sizeof(*u->list), by_time);
	for (size_t i = 0; i < u->count; i++) {
		struct span *last = n ? &u->list[n - 1] : NULL;

		if (!last || u->list[i].from_us > last->until_us)
			u->list[n++] = u->list[i];
		else if (u->list[i].until_us > last->until_us)
			last->until_us = u->list[i].until_us;
	}
	u->count = n;
}

static bool shows_adjusted(const struct plot *p)
{
	return !p->stack && p->shown_count <= ADJUSTED_MAX;
}

static void find_highest(void *arg, int64_t from_us, int64_t until_us, enum piece_kind kind,
			 double value)
{
	double *highest = arg;

	(void)from_us;
	(void)until_us;
	if (kind == PIECE_USE)
		*highest = fmax(*highest, value);
}

static double highest_line(const struct plot *p)
{
	double highest = 0;

	for (size_t i = 0; i < p->line_count; i++) {
		const struct line *l = &p->lines[i];

		if (!l->shown)
			continue;
		walk(p, l, find_highest, &highest);
		for (size_t k = 0; shows_adjusted(p) && k < l->count; k++)
			if (course_share(l->samples[k]->capped) <= 1)
				highest = fmax(highest, course_share(l->samples[k]->capped));
	}
	return highest;
}

struct adding {
	const struct plot *plot;
	double *heights;
};

/* Adds the part of the piece that lies in each column. */
static void add_heights(void *arg, int64_t from_us, int64_t until_us, enum piece_kind kind,
			double value)
{
	const struct adding *a = arg;
	double from = (double)(from_us - a->plot->from_us),
	       until = (double)(until_us - a->plot->from_us),
	       column = (double)(a->plot->until_us - a->plot->from_us) / COLUMNS;

	for (size_t i = (size_t)(from / column);
	     kind == PIECE_USE && i < COLUMNS && (double)i * column < until; i++)
		a->heights[i] +=
			value *
			fmax(fmin(until, (double)(i + 1) * column) - fmax(from, (double)i * column),
			     0) /
			column;
}

static void stack_up(struct plot *p, const struct line *l)
{
	struct adding a = {p, p->stack->top};

	walk(p, l, add_heights, &a);
}

static double highest_stack(struct plot *p)
{
	double highest = 0;

	for (size_t i = 0; i < p->line_count; i++)
		stack_up(p, &p->lines[i]);
	for (size_t i = 0; i < COLUMNS; i++)
		highest = fmax(highest, p->stack->top[i]);
	memset(p->stack, 0, sizeof(*p->stack));
	return highest;
}

/* Ends the axis at a round number above all values that are shown. */
static void find_top(struct plot *p)
{
	static const double ends[] = {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1};
	double highest = p->stack ? highest_stack(p) : highest_line(p);

	highest *= 1 - 1e-9; /* a sum of parts may be a little more than 1 */
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
	double part = fmin(course_share(share) / p->top, 1);

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
		buf_addf(p->out, "<text class=\"r\" x=\"%d\" y=\"", LEFT - 8);
		put(p->out, y + 4);
		buf_addstr(p->out, "\">");
		put(p->out, share * 100);
		buf_addstr(p->out, "%</text>\n");
	}
	buf_addf(p->out,
		 "<text class=\"m\" transform=\"translate(18 %d) rotate(-90)\">Share of the "
		 "cluster</text>\n",
		 (p->height + TOP - BOTTOM) / 2);
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

/* A line that is being drawn. */
struct pen {
	const struct plot *plot;
	bool down;
};

/* A level until the next one; the line is interrupted while the queue takes no part. */
static void put_piece(void *arg, int64_t from_us, int64_t until_us, enum piece_kind kind,
		      double value)
{
	struct pen *pen = arg;
	const struct plot *p = pen->plot;
	double y = y_of(p, value), x = x_of(p, from_us);

	if (kind == PIECE_USE) {
		put_pair(p->out, pen->down ? 'L' : 'M', x, y);
		put_pair(p->out, 'L', x_of(p, until_us), y);
	} else if (kind == PIECE_ABSENT && pen->down) {
		put_pair(p->out, 'L', x, y);
	}
	pen->down = kind == PIECE_USE;
}

static void put_adjusted(const struct plot *p, const struct line *l)
{
	struct pen pen = {.plot = p};

	for (size_t i = 0; i < l->count; i++) {
		const Armada__ShareSample *s = l->samples[i];
		int64_t until_us = i + 1 < l->count ? l->samples[i + 1]->time_us : p->until_us;

		if (until_us <= p->from_us)
			continue;
		put_piece(&pen, s->time_us, until_us,
			  s->unknown_after ? PIECE_UNKNOWN
			  : s->weight > 0  ? PIECE_USE
					   : PIECE_ABSENT,
			  course_share(s->capped));
	}
}

static void put_line(const struct plot *p, const struct line *l)
{
	buf_addstr(p->out, "<g");
	put_style(p->out, l->place);
	buf_addstr(p->out, "><title>");
	put_text(p->out, l->queue, SIZE_MAX);
	buf_addstr(p->out, "</title><path class=\"l\" d=\"");
	walk(p, l, put_piece, &(struct pen){.plot = p});
	buf_addstr(p->out, "\"/>");
	if (shows_adjusted(p)) {
		buf_addstr(p->out, "<path class=\"e\" d=\"");
		put_adjusted(p, l);
		buf_addstr(p->out, "\"/>");
	}
	buf_addstr(p->out, "</g>\n");
}

static bool looks_equal(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

/* The heights of the stack from left to right, or back. */
static void put_heights(const struct plot *p, const double *heights, bool back)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t at = back ? COLUMNS - 1 - i : i;
		double y = y_of(p, heights[at]);

		if (i && i + 1 < COLUMNS && looks_equal(heights[at], heights[at - 1]) &&
		    looks_equal(heights[at], heights[at + 1]))
			continue; /* within a level */
		put_pair(p->out, i || back ? 'L' : 'M', LEFT + (double)at + back, y);
		put_pair(p->out, 'L', LEFT + (double)at + !back, y);
	}
}

/* The area between the stack so far and the stack with one more. */
static void put_area(struct plot *p, const char *colour, const char *name)
{
	buf_addf(p->out, "<g fill=\"%s\"><title>", colour);
	put_text(p->out, name, SIZE_MAX);
	buf_addstr(p->out, "</title><path class=\"a\" d=\"");
	put_heights(p, p->stack->top, false);
	put_heights(p, p->stack->below, true);
	buf_addstr(p->out, "Z\"/></g>\n");
	memcpy(p->stack->below, p->stack->top, sizeof(p->stack->below));
}

static const char *colour_of(const struct line *l)
{
	return colours[l->place % ARRAY_SIZE(colours)];
}

/* The queues in the order of the legend, from the top; all that are not shown are at the bottom. */
static void put_stack(struct plot *p)
{
	for (size_t i = 0; i < p->line_count; i++)
		if (!p->lines[i].shown)
			stack_up(p, &p->lines[i]);
	if (p->line_count > p->shown_count)
		put_area(p, "#808080", "others");
	for (size_t i = p->line_count; i-- > 0;) {
		if (!p->lines[i].shown)
			continue;
		stack_up(p, &p->lines[i]);
		put_area(p, colour_of(&p->lines[i]), p->lines[i].queue);
	}
}

static void put_unknown(const struct plot *p)
{
	for (size_t i = 0; i < p->unknown.count; i++) {
		double x = x_of(p, p->unknown.list[i].from_us);

		buf_addstr(p->out, "<rect class=\"u\" x=\"");
		put(p->out, x);
		buf_addf(p->out, "\" y=\"%d\" width=\"", TOP);
		put(p->out, fmax(x_of(p, p->unknown.list[i].until_us) - x, 1));
		buf_addf(p->out,
			 "\" height=\"%d\"><title>not known: no controller ran</title></rect>\n",
			 p->height - TOP - BOTTOM);
	}
}

static void put_legend_text(const struct plot *p, int y, const char *text)
{
	buf_addf(p->out, "<text x=\"%d\" y=\"%d\">", WIDTH - RIGHT + 47, y + 4);
	put_text(p->out, text, LETTERS_MAX);
	buf_addstr(p->out, "</text>\n");
}

static void put_legend_line(const struct plot *p, const struct line *l, int y)
{
	if (p->stack) {
		buf_addf(p->out,
			 "<rect class=\"a\" x=\"%d\" y=\"%d\" width=\"24\" height=\"10\" "
			 "fill=\"%s\"/>",
			 WIDTH - RIGHT + 16, y - 5, colour_of(l));
	} else {
		buf_addf(p->out, "<path class=\"l\" d=\"M%d %dL%d %d\"", WIDTH - RIGHT + 16, y,
			 WIDTH - RIGHT + 40, y);
		put_style(p->out, l->place);
		buf_addstr(p->out, "/>");
	}
	put_legend_text(p, y, l->queue);
}

static void put_legend(const struct plot *p)
{
	int y = TOP + 6;

	for (size_t i = 0; i < p->line_count; i++) {
		if (!p->lines[i].shown)
			continue;
		put_legend_line(p, &p->lines[i], y);
		y += LINE;
	}
	if (p->line_count > p->shown_count) {
		buf_addf(p->out, "<text x=\"%d\" y=\"%d\">and %zu more</text>\n",
			 WIDTH - RIGHT + 16, y + 4, p->line_count - p->shown_count);
		y += LINE;
	}
	if (shows_adjusted(p) && p->line_count) {
		buf_addf(p->out, "<path class=\"e\" stroke=\"#808080\" d=\"M%d %dL%d %d\"/>",
			 WIDTH - RIGHT + 16, y, WIDTH - RIGHT + 40, y);
		put_legend_text(p, y, "adjusted share");
		y += LINE;
	}
	if (p->unknown.count) {
		buf_addf(p->out, "<rect class=\"u\" x=\"%d\" y=\"%d\" width=\"24\" height=\"10\"/>",
			 WIDTH - RIGHT + 16, y - 5);
		put_legend_text(p, y, "not known");
	}
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
		 ".e{fill:none;stroke-width:1;stroke-dasharray:3 4}"
		 ".a{fill-opacity:.85;stroke:#808080;stroke-opacity:.5;stroke-width:.5}"
		 ".u{fill:#808080;fill-opacity:.25}</style>\n",
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
	buf_addf(p->out, "<text x=\"%d\" y=\"22\">Use of the cluster by queue%s, %s to %s</text>\n",
		 LEFT, p->stack ? ", stacked" : "", from, until);
	if (!p->line_count)
		buf_addf(p->out,
			 "<text class=\"m\" x=\"%d\" y=\"%d\">there are no samples of this time"
			 "</text>\n",
			 (WIDTH - RIGHT + LEFT) / 2, p->height / 2);
}

void plot_shares(Armada__ShareSample *const *samples, size_t count, int64_t from_us,
		 int64_t until_us, bool stacked, struct buf *out)
{
	CLEANUP_FREE struct stack *stack = stacked ? xcalloc(1, sizeof(*stack)) : NULL;
	struct plot p = {.samples = xmalloc((count + 1) * sizeof(*samples)),
			 .count = count,
			 .from_us = from_us,
			 .until_us = until_us > from_us + US ? until_us : from_us + US,
			 .stack = stack,
			 .out = out};

	if (count)
		memcpy(p.samples, samples, count * sizeof(*samples));
	find_lines(&p);
	choose_lines(&p);
	find_unknown(&p);
	find_top(&p);
	p.height = TOP + BOTTOM + ((int)p.shown_count + 3) * LINE;
	p.height = p.height < HEIGHT_MIN ? HEIGHT_MIN : p.height;
	put_head(&p);
	put_caption(&p);
	put_shares_axis(&p);
	put_times(&p);
	put_unknown(&p);
	if (stacked)
		put_stack(&p);
	for (size_t i = 0; i < p.line_count && !stacked; i++)
		if (p.lines[i].shown)
			put_line(&p, &p.lines[i]);
	put_legend(&p);
	buf_addstr(out, "</svg>\n");
	free(p.lines);
	free(p.samples);
	free(p.unknown.list);
}

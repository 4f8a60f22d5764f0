/* The queue of events, the numbers of the seed, and the trace (world.h). */
#include "asim/replicated/world.h"
#include "util/heap.h"
#include "util/splitmix.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SLOW_ONE_IN = 50 };
#define BEFORE (x->at_us < y->at_us || (x->at_us == y->at_us && x->order < y->order))

uint64_t world_random(struct world *w, uint64_t below)
{
	return splitmix_next(&w->rng) % below;
}

int64_t world_latency_us(struct world *w)
{
	return 100 + (int64_t)world_random(w, world_random(w, SLOW_ONE_IN) ? 400 : 20000);
}

void world_cut(struct world *w, int a, int b, bool on)
{
	if (w->cut[a][b] == on)
		return;
	w->cut[a][b] = w->cut[b][a] = on;
	w->cut_us[a][b] = w->cut_us[b][a] = w->now_us;
}

void world_plan(struct world *w, int64_t in_us, world_event_fn *fn, void *arg, uint64_t number)
{
	GROW(w->events, w->event_cap, w->event_count + 1);
	w->events[w->event_count] = (struct world_event){.at_us = w->now_us + in_us,
							 .order = w->order++,
							 .fn = fn,
							 .arg = arg,
							 .number = number};
	HEAP_RISE(w->events, w->event_count, BEFORE);
	w->event_count++;
}

bool world_step(struct world *w)
{
	struct world_event e;

	if (!w->event_count)
		return false;
	e = w->events[0];
	w->events[0] = w->events[--w->event_count];
	if (w->event_count)
		HEAP_SINK(w->events, w->event_count, 0, BEFORE);
	if (e.at_us > w->now_us)
		w->now_us = e.at_us;
	e.fn(w, e.arg, e.number);
	return true;
}

void world_trace(struct world *w, const char *fmt, ...)
{
	char *line = w->lines[w->line_count++ % TRACE_LINES];
	int n = snprintf(line, LINE_BYTES, "%.6f ", (double)w->now_us / 1e6);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, LINE_BYTES - (size_t)n, fmt, ap);
	va_end(ap);
	for (const char *c = line; *c; c++)
		w->hash = splitmix_mix(w->hash ^ (uint8_t)*c);
	if (w->opt->verbose)
		printf("%s\n", line);
}

void world_violate(struct world *w, const char *fmt, ...)
{
	va_list ap;

	if (w->violation[0])
		return;
	va_start(ap, fmt);
	vsnprintf(w->violation, sizeof(w->violation), fmt, ap);
	va_end(ap);
	world_trace(w, "VIOLATION: %s", w->violation);
}

/*
 * State that all parts of a storm share: the random numbers of the seed, the planned events, and
 * the trace. Each line of the trace enters the hash of the run.
 */
#include "asim/storm/storm.h"
#include "util/splitmix.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TRACE_KEPT = 6000 };

uint64_t storm_random(struct storm *s, uint64_t below)
{
	uint64_t z = splitmix_next(&s->rng);

	return below ? z % below : 0;
}

bool storm_fault(struct storm *s, uint64_t in)
{
	return storm_random(s, in) == 0 && s->faults;
}

void storm_plan(struct storm *s, int64_t in_us, struct sim_event ev)
{
	ev.at_us = s->now_us + in_us;
	sim_event_put(&s->events, &ev);
}

void storm_trace(struct storm *s, const char *fmt, ...)
{
	char text[600];
	uint8_t both[64];
	va_list ap;
	int n = snprintf(text, sizeof(text), "%8" PRIu64 " %10.3f ", s->step, s->now_us / 1e6);

	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	va_end(ap);
	memcpy(both, s->log.hash, 32);
	crypto_generichash(both + 32, 32, (uint8_t *)text, strlen(text), NULL, 0);
	crypto_generichash(s->log.hash, 32, both, sizeof(both), NULL, 0);
	if (s->opt->verbose)
		printf("%s\n", text);
	if (s->log.trace.len > 2 * TRACE_KEPT)
		buf_drop(&s->log.trace, s->log.trace.len - TRACE_KEPT);
	buf_addf(&s->log.trace, "%s\n", text);
}

void storm_violate(struct storm *s, const char *fmt, ...)
{
	va_list ap;

	if (s->log.violation[0])
		return;
	va_start(ap, fmt);
	vsnprintf(s->log.violation, sizeof(s->log.violation), fmt, ap);
	va_end(ap);
}

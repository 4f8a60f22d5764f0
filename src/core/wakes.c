/* Who is to be looked at, and when: a binary heap by time, then by id. Each knows its place. */
#include "core/depend.h"
#include "util/mem.h"

static bool comes_first(const struct depend *a, const struct depend *b)
{
	return a->wake_us != b->wake_us ? a->wake_us < b->wake_us : a->job->id < b->job->id;
}

/* Places count from 1. */
static void put(struct core *c, struct depend *d, uint32_t place)
{
	c->wakes[place - 1] = d;
	d->place = place;
}

static void rise(struct core *c, struct depend *d)
{
	uint32_t at = d->place;

	while (at > 1 && comes_first(d, c->wakes[at / 2 - 1])) {
		put(c, c->wakes[at / 2 - 1], at);
		at /= 2;
	}
	put(c, d, at);
}

static void sink(struct core *c, struct depend *d)
{
	uint32_t at = d->place;

	for (;;) {
		uint32_t next = 2 * at;

		if (next + 1 <= c->wake_count && comes_first(c->wakes[next], c->wakes[next - 1]))
			next++;
		if (next > c->wake_count || comes_first(d, c->wakes[next - 1]))
			break;
		put(c, c->wakes[next - 1], at);
		at = next;
	}
	put(c, d, at);
}

void wake_cancel(struct core *c, struct depend *d)
{
	struct depend *last;
	uint32_t at = d->place;

	if (!at)
		return;
	last = c->wakes[--c->wake_count];
	d->place = 0;
	if (last == d)
		return;
	put(c, last, at);
	rise(c, last);
	sink(c, last);
}

void wake_at(struct core *c, struct depend *d, int64_t at_us)
{
	if (d->place && d->wake_us == at_us)
		return;
	wake_cancel(c, d);
	d->wake_us = at_us;
	GROW(c->wakes, c->wake_cap, c->wake_count + 1);
	c->wake_count++;
	put(c, d, (uint32_t)c->wake_count);
	rise(c, d);
}

struct depend *wake_next(struct core *c, int64_t now_us)
{
	struct depend *d = c->wake_count ? c->wakes[0] : NULL;

	if (!d || d->wake_us > now_us)
		return NULL;
	wake_cancel(c, d);
	return d;
}

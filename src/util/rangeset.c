/*
 * Sets of numbers as sorted arrays of ranges (rangeset.h). Each change finds its place by binary
 * search and replaces the ranges that it touches. Intersection and subtraction of two sets merge
 * their arrays in one pass.
 */
#include "util/rangeset.h"
#include "util/bisect.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

void rangeset_done(struct rangeset *s)
{
	free(s->ranges);
	*s = (struct rangeset){0};
}

void rangeset_clear(struct rangeset *s)
{
	s->count = 0;
	s->total = 0;
}

/* The first range whose hi is not below n. */
static size_t find(const struct rangeset *s, uint32_t n)
{
	return BISECT(0, s->count, i, s->ranges[i].hi < n);
}

static uint64_t width(struct range r)
{
	return (uint64_t)r.hi - r.lo + 1;
}

/* Replace ranges [at, at + old) by n new ones. */
static void splice(struct rangeset *s, size_t at, size_t old, const struct range *with, size_t n)
{
	for (size_t i = 0; i < old; i++)
		s->total -= width(s->ranges[at + i]);
	GROW(s->ranges, s->cap, s->count - old + n);
	memmove(s->ranges + at + n, s->ranges + at + old,
		(s->count - at - old) * sizeof(*s->ranges));
	for (size_t i = 0; i < n; i++) {
		s->ranges[at + i] = with[i];
		s->total += width(with[i]);
	}
	s->count = s->count - old + n;
}

void rangeset_add(struct rangeset *s, uint32_t lo, uint32_t hi)
{
	struct range r = {lo, hi};
	size_t at, end;

	assert(lo <= hi);
	at = find(s, lo ? lo - 1 : 0);
	for (end = at; end < s->count; end++) {
		if (hi != UINT32_MAX && s->ranges[end].lo > hi + 1)
			break;
		if (s->ranges[end].lo < r.lo)
			r.lo = s->ranges[end].lo;
		if (s->ranges[end].hi > r.hi)
			r.hi = s->ranges[end].hi;
	}
	splice(s, at, end - at, &r, 1);
}

uint64_t rangeset_remove(struct rangeset *s, uint32_t lo, uint32_t hi)
{
	struct range left[2];
	uint64_t before = s->total;
	size_t at, end, n = 0;

	assert(lo <= hi);
	at = find(s, lo);
	for (end = at; end < s->count && s->ranges[end].lo <= hi; end++)
		;
	if (end == at)
		return 0;
	if (s->ranges[at].lo < lo)
		left[n++] = (struct range){s->ranges[at].lo, lo - 1};
	if (s->ranges[end - 1].hi > hi)
		left[n++] = (struct range){hi + 1, s->ranges[end - 1].hi};
	splice(s, at, end - at, left, n);
	return before - s->total;
}

bool rangeset_contains(const struct rangeset *s, uint32_t n)
{
	size_t at = find(s, n);

	return at < s->count && s->ranges[at].lo <= n;
}

uint32_t rangeset_first(const struct rangeset *s)
{
	assert(s->count);
	return s->ranges[0].lo;
}

void rangeset_copy(struct rangeset *to, const struct rangeset *from)
{
	rangeset_clear(to);
	if (from->count)
		splice(to, 0, 0, from->ranges, from->count);
}

bool rangeset_equal(const struct rangeset *a, const struct rangeset *b)
{
	return a->count == b->count &&
	       (!a->count || memcmp(a->ranges, b->ranges, a->count * sizeof(*a->ranges)) == 0);
}

void rangeset_intersect(struct rangeset *s, const struct rangeset *with)
{
	struct rangeset both = {0};

	for (size_t i = 0, k = 0; i < s->count && k < with->count;) {
		struct range a = s->ranges[i], b = with->ranges[k];
		uint32_t lo = a.lo > b.lo ? a.lo : b.lo, hi = a.hi < b.hi ? a.hi : b.hi;

		if (lo <= hi)
			rangeset_add(&both, lo, hi);
		if (a.hi < b.hi)
			i++;
		else
			k++;
	}
	rangeset_done(s);
	*s = both;
}

bool rangeset_keep_last(struct rangeset *s, size_t ranges)
{
	size_t drop = s->count > ranges ? s->count - ranges : 0;

	if (drop)
		splice(s, 0, drop, NULL, 0);
	return drop > 0;
}

void rangeset_subtract(struct rangeset *s, const struct rangeset *what)
{
	struct rangeset left = {0};

	for (size_t i = 0, k = 0; i < s->count; i++) {
		struct range r = s->ranges[i];
		uint64_t lo = r.lo;

		while (k < what->count && what->ranges[k].hi < lo)
			k++;
		for (; k < what->count && what->ranges[k].lo <= r.hi; k++) {
			if (what->ranges[k].lo > lo)
				rangeset_add(&left, lo, what->ranges[k].lo - 1);
			lo = (uint64_t)what->ranges[k].hi + 1;
			if (lo > r.hi)
				break; /* it may reach into the next */
		}
		if (lo <= r.hi)
			rangeset_add(&left, lo, r.hi);
	}
	rangeset_done(s);
	*s = left;
}

void rangeset_unite(struct rangeset *s, const struct rangeset *with)
{
	struct rangeset all = {0};

	for (size_t i = 0, k = 0; i < s->count || k < with->count;) {
		bool ours =
			k == with->count || (i < s->count && s->ranges[i].lo <= with->ranges[k].lo);
		struct range r = ours ? s->ranges[i++] : with->ranges[k++];

		rangeset_add(&all, r.lo, r.hi);
	}
	rangeset_done(s);
	*s = all;
}

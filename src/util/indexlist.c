/*
 * The parser of array expressions (indexlist.h). Input: text such as "0,5,7-9" or "1-1000%20", and the
 * number of indices that are allowed. Output: ranges with steps, or an error that names the place and what
 * is expected there.
 */
#include "util/indexlist.h"
#include "util/mem.h"

#include <errno.h>

/*
 * Ranges with steps may interleave without a common index ("0-98:2,1-99:2"). Pairs of ranges are compared to
 * find a common one; an expression that needs more comparisons than this is refused.
 */
enum { PAIRS_MAX = 1000000 };

static const char help[] = "expected indices such as 1-1000, 0,5,7-9 or 0-100:4, and %N to limit "
			   "how many run at once";

static int refuse(const char *text, const char *at, struct err *err)
{
	if (!*at)
		return err_set(err, -EINVAL, "array '%.64s' ends too early: %s", text, help);
	return err_set(err, -EINVAL, "array '%.64s' is not understood at '%.16s': %s", text, at,
		       help);
}

/* Reads a number at *p and moves it behind the number. */
static int take_number(const char **p, uint32_t *ret)
{
	uint32_t n = 0;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	for (; **p >= '0' && **p <= '9'; (*p)++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, **p - '0', &n))
			return -ERANGE;
	*ret = n;
	return 0;
}

/* "3", "1-9" or "0-100:4" at *p. */
static int take_range(const char *text, const char **p, struct index_range *ret, struct err *err)
{
	struct index_range r = {.step = 1};
	const char *start = *p;
	int rc = take_number(p, &r.first);

	r.last = r.first;
	if (!rc && **p == '-') {
		(*p)++;
		rc = take_number(p, &r.last);
		if (!rc && **p == ':') {
			(*p)++;
			rc = take_number(p, &r.step);
		}
	}
	if (rc == -ERANGE)
		return err_set(err, rc, "array '%.64s': '%.16s' is too large", text, start);
	if (rc)
		return refuse(text, *p, err);
	if (r.last < r.first)
		return err_set(err, -EINVAL, "array '%.64s': the range %u-%u runs backwards", text,
			       r.first, r.last);
	if (!r.step)
		return err_set(err, -EINVAL, "array '%.64s': the step must not be 0", text);
	r.last -= (r.last - r.first) % r.step;
	if (r.first == r.last)
		r.step = 1;
	*ret = r;
	return 0;
}

static uint64_t range_count(const struct index_range *r)
{
	return ((uint64_t)r->last - r->first) / r->step + 1;
}

/* The inverse of a modulo m, both below 2^32 and without a common factor; m > 1. */
static int64_t inverse(int64_t a, int64_t m)
{
	int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;

	while (r1) {
		int64_t q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;

		r0 = r1;
		r1 = r;
		t0 = t1;
		t1 = t;
	}
	return t0 < 0 ? t0 + m : t0;
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/*
 * Do two progressions share a number? a->first <= b->first. Chinese remainder theorem: count the
 * steps of a up to the first number that is also congruent to b's.
 */
static bool meet(const struct index_range *a, const struct index_range *b, uint32_t *ret_index)
{
	int64_t g = gcd(a->step, b->step), distance = (int64_t)b->first - a->first;
	int64_t m = b->step / g;
	__int128 x, period;
	uint32_t end = a->last < b->last ? a->last : b->last;

	if (distance % g)
		return false;
	/* a.first + k * a.step = b.first (mod b.step), so k = distance / a.step (mod m) */
	x = m == 1 ? 0 : (__int128)(distance / g % m) * inverse((int64_t)(a->step / g) % m, m) % m;
	x = a->first + x * a->step;
	period = (__int128)m * a->step;
	if (x < b->first)
		x += (b->first - x + period - 1) / period * period;
	if (x > end)
		return false;
	*ret_index = (uint32_t)x;
	return true;
}

static int by_first(const void *va, const void *vb)
{
	const struct index_range *a = va, *b = vb;

	return a->first < b->first ? -1 : a->first > b->first;
}

static int check_overlap(const char *text, const struct index_range *r, size_t count,
			 struct err *err)
{
	size_t pairs = 0;
	uint32_t twice;

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count && r[j].first <= r[i].last; j++) {
			if (meet(&r[i], &r[j], &twice))
				return err_set(err, -EINVAL, "array '%.64s' names index %u twice",
					       text, twice);
			if (++pairs > PAIRS_MAX)
				return err_set(err, -E2BIG,
					       "array '%.64s' interleaves too many ranges", text);
		}
	return 0;
}

/* "%20" at p, the last thing in the text. */
static int take_throttle(const char *text, const char *p, uint32_t *ret, struct err *err)
{
	const char *start = p++;
	int rc = take_number(&p, ret);

	if (rc == 0 && *p == '\0' && *ret)
		return 0;
	return err_set(err, -EINVAL, "array '%.64s': '%.16s': expected %%N, N from 1 to %u", text,
		       start, UINT32_MAX);
}

int indexlist_parse(const char *text, uint64_t max, struct index_range **ret_ranges,
		    size_t *ret_count, uint32_t *ret_throttle, struct err *err)
{
	CLEANUP_FREE struct index_range *ranges = NULL;
	size_t count = 0, cap = 0;
	uint64_t total = 0;
	uint32_t throttle = 0;
	const char *p = text;
	int rc;

	for (;;) {
		GROW(ranges, cap, count + 1);
		rc = take_range(text, &p, &ranges[count], err);
		if (rc < 0)
			return rc;
		total += range_count(&ranges[count++]);
		if (total > max)
			return err_set(err, -E2BIG, "array '%.64s' has more than %llu elements",
				       text, (unsigned long long)max);
		if (*p != ',')
			break;
		p++;
	}
	if (*p == '%')
		rc = take_throttle(text, p, &throttle, err);
	else if (*p)
		rc = refuse(text, p, err);
	if (rc < 0)
		return rc;
	qsort(ranges, count, sizeof(*ranges), by_first);
	rc = check_overlap(text, ranges, count, err);
	if (rc < 0)
		return rc;
	*ret_ranges = ranges;
	ranges = NULL;
	*ret_count = count;
	*ret_throttle = throttle;
	return 0;
}

/*
 * Sets of ranges of numbers, compared with a table of bits in random operations, and at the
 * limits of the numbers.
 */
#include "tap/tap.h"
#include "util/rangeset.h"

#include <stdlib.h>
#include <string.h>

enum { N = 64, ROUNDS = 20000 };

static bool same(const struct rangeset *s, const bool *model)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < N; i++) {
		if (rangeset_contains(s, i) != model[i])
			return false;
		total += model[i];
	}
	for (size_t i = 0; i < s->count; i++) {
		if (s->ranges[i].lo > s->ranges[i].hi)
			return false;
		/* sorted, disjoint and not adjacent */
		if (i && s->ranges[i].lo <= s->ranges[i - 1].hi + 1)
			return false;
	}
	return s->total == total;
}

static void check_against_model(void)
{
	struct rangeset s = {0};
	bool model[N] = {false};
	unsigned seed = 7;
	int wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint32_t lo = (uint32_t)rand_r(&seed) % N, hi = lo + (uint32_t)rand_r(&seed) % 8;
		bool add = rand_r(&seed) % 2;
		uint64_t removed = 0, want = 0;

		if (hi >= N)
			hi = N - 1;
		for (uint32_t i = lo; i <= hi; i++) {
			want += !add && model[i];
			model[i] = add;
		}
		if (add)
			rangeset_add(&s, lo, hi);
		else
			removed = rangeset_remove(&s, lo, hi);
		wrong += removed != want || !same(&s, model);
	}
	is_int(wrong, 0, "%d random adds and removes agree with a table of bits", ROUNDS);
	rangeset_done(&s);
}

static void random_set(unsigned *seed, struct rangeset *s, bool *model)
{
	memset(model, 0, N * sizeof(*model));
	for (int i = 0; i < 12; i++) {
		uint32_t lo = (uint32_t)rand_r(seed) % N, hi = lo + (uint32_t)rand_r(seed) % 6;

		hi = hi < N ? hi : N - 1;
		rangeset_add(s, lo, hi);
		for (uint32_t n = lo; n <= hi; n++)
			model[n] = true;
	}
}

static void check_sets(void)
{
	struct rangeset top = {0}, most = {0};
	bool a[N], b[N], left[N], all[N];
	unsigned seed = 11;
	int wrong = 0;

	for (int round = 0; round < ROUNDS / 10; round++) {
		struct rangeset s = {0}, t = {0}, both = {0};

		random_set(&seed, &s, a);
		random_set(&seed, &t, b);
		for (int i = 0; i < N; i++) {
			left[i] = a[i] && !b[i];
			all[i] = a[i] || b[i];
		}
		rangeset_copy(&both, &s);
		rangeset_subtract(&s, &t);
		rangeset_unite(&both, &t);
		wrong += !same(&s, left) || !same(&both, all);
		rangeset_done(&s);
		rangeset_done(&t);
		rangeset_done(&both);
	}
	is_int(wrong, 0, "subtract and unite agree with tables of bits");
	rangeset_add(&top, 5, UINT32_MAX);
	rangeset_add(&most, 0, UINT32_MAX - 1);
	rangeset_subtract(&top, &most);
	ok(top.count == 1 && top.total == 1 && rangeset_first(&top) == UINT32_MAX,
	   "the largest number is kept");
	rangeset_unite(&top, &most);
	ok(top.count == 1 && top.total == (uint64_t)UINT32_MAX + 1,
	   "the largest number is not doubled");
	rangeset_done(&top);
	rangeset_add(&top, 1, 2);
	rangeset_add(&top, 4, 4);
	rangeset_add(&top, 6, 9);
	ok(rangeset_keep_last(&top, 2) && top.total == 5 && rangeset_first(&top) == 4,
	   "the last two ranges are kept");
	ok(!rangeset_keep_last(&top, 2), "of two ranges both are kept");
	rangeset_done(&top);
	rangeset_done(&most);
}

static void check_ends(void)
{
	struct rangeset s = {0}, t = {0};

	rangeset_add(&s, 0, UINT32_MAX);
	ok(s.count == 1 && s.total == UINT64_C(1) << 32, "all numbers are one range");
	is_int(rangeset_remove(&s, UINT32_MAX, UINT32_MAX), 1, "the largest number is removed");
	is_int(rangeset_remove(&s, 0, 0), 1, "the smallest number is removed");
	is_int(rangeset_first(&s), 1, "the first number is 1");
	rangeset_add(&s, UINT32_MAX, UINT32_MAX);
	is_int((long long)s.count, 1, "the largest number joins its neighbours");
	rangeset_copy(&t, &s);
	ok(rangeset_equal(&s, &t), "a copy is equal");
	rangeset_remove(&t, 5, 5);
	ok(!rangeset_equal(&s, &t), "a changed copy is not");
	is_int((long long)t.count, 2, "a hole makes two ranges");
	rangeset_clear(&t);
	ok(t.total == 0 && !rangeset_contains(&t, 1), "a cleared set is empty");
	rangeset_add(&t, 0, 999999);
	is_int((long long)t.count, 1, "a million numbers in order are one range");
	rangeset_done(&s);
	rangeset_done(&t);
}

int main(void)
{
	check_against_model();
	check_ends();
	check_sets();
	return done();
}

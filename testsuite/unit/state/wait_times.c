/* Quantiles of waiting times: exact for few, close for many, from 0 to the largest number. */
#include "../../../plugins/state/sqlite/wait_times.h"
#include "tap/tap.h"

#include <stdlib.h>

static void test_few(void)
{
	struct wait_times t = {0};

	is_int(wait_times_quantile(&t, 50), 0, "no times: 0");
	wait_times_add(&t, 7);
	is_int(wait_times_quantile(&t, 50), 7, "one time is each quantile");
	is_int(wait_times_quantile(&t, 95), 7, "also the 95th");
	for (int64_t i = 100; i > 1; i--)
		wait_times_add(&t, i * 1000);
	is_int(wait_times_quantile(&t, 50), 50000, "half of a hundred");
	is_int(wait_times_quantile(&t, 95), 95000, "95 of a hundred");
	is_int(wait_times_quantile(&t, 100), 100000, "the longest");
	wait_times_done(&t);
}

static void test_many(void)
{
	struct wait_times t = {0};
	int64_t p50, p95;

	for (int64_t i = 1; i <= 100000; i++)
		wait_times_add(&t, (i * 7919) % 100000 * 1000);
	p50 = wait_times_quantile(&t, 50);
	p95 = wait_times_quantile(&t, 95);
	ok(p50 > 49000000 && p50 < 51000000, "half of many: %lld", (long long)p50);
	ok(p95 > 93100000 && p95 < 96900000, "95 %% of many: %lld", (long long)p95);
	wait_times_done(&t);
}

static void test_extremes(void)
{
	struct wait_times t = {0};

	for (int i = 0; i < 600; i++)
		wait_times_add(&t, i % 2 ? INT64_MAX : 0);
	is_int(wait_times_quantile(&t, 50), 0, "half of them are 0");
	ok(wait_times_quantile(&t, 95) > INT64_MAX / 100 * 98, "the others are very long");
	wait_times_done(&t);
}

int main(void)
{
	test_few();
	test_many();
	test_extremes();
	return done();
}

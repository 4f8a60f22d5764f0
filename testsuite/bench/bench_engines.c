/*
 * The rate of appends of state/sqlite and state/redis in one run: bench_engines [DIR], where DIR (default:
 * .) is on the disk. The three Redis servers of the test share that disk, so each append costs three syncs
 * there. No figure passes or fails.
 */
#include "state/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RECORD_BYTES = 300, BATCH_MAX = 100, SAMPLES_MAX = 200000 };
#define DURATION_US INT64_C(5000000)

static int64_t samples_us[SAMPLES_MAX];

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void bench(const char *name, size_t batch)
{
	static struct armada_state_record records[BATCH_MAX];
	static char text[RECORD_BYTES];
	const char *dir;
	void *h = engine_fresh(&dir);
	int64_t begin_us = now_us(), last_us = begin_us;
	uint64_t seq = 0;
	size_t n = 0;

	while (last_us - begin_us < DURATION_US && n < SAMPLES_MAX) {
		int64_t t;

		for (size_t i = 0; i < batch; i++)
			records[i] = (struct armada_state_record){++seq, text, sizeof(text)};
		if (ops->append(h, records, batch, &err))
			bail("%s", err.text);
		t = now_us();
		samples_us[n++] = t - last_us;
		last_us = t;
	}
	qsort(samples_us, n, sizeof(*samples_us), by_value);
	printf("%s, batch %3zu: %8.0f records/s %7.0f appends/s  p50 %6lld us  p99 %6lld us\n",
	       name, batch, (double)seq * 1e6 / (double)(last_us - begin_us),
	       (double)n * 1e6 / (double)(last_us - begin_us), (long long)samples_us[n / 2],
	       (long long)samples_us[n * 99 / 100]);
	ops->close(h);
}

int main(int argc, char **argv)
{
	setenv("TMPDIR", argc > 1 ? argv[1] : ".", 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	harness_load();
	harness_option(1, 4 << 20);
	bench("sqlite", 1);
	bench("sqlite", 100);
	if (servers_exist()) {
		servers_start();
		engine_load_redis(false);
		bench("redis ", 1);
		bench("redis ", 100);
		servers_stop();
	}
	ok(true, "measured");
	return harness_done();
}

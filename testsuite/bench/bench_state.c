/*
 * The speed of state/sqlite on a disk: bench_state [DIR], where DIR (default: .) is on the disk.
 * Prints the rate of appends, the time of an open, a snapshot, and the history. No figure passes or
 * fails.
 */
#include "unit/state/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RECORD_BYTES  300
#define BATCH_MAX     1024
#define REPLAY_COUNT  1000000
#define SAMPLES_MAX   200000
#define HISTORY_COUNT 100000

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

static void append(void *h, uint64_t *seq, size_t batch)
{
	static struct armada_state_record records[BATCH_MAX];
	static char text[RECORD_BYTES];

	for (size_t i = 0; i < batch; i++)
		records[i] = (struct armada_state_record){++*seq, text, sizeof(text)};
	memcpy(text, seq, sizeof(*seq));
	if (ops->append(h, records, batch, &err))
		bail("%s", err.text);
}

/* Appends for about this time. */
static void bench_append(size_t batch, int64_t duration_us)
{
	const char *dir = harness_dir();
	int64_t begin_us, last_us, sum_us;
	uint64_t seq = 0;
	size_t n = 0;
	void *h;

	if (state_init(dir) || state_open(dir, &h, NULL))
		bail("%s", err.text);
	begin_us = last_us = now_us();
	while (last_us - begin_us < duration_us && n < SAMPLES_MAX) {
		int64_t t;

		append(h, &seq, batch);
		t = now_us();
		samples_us[n++] = t - last_us;
		last_us = t;
	}
	sum_us = last_us - begin_us;
	qsort(samples_us, n, sizeof(*samples_us), by_value);
	printf("append, batch %4zu: %8.0f records/s %7.0f appends/s  p50 %6lld us  p99 %6lld us  "
	       "max %6lld us\n",
	       batch, (double)seq * 1e6 / (double)sum_us, (double)n * 1e6 / (double)sum_us,
	       (long long)samples_us[n / 2], (long long)samples_us[n * 99 / 100],
	       (long long)samples_us[n - 1]);
	ops->close(h);
}

static int count_one(void *arg, uint64_t seq, const void *data, size_t len)
{
	(void)seq;
	(void)data;
	*(uint64_t *)arg += len;
	return 0;
}

static void bench_replay(void)
{
	const char *dir = harness_dir();
	uint64_t seq = 0, bytes = 0;
	int64_t t[4];
	void *h;

	if (state_init(dir) || state_open(dir, &h, NULL))
		bail("%s", err.text);
	while (seq < REPLAY_COUNT)
		append(h, &seq, BATCH_MAX);
	t[0] = now_us();
	ops->close(h);
	t[1] = now_us();
	if (state_open(dir, &h, NULL))
		bail("%s", err.text);
	t[2] = now_us();
	if (ops->replay(h, count_one, count_one, &bytes, &err))
		bail("%s", err.text);
	t[3] = now_us();
	printf("%llu records: close %lld ms, open and check %lld ms, replay %lld ms (%.0f/s)\n",
	       (unsigned long long)seq, (long long)(t[1] - t[0]) / 1000,
	       (long long)(t[2] - t[1]) / 1000, (long long)(t[3] - t[2]) / 1000,
	       (double)seq * 1e6 / (double)(t[3] - t[2]));
	ops->close(h);
}

/* Writes a snapshot of 100 MB, and appends while a hundred thousand old records are removed. */
static void bench_snapshot(void)
{
	static char text[64 << 10];
	struct armada_state_chunk chunks[1600];
	const char *dir = harness_dir();
	uint64_t seq = 0;
	int64_t t, worst_us = 0;
	void *h;

	for (size_t i = 0; i < 1600; i++)
		chunks[i] = (struct armada_state_chunk){text, sizeof(text)};
	if (state_init(dir) || state_open(dir, &h, NULL))
		bail("%s", err.text);
	for (int i = 0; i < 3; i++) {
		for (int n = 0; n < 1600; n++) {
			t = now_us();
			append(h, &seq, 64);
			t = now_us() - t;
			worst_us = t > worst_us ? t : worst_us;
		}
		if (ops->history_put(h, seq, NULL, 0, NULL, 0, &err))
			bail("%s", err.text);
		t = now_us();
		if (ops->snapshot(h, seq, chunks, 1600, &err))
			bail("%s", err.text);
		printf("snapshot of 100 MB: %lld ms; worst append of 64 before it: %lld us\n",
		       (long long)(now_us() - t) / 1000, (long long)worst_us);
		worst_us = 0;
	}
	ops->close(h);
}

static int ignore_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *row,
		      size_t len)
{
	(void)job;
	(void)first;
	(void)last;
	(void)row;
	(void)len;
	++*(uint64_t *)arg;
	return 0;
}

static void put_history(void *h, uint64_t first, size_t n)
{
	static struct armada_history_row rows[1000];
	static char users[1000][16], text[300];

	for (size_t i = 0; i < n; i++) {
		snprintf(users[i], sizeof(users[i]), "user%zu", i % 100);
		rows[i] = (struct armada_history_row){
			.seq = 1,
			.job = first + i,
			.attempt = 1,
			.user = users[i],
			.queue = users[i],
			.job_set = "",
			.name = "bench",
			.nodes = "n1",
			.end_us = (int64_t)(first + i),
			.row = text,
			.row_len = sizeof(text),
		};
	}
	if (ops->history_put(h, 1, rows, n, NULL, 0, &err))
		bail("%s", err.text);
}

static void bench_history(size_t batch)
{
	static const char *const user[] = {"user7"};
	struct armada_history_filter by_user = {.users = user, .user_count = 1}, all = {0};
	const char *dir = harness_dir();
	uint64_t seq = 0, found[2] = {0};
	int64_t t[4];
	void *h;

	if (state_init(dir) || state_open(dir, &h, NULL))
		bail("%s", err.text);
	append(h, &seq, 1);
	t[0] = now_us();
	for (uint64_t job = 1; job <= HISTORY_COUNT; job += batch)
		put_history(h, job, batch);
	t[1] = now_us();
	ops->history_find(h, &by_user, ignore_row, &found[0], &err);
	t[2] = now_us();
	ops->history_find(h, &all, ignore_row, &found[1], &err);
	t[3] = now_us();
	printf("history, %zu rows a put: %.0f rows/s; one user's %llu rows in %lld us, all %llu in "
	       "%lld us\n",
	       batch, HISTORY_COUNT * 1e6 / (double)(t[1] - t[0]), (unsigned long long)found[0],
	       (long long)(t[2] - t[1]), (unsigned long long)found[1], (long long)(t[3] - t[2]));
	ops->close(h);
}

int main(int argc, char **argv)
{
	static const size_t batches[] = {1, 16, 128, 1024};

	setenv("TMPDIR", argc > 1 ? argv[1] : ".", 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	harness_load();
	harness_option(1, argc > 2 ? atoll(argv[2]) : 4 << 20);
	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++)
		bench_append(batches[i], 3000000);
	bench_replay();
	bench_snapshot();
	bench_history(1000);
	bench_history(100);
	ok(true, "measured");
	return harness_done();
}

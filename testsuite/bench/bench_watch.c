/*
 * Many readers of the events of one job set, on the cluster of $ARMADA_CONF.
 *
 *	bench_watch PID WATCHERS CONNECTIONS SUBMISSIONS
 *
 * WATCHERS watch one set, over CONNECTIONS (limits.watches_per_connection and others must allow it), in a
 * child. Meanwhile SUBMISSIONS jobs that are held are submitted to the set, one in a message, 2 ms between
 * them. Prints p50 and p99 of a submission, the events a second that arrived at watchers, and the processor
 * time of the controller (PID; 0: not known) for each submission.
 */
#include "client/events.h"
#include "util/mem.h"

#include <armada/armada.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_US = 2000, SETTLE_MS = 60000 };

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("bench_watch: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	exit(1);
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static double cpu_s(int pid)
{
	char path[64], text[512] = "";
	unsigned long user = 0, system = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = pid ? fopen(path, "r") : NULL;
	if (!f || !fgets(text, sizeof(text), f))
		return 0;
	fclose(f);
	if (sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
		   &user, &system) != 2)
		return 0;
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* The child: reads until each watcher has got `want` events, or nothing comes any more. */
static void watch(size_t watchers, size_t conns, uint64_t want, int ready, int result)
{
	struct pollfd *fds = xcalloc(conns, sizeof(*fds));
	struct events **all = xcalloc(conns, sizeof(struct events *));
	const struct events_set set = {.queue = "", .job_set = "watched", .new_only = true};
	int64_t end_us = now_us() + SETTLE_MS * INT64_C(1000), last_us = 0;
	uint64_t got = 0;
	struct err err;

	for (size_t i = 0; i < conns; i++) {
		struct connection *c;

		if (connection_new(&c, NULL, &err) < 0)
			fail("%s", err.text);
		all[i] = events_new(c);
		for (size_t k = i; k < watchers; k += conns)
			events_add(all[i], &set);
		if (events_open(all[i], &err) < 0)
			fail("watch: %s", err.text);
		fds[i] = (struct pollfd){events_fd(all[i]), POLLIN, 0};
	}
	if (write(ready, "r", 1) != 1)
		fail("pipe");
	while (got < want * watchers && now_us() < end_us) {
		const Armada__JobEvent *ev;
		size_t at;

		poll(fds, conns, 100);
		for (size_t i = 0; i < conns; i++)
			while (events_next(all[i], 0, &ev, &at, &err) == 0)
				got++, last_us = now_us();
	}
	if (write(result, (uint64_t[]){got, (uint64_t)last_us}, 16) != 16)
		fail("pipe");
	exit(0);
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void submit_one(struct armada *a)
{
	const char *argv[] = {"/bin/true", NULL};
	struct armada_job *job = armada_job_new();
	struct armada_error err;
	uint64_t id;

	if (armada_job_set(job, "job-set", "watched", &err) < 0 ||
	    armada_job_set(job, "hold", NULL, &err) < 0 ||
	    armada_job_set(job, "mem", "10M", &err) < 0 ||
	    armada_job_set(job, "export", "NONE", &err) < 0 ||
	    armada_job_command(job, argv, &err) < 0 ||
	    armada_submit(a, &job, 1, NULL, &id, &err) < 0)
		fail("submit: %s", err.text);
	armada_job_free(job);
}

int main(int argc, char **argv)
{
	size_t watchers = argc > 4 ? strtoul(argv[2], NULL, 10) : 0;
	size_t conns = argc > 4 ? strtoul(argv[3], NULL, 10) : 0;
	size_t count = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	int pid = argc > 4 ? atoi(argv[1]) : 0, ready[2], result[2];
	int64_t *took = xcalloc(count + 1, sizeof(*took)), begin_us;
	uint64_t got[2] = {0};
	struct armada_error err;
	struct armada *a;
	double cpu;
	char byte;

	if (!count || (watchers && !conns))
		fail("usage: bench_watch PID WATCHERS CONNECTIONS SUBMISSIONS");
	if (armada_open(&a, NULL, &err) < 0)
		fail("%s", err.text);
	submit_one(a); /* makes the set */
	if (pipe(ready) || pipe(result))
		fail("pipe");
	if (watchers && fork() == 0) {
		/* as on machines of their own: the readers take no time from the controller */
		sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
		watch(watchers, conns < watchers ? conns : watchers, count, ready[1], result[1]);
	}
	if (watchers && read(ready[0], &byte, 1) != 1)
		fail("the watchers do not begin");
	cpu = cpu_s(pid);
	begin_us = now_us();
	for (size_t i = 0; i < count; i++) {
		struct timespec pause = {.tv_nsec = PAUSE_US * 1000};
		int64_t from_us = now_us();

		submit_one(a);
		took[i] = now_us() - from_us;
		nanosleep(&pause, NULL);
	}
	if (watchers && read(result[0], got, sizeof(got)) != sizeof(got))
		fail("the watchers have ended");
	qsort(took, count, sizeof(*took), by_time);
	printf("%zu watchers: submission p50 %.1f ms, p99 %.1f ms; controller %.2f ms of cpu each",
	       watchers, (double)took[count / 2] / 1e3, (double)took[count * 99 / 100] / 1e3,
	       (cpu_s(pid) - cpu) * 1e3 / (double)count);
	if (watchers)
		printf("; %" PRIu64 " of %zu events arrived, %.0f/s", got[0], count * watchers,
		       (double)got[0] * 1e6 / (double)((int64_t)got[1] - begin_us));
	putchar('\n');
	armada_close(a);
	return 0;
}

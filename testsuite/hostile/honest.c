/*
 * The honest client (honest.h). Input: the phase of the attack. Output: the times of its requests, and the
 * controller's resident memory, which a thread of its own samples every few milliseconds.
 */
#include "hostile/honest.h"

#include "util/clock.h"
#include "util/mem.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { ASK_MS = 30000, REST_MS = 20, SAMPLE_MS = 5, MOST = 100000 };

struct watch {
	pid_t pid;
	atomic_bool over;
	double highest_mb;
};

double memory_mb(pid_t pid)
{
	char path[64], line[256];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmRSS: %ld kB", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return (double)kb / 1024;
}

static void *sample(void *arg)
{
	struct watch *w = arg;

	while (!atomic_load(&w->over)) {
		double mb = memory_mb(w->pid);

		w->highest_mb = mb > w->highest_mb ? mb : w->highest_mb;
		poll(NULL, 0, SAMPLE_MS);
	}
	return NULL;
}

/* A new session and one request. */
static bool ask(const struct target *t, bool history)
{
	Armada__PingRequest ping = ARMADA__PING_REQUEST__INIT;
	Armada__HistoryRequest rows = ARMADA__HISTORY_REQUEST__INIT;
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct err err = {""};
	struct call *c = target_call(t, ASK_MS, &err);
	enum msg_type type = MSG_ERROR;
	void *m;
	bool ok;

	rows.limit = 1;
	ok = c &&
	     !call_ask(c, history ? MSG_HISTORY : MSG_PING, history ? (void *)&rows : (void *)&ping,
		       arena, ASK_MS, &type, &m, &err);
	call_close(c);
	return ok && type != MSG_ERROR;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The hostile process has come so far, or it has ended. */
static bool reached(const struct report *r, pid_t hostile, enum phase phase)
{
	siginfo_t info = {.si_pid = 0};

	return atomic_load(&r->phase) >= (int)phase ||
	       (waitid(P_PID, (id_t)hostile, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid != 0);
}

void honest_run(const struct target *t, const struct report *r, const struct verb *v, pid_t hostile,
		pid_t controller, double settle_s, struct figures *ret)
{
	struct watch w = {.pid = controller};
	double *took = xcalloc(MOST, sizeof(*took));
	int64_t end_us = INT64_MAX;
	pthread_t thread;
	unsigned n = 0;

	*ret = (struct figures){0};
	while (!reached(r, hostile, PHASE_ATTACK))
		poll(NULL, 0, 1);
	ret->before_mb = w.highest_mb = memory_mb(controller);
	pthread_create(&thread, NULL, sample, &w);
	while (n < MOST && clock_us(CLOCK_MONOTONIC) < end_us) {
		int64_t from_us = clock_us(CLOCK_MONOTONIC);
		bool over = reached(r, hostile, PHASE_DONE);

		ret->lost += ask(t, v->asks_history) ? 0 : 1;
		took[n++] = (double)(clock_us(CLOCK_MONOTONIC) - from_us) / 1e3;
		if (over && end_us == INT64_MAX)
			end_us = clock_us(CLOCK_MONOTONIC) + (int64_t)(settle_s * 1e6);
		poll(NULL, 0, REST_MS);
	}
	atomic_store(&w.over, true);
	pthread_join(thread, NULL);
	qsort(took, n, sizeof(*took), ascending);
	ret->asked = n;
	ret->p50_ms = took[n / 2];
	ret->p99_ms = took[n - 1 - n / 100];
	ret->worst_ms = took[n - 1];
	ret->highest_mb = w.highest_mb;
	ret->after_mb = memory_mb(controller);
	free(took);
}

/*
 * The rate of durable submissions through libarmada, over one connection, with one job and with 100
 * jobs in a message. With --command: with one process of a command for each job.
 *
 *	eval "$(contrib/devcluster env DIR)"; bench_submit [JOBS] [--command PATH-OF-ASUBMIT]
 *
 * The jobs are held and then cancelled, so that only the submission is measured.
 *
 *	bench_submit JOBS --pauses MORE
 *
 * Fills the cluster with JOBS held jobs, then measures how long each message of 100 waits for its answer,
 * for MORE jobs.
 */
#include <armada/armada.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { JOBS = 2000, BATCH = 100, JOBS_OF_COMMAND = 200 };

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void die(const char *what, const struct armada_error *err)
{
	fprintf(stderr, "bench_submit: %s: %s\n", what, err->text);
	exit(1);
}

static struct armada_job *make_job(void)
{
	static const char *const argv[] = {"/bin/true", NULL};
	struct armada_job *job = armada_job_new();
	struct armada_error err;

	if (armada_job_command(job, argv, &err) < 0 ||
	    armada_job_set(job, "hold", NULL, &err) < 0 ||
	    armada_job_set(job, "mem", "10M", &err) < 0 ||
	    armada_job_set(job, "output", "/dev/null", &err) < 0)
		die("job", &err);
	return job;
}

static void submit_batch(struct armada *a, size_t count, uint64_t *ids)
{
	struct armada_job *list[BATCH];
	struct armada_error err;

	for (size_t i = 0; i < count; i++)
		list[i] = make_job();
	if (armada_submit(a, list, count, NULL, ids, &err) < 0)
		die("submit", &err);
	for (size_t i = 0; i < count; i++)
		armada_job_free(list[i]);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void measure_pauses(struct armada *a, size_t jobs, size_t more)
{
	size_t count = (more + BATCH - 1) / BATCH;
	double *waits = calloc(count, sizeof(*waits)), begin = now_s(), total;
	uint64_t ids[BATCH];

	if (!waits || !count)
		abort();
	for (size_t at = 0; at < jobs; at += BATCH)
		submit_batch(a, BATCH, ids);
	printf("%zu jobs are held, after %.0f s\n", jobs, now_s() - begin);
	begin = now_s();
	for (size_t i = 0; i < count; i++) {
		double sent = now_s();

		submit_batch(a, BATCH, ids);
		waits[i] = now_s() - sent;
	}
	total = now_s() - begin;
	qsort(waits, count, sizeof(*waits), compare);
	printf("%zu more, %.0f jobs/s; a message of %d waits: p50 %.1f ms, p99 %.1f, longest %.1f\n",
	       count * BATCH, (double)(count * BATCH) / total, BATCH, 1e3 * waits[count / 2],
	       1e3 * waits[count * 99 / 100], 1e3 * waits[count - 1]);
	free(waits);
}

/* Submits the jobs and cancels them; only the submission is timed. */
static double submit_all(struct armada *a, size_t jobs, size_t batch)
{
	uint64_t *ids = calloc(jobs + batch, sizeof(*ids));
	struct armada_error err;
	double begin = now_s(), seconds;

	if (!ids)
		abort();
	for (size_t at = 0; at < jobs; at += batch)
		submit_batch(a, batch, ids + at);
	seconds = now_s() - begin;
	for (size_t i = 0; i < jobs; i++) {
		if (armada_cancel(a, ids[i], &err) < 0)
			die("cancel", &err);
	}
	free(ids);
	return (double)jobs / seconds;
}

static double run_command(const char *path, size_t jobs)
{
	char *const argv[] = {(char *)"asubmit",   (char *)"--quiet",
			      (char *)"--mem=10M", (char *)"--job-set=bench",
			      (char *)"--hold",    (char *)"--",
			      (char *)"/bin/true", NULL};
	double begin = now_s();

	for (size_t i = 0; i < jobs; i++) {
		pid_t pid;
		int status;

		if (posix_spawn(&pid, path, NULL, NULL, argv, environ) != 0 ||
		    waitpid(pid, &status, 0) != pid || status != 0) {
			fprintf(stderr, "bench_submit: %s failed\n", path);
			exit(1);
		}
	}
	return (double)jobs / (now_s() - begin);
}

int main(int argc, char **argv)
{
	size_t jobs = argc > 1 ? strtoul(argv[1], NULL, 10) : JOBS;
	struct armada_error err;
	struct armada *a;

	jobs = jobs < BATCH ? BATCH : jobs / BATCH * BATCH;
	if (armada_open(&a, NULL, &err) < 0)
		die("open", &err);
	if (argc > 3 && !strcmp(argv[2], "--pauses")) {
		measure_pauses(a, jobs, strtoul(argv[3], NULL, 10));
		armada_close(a);
		return 0;
	}
	printf("one job a message:    %.0f jobs/s\n", submit_all(a, jobs, 1));
	printf("%d jobs a message:   %.0f jobs/s\n", BATCH, submit_all(a, jobs, BATCH));
	if (argc > 3 && !strcmp(argv[2], "--command"))
		printf("one process a job:    %.0f jobs/s\n",
		       run_command(argv[3], JOBS_OF_COMMAND));
	armada_close(a);
	return 0;
}

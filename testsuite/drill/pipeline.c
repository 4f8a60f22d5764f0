/*
 * Submits N held jobs, one in a message and DEPTH in flight, kills the controller after KILL answers, and
 * repeats each submission whose answer did not come with its key. Prints the id of each job.
 *
 *	pipeline PID N DEPTH KILL
 */
#include <armada/armada.h>
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

enum { TRIES = 3000, PAUSE_NS = 20000000 };

static struct armada_error err;
static size_t kill_after; /* also a part of the keys, which differ between two runs */

static void fail(const char *what)
{
	fprintf(stderr, "pipeline: %s: %s\n", what, err.text);
	exit(1);
}

static struct armada_job *held_job(void)
{
	static const char *const argv[] = {"/bin/true", NULL};
	struct armada_job *job = armada_job_new();

	if (armada_job_set(job, "hold", NULL, &err) < 0 ||
	    armada_job_set(job, "output", "/dev/null", &err) < 0 ||
	    armada_job_command(job, argv, &err) < 0)
		fail("the job");
	return job;
}

static void key_of(size_t number, uint8_t key[ARMADA_KEY_SIZE])
{
	static_assert(2 * sizeof(number) == ARMADA_KEY_SIZE, "the key has room for both");
	memcpy(key, &number, sizeof(number));
	memcpy(key + sizeof(number), &kill_after, sizeof(kill_after));
}

/* The answer did not come. The controller may not run yet. */
static uint64_t repeat(struct armada *a, struct armada_job *job, size_t number)
{
	uint8_t key[ARMADA_KEY_SIZE];
	uint64_t id;
	int rc = -EAGAIN;

	key_of(number, key);
	for (int i = 0; rc == -EAGAIN && i < TRIES; i++) {
		rc = armada_submit(a, &job, 1, key, &id, &err);
		if (rc == -EAGAIN)
			nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
	if (rc < 0)
		fail("a repeated submission");
	return id;
}

/* Sends while fewer than depth are in flight. False: the connection broke. */
static bool fill(struct armada *a, struct armada_job *job, size_t oldest, size_t *next, size_t end)
{
	uint8_t key[ARMADA_KEY_SIZE];

	for (; *next < end; (*next)++) {
		int rc;

		key_of(*next, key);
		rc = armada_submit_send(a, &job, 1, key, &err);
		if (rc == -EAGAIN)
			return false;
		if (rc < 0)
			fail("a submission");
	}
	return *next > oldest;
}

/* The ids of the answers that came; 0 for the others. */
static void run(struct armada *a, struct armada_job *job, size_t n, size_t depth, pid_t pid,
		uint64_t *ret_ids)
{
	bool whole = true;
	size_t next = 0;

	for (size_t oldest = 0; oldest < next || (whole && oldest < n); oldest++) {
		size_t end = oldest + depth < n ? oldest + depth : n;
		int rc;

		whole = whole && fill(a, job, oldest, &next, end);
		if (oldest == next)
			break;
		rc = armada_submit_receive(a, &ret_ids[oldest], &err);
		if (rc < 0 && rc != -EAGAIN)
			fail("an answer");
		whole = whole && rc == 0;
		if (oldest + 1 == kill_after)
			kill(pid, SIGKILL);
	}
}

int main(int argc, char **argv)
{
	size_t n = argc == 5 ? strtoul(argv[2], NULL, 10) : 0, answers = 0;
	uint64_t *ids = calloc(n + 1, sizeof(*ids));
	struct armada_job *job = held_job();
	struct armada *a;

	if (!n || !ids) {
		fputs("usage: pipeline PID N DEPTH KILL\n", stderr);
		return 2;
	}
	if (armada_open(&a, NULL, &err) < 0)
		fail("the connection");
	kill_after = strtoul(argv[4], NULL, 10);
	run(a, job, n, strtoul(argv[3], NULL, 10), atoi(argv[1]), ids);
	for (size_t i = 0; i < n; i++)
		answers += ids[i] != 0;
	fprintf(stderr, "%zu answers came\n", answers);
	for (size_t i = 0; i < n; i++)
		printf("%llu\n", (unsigned long long)(ids[i] ? ids[i] : repeat(a, job, i)));
	armada_close(a);
	armada_job_free(job);
	free(ids);
	return 0;
}

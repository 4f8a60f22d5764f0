/*
 * keep-running: keeps a number of jobs of one kind running, and starts another for each that ends.
 *
 *	cc -o keep-running keep-running.c -larmada
 *	./keep-running workers 3 [most restarts] -- ./worker --port 0
 *
 * This program is an example of a controller on libarmada. It uses nothing but the events of its job set:
 * it never lists or asks for the state of a job, and it can be killed and started again at any time, because
 * it reads the events from the first on. It ends after so many restarts; 0: never.
 */
#include <armada/armada.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct armada_error err;

static void die(const char *what)
{
	fprintf(stderr, "keep-running: %s: %s\n", what, err.text);
	exit(1);
}

/* One more job of the set. A submission whose answer was lost is repeated with the same key. */
static void submit(struct armada *a, const char *set, char **command)
{
	unsigned char key[ARMADA_KEY_SIZE];
	struct armada_job *job;
	uint64_t id;
	int rc;
	FILE *f = fopen("/dev/urandom", "r");

	if (!f || fread(key, sizeof(key), 1, f) != 1)
		die("/dev/urandom");
	fclose(f);
	do {
		job = armada_job_new();
		if (armada_job_set(job, "job-set", set, &err) < 0 ||
		    armada_job_set(job, "job-name", set, &err) < 0 ||
		    armada_job_set(job, "mem", "50M", &err) < 0 ||
		    armada_job_set(job, "output", "/dev/null", &err) < 0 ||
		    armada_job_command(job, (const char *const *)command, &err) < 0)
			die("the job");
		rc = armada_submit(a, &job, 1, key, &id, &err);
		armada_job_free(job);
	} while (rc == -EAGAIN);
	if (rc < 0)
		die("submit");
	printf("job %" PRIu64 " submitted\n", id);
	fflush(stdout);
}

/* The set exists with its first job; a set that is not there has none. */
static struct armada_events *open_events(struct armada *a, const char *set, char **command)
{
	struct armada_events *events;
	int rc = armada_events_open(&events, NULL, NULL, set, 0, &err);

	if (rc == -ENOENT) {
		submit(a, set, command);
		rc = armada_events_open(&events, NULL, NULL, set, 0, &err);
	}
	if (rc < 0)
		die("events");
	return events;
}

static int is_end(const struct armada_event *ev)
{
	return ev->kind == ARMADA_EVENT_SUCCEEDED || ev->kind == ARMADA_EVENT_FAILED ||
	       ev->kind == ARMADA_EVENT_CANCELLED ||
	       (ev->kind == ARMADA_EVENT_PREEMPTED && !ev->requeues);
}

int main(int argc, char **argv)
{
	int wanted = argc > 4 ? atoi(argv[2]) : 0, most = 0, at = 3;
	int alive = 0, ended = 0, pending = 0;
	struct armada_events *events;
	struct armada_event ev;
	struct armada *a;

	if (argc > 5 && strcmp(argv[3], "--") != 0) {
		most = atoi(argv[3]);
		at = 4;
	}
	if (wanted < 1 || strcmp(argv[at], "--") != 0) {
		fprintf(stderr, "usage: keep-running SET NUMBER [RESTARTS] -- COMMAND...\n");
		return 2;
	}
	if (armada_open(&a, NULL, &err) < 0)
		die("no connection");
	events = open_events(a, argv[1], &argv[at + 1]);
	for (;;) {
		/* once all earlier events are known: what is missing, and its own event comes later */
		for (; armada_events_is_current(events) && alive + pending < wanted; pending++)
			submit(a, argv[1], &argv[at + 1]);
		if (armada_events_next(events, &ev, sizeof(ev), -1, &err) < 0)
			die("events");
		if (ev.kind == ARMADA_EVENT_SUBMITTED) {
			alive++;
			pending -= pending > 0;
		} else if (is_end(&ev)) {
			alive--;
			printf("job %" PRIu64 " %s%s%s\n", ev.job, ev.kind_name,
			       ev.reason[0] ? ": " : "", ev.reason);
			fflush(stdout);
			if (most && ++ended > most)
				break;
		}
	}
	armada_events_close(events);
	armada_close(a);
	return 0;
}

/*
 * The timed parts of bench_cluster. Each command measures one operation on the cluster of
 * $ARMADA_CONF and prints one figure (latency and ask print two).
 *
 *	bench_client floor N			fork, exec and wait /bin/true: per second
 *	bench_client storm N AT_ONCE CMD...	N processes of CMD, AT_ONCE at a time: per second
 *	bench_client submit N BATCH [OPT=VAL]	N jobs over one connection, BATCH in a message: per s
 *	bench_client pipeline N BATCH DEPTH [OPT=VAL]	the same with DEPTH messages in flight
 *	bench_client run N BATCH		the same until all have completed: jobs per second
 *	bench_client array N			one array of N until all have completed: per second
 *	bench_client latency N FIFO CMD...	CMD to the first instruction of its job, which is
 *						`bench_client stamp FIFO`: ms, p50 and p99
 *	bench_client ask N			lists the newest job N times over one connection,
 *						2 ms between them: ms, p50 and p99
 *	bench_client churn BATCH SECONDS [OPT=VAL]	BATCH jobs every 20 ms over one connection
 *	bench_client time CMD...		one process: ms
 *	bench_client until N CMD... -- CMD2...	start CMD2, which stays, and ask CMD until it
 *						succeeds: ms; then CMD2 gets the signal N
 */
#include <armada/armada.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRY_US = 500, ASK_US = 2000, REST_US = 50000, CHURN_US = 20000, JOB_TIMEOUT_MS = 120000 };

extern char **environ;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("bench_client: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static double since_s(int64_t from_ns)
{
	return (double)(now_ns() - from_ns) / 1e9;
}

static void pause_us(long us)
{
	struct timespec ts = {.tv_nsec = us * 1000};

	nanosleep(&ts, NULL);
}

static size_t number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || !n)
		fail("'%s' is not a number from 1", text);
	return n;
}

static void *need(void *p)
{
	if (!p)
		fail("no memory");
	return p;
}

/* ---- processes ---- */

/* stdout goes to /dev/null, or to out when that is a descriptor. */
static pid_t start(char *const argv[], int out)
{
	posix_spawn_file_actions_t files;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&files);
	if (out < 0)
		posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	else
		posix_spawn_file_actions_adddup2(&files, out, 1);
	rc = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (rc)
		fail("%s: %s", argv[0], strerror(rc));
	return pid;
}

static void must_end_well(pid_t pid, const char *what)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("%s: %s", what, strerror(errno));
	if (status)
		fail("%s: failed with wait status %d", what, status);
}

static void processes(size_t n, char *const argv[])
{
	for (size_t i = 0; i < n; i++)
		must_end_well(start(argv, -1), argv[0]);
}

static double storm(size_t n, size_t at_once, char *const argv[])
{
	pid_t *pids = need(calloc(at_once, sizeof(*pids)));
	int64_t from = now_ns();

	for (size_t i = 0; i < at_once; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			fail("fork: %s", strerror(errno));
		if (pids[i] == 0) {
			processes(n / at_once + (i < n % at_once), argv);
			_exit(0);
		}
	}
	for (size_t i = 0; i < at_once; i++)
		must_end_well(pids[i], "a submitter");
	free(pids);
	return (double)n / since_s(from);
}

static int do_floor(int argc, char **argv)
{
	char *const true_argv[] = {(char *)"/bin/true", NULL};
	size_t n = number(argv[0]);
	int64_t from = now_ns();

	(void)argc;
	for (size_t i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execv(true_argv[0], true_argv);
			_exit(127);
		}
		must_end_well(pid, true_argv[0]);
	}
	printf("%.0f\n", (double)n / since_s(from));
	return 0;
}

static int do_storm(int argc, char **argv)
{
	(void)argc;
	printf("%.0f\n", storm(number(argv[0]), number(argv[1]), argv + 2));
	return 0;
}

static int do_time(int argc, char **argv)
{
	int64_t from = now_ns();

	(void)argc;
	processes(1, argv);
	printf("%.1f\n", since_s(from) * 1e3);
	return 0;
}

static bool succeeds(char *const argv[])
{
	pid_t pid = start(argv, -1);
	int status;

	if (waitpid(pid, &status, 0) != pid)
		fail("wait: %s", strerror(errno));
	return status == 0;
}

static int do_until(int argc, char **argv)
{
	int sig = (int)number(argv[0]), i = 1, status;
	int64_t from;
	pid_t pid;

	while (i < argc && strcmp(argv[i], "--"))
		i++;
	if (i + 1 >= argc)
		fail("until: no command after --");
	argv[i] = NULL;
	from = now_ns();
	pid = start(argv + i + 1, 2);
	while (!succeeds(argv + 1)) {
		if (waitpid(pid, &status, WNOHANG))
			fail("%s ended with wait status %d", argv[i + 1], status);
		pause_us(ASK_US);
	}
	printf("%.1f\n", since_s(from) * 1e3);
	kill(pid, sig);
	waitpid(pid, &status, 0);
	return 0;
}

/* ---- libarmada ---- */

static struct armada_error err;

static struct armada *cluster(void)
{
	struct armada *a;

	if (armada_open(&a, NULL, &err) < 0)
		fail("%s", err.text);
	return a;
}

/* A job of /bin/true with options as "name=value". */
static struct armada_job *job_of(int count, char **options)
{
	static const char *const argv[] = {"/bin/true", NULL};
	const char *seconds = getenv("BENCH_SLEEP");
	const char *const sleep_argv[] = {"/bin/sleep", seconds, NULL};
	struct armada_job *job = armada_job_new();
	int rc = armada_job_set(job, "output", "/dev/null", &err);

	for (int i = 0; rc == 0 && i < count; i++) {
		char *name = need(strdup(options[i])), *value = strchr(name, '=');

		if (value)
			*value++ = '\0';
		rc = armada_job_set(job, name, value, &err);
		free(name);
	}
	if (rc == 0)
		rc = armada_job_command(job, seconds ? sleep_argv : argv, &err);
	if (rc < 0)
		fail("%s", err.text);
	return job;
}

static void submit_all(struct armada *a, size_t n, size_t batch, int count, char **options,
		       uint64_t *ret_ids)
{
	struct armada_job **jobs = need(calloc(batch, sizeof(struct armada_job *)));

	for (size_t i = 0; i < batch; i++)
		jobs[i] = job_of(count, options);
	for (size_t at = 0, part; at < n; at += part) {
		part = n - at < batch ? n - at : batch;
		if (armada_submit(a, jobs, part, NULL, ret_ids + at, &err) < 0)
			fail("%s", err.text);
	}
	for (size_t i = 0; i < batch; i++)
		armada_job_free(jobs[i]);
	free(jobs);
}

static int do_submit(int argc, char **argv)
{
	size_t n = number(argv[0]), batch = number(argv[1]);
	uint64_t *ids = need(calloc(n, sizeof(*ids)));
	struct armada *a = cluster();
	int64_t from = now_ns();

	submit_all(a, n, batch, argc - 2, argv + 2, ids);
	printf("%.0f\n", (double)n / since_s(from));
	armada_close(a);
	free(ids);
	return 0;
}

/* Sends a message for each answer that is taken, once depth of them are in flight. */
static void submit_pipelined(struct armada *a, size_t n, size_t batch, size_t depth, int count,
			     char **options, uint64_t *ret_ids)
{
	struct armada_job **jobs = need(calloc(batch, sizeof(struct armada_job *)));
	size_t messages = n / batch, sent = 0;

	for (size_t i = 0; i < batch; i++)
		jobs[i] = job_of(count, options);
	for (size_t got = 0; got < messages; got++) {
		for (; sent < messages && sent - got < depth; sent++)
			if (armada_submit_send(a, jobs, batch, NULL, &err) < 0)
				fail("%s", err.text);
		if (armada_submit_receive(a, ret_ids + got * batch, &err) < 0)
			fail("%s", err.text);
	}
	for (size_t i = 0; i < batch; i++)
		armada_job_free(jobs[i]);
	free(jobs);
}

static int do_pipeline(int argc, char **argv)
{
	size_t n = number(argv[0]), batch = number(argv[1]), depth = number(argv[2]);
	uint64_t *ids = need(calloc(n, sizeof(*ids)));
	struct armada *a = cluster();
	int64_t from;

	if (n % batch)
		fail("%zu jobs are no whole number of messages of %zu", n, batch);
	from = now_ns();
	submit_pipelined(a, n, batch, depth, argc - 3, argv + 3, ids);
	printf("%.0f\n", (double)n / since_s(from));
	for (size_t i = 1; i < n; i++)
		if (ids[i] <= ids[i - 1])
			fail("job %llu follows job %llu", (unsigned long long)ids[i],
			     (unsigned long long)ids[i - 1]);
	armada_close(a);
	free(ids);
	return 0;
}

static bool any_left(struct armada *a)
{
	struct armada_cursor at = {0};
	struct armada_info info;
	size_t n;

	if (armada_list(a, 0, &at, &info, sizeof(info), 1, &n, &err) < 0)
		fail("%s", err.text);
	return n > 0;
}

/*
 * Waits until all jobs of the caller have ended; the job that was submitted last is asked for
 * first, because it probably ends last.
 */
static void until_done(struct armada *a, uint64_t last)
{
	int state, exit_code;

	if (armada_wait(a, last, JOB_TIMEOUT_MS, &state, &exit_code, &err) < 0)
		fail("%s", err.text);
	while (any_left(a))
		pause_us(TRY_US);
}

/* The history is written with a delay, so the row of a job may be missing at first. */
static void must_have_completed(struct armada *a, uint64_t id)
{
	int state, exit_code;

	if (armada_wait(a, id, JOB_TIMEOUT_MS, &state, &exit_code, &err) < 0)
		fail("%s", err.text);
	if (state != ARMADA_COMPLETED)
		fail("job %llu is in state %d with exit code %d", (unsigned long long)id, state,
		     exit_code);
}

static void run(size_t n, size_t batch, size_t elements, int count, char **options)
{
	uint64_t *ids = need(calloc(n, sizeof(*ids)));
	struct armada *a = cluster();
	int64_t from = now_ns();
	double seconds;

	submit_all(a, n, batch, count, options, ids);
	until_done(a, ids[n - 1]);
	seconds = since_s(from);
	for (size_t i = 0; i < n; i++)
		must_have_completed(a, ids[i]);
	printf("%.0f\n", (double)(n * elements) / seconds);
	armada_close(a);
	free(ids);
}

static int do_run(int argc, char **argv)
{
	run(number(argv[0]), number(argv[1]), 1, argc - 2, argv + 2);
	return 0;
}

static int do_array(int argc, char **argv)
{
	size_t n = number(argv[0]);
	char option[64], *options[] = {option};

	(void)argc;
	snprintf(option, sizeof(option), "array=1-%zu", n);
	run(1, 1, n, 1, options);
	return 0;
}

/* ---- latency ---- */

/* Runs as the job: writes the time to the pipe. */
static int do_stamp(int argc, char **argv)
{
	int64_t at = now_ns();
	int fd = open(argv[0], O_WRONLY | O_CLOEXEC);

	(void)argc;
	return fd < 0 || write(fd, &at, sizeof(at)) != sizeof(at);
}

static int64_t one_try(char *const argv[], int fifo)
{
	struct pollfd p = {.fd = fifo, .events = POLLIN};
	int64_t from = now_ns(), at;

	processes(1, argv);
	if (poll(&p, 1, JOB_TIMEOUT_MS) != 1 || read(fifo, &at, sizeof(at)) != sizeof(at))
		fail("%s: its job did not start", argv[0]);
	return at - from;
}

static int ascending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int do_latency(int argc, char **argv)
{
	size_t n = number(argv[0]);
	int64_t *took = need(calloc(n, sizeof(*took)));
	struct armada *a = cluster();
	/* Opened for writing too, so that the reader gets no end of file between two jobs. */
	int fifo = open(argv[1], O_RDWR | O_CLOEXEC);

	(void)argc;
	if (fifo < 0)
		fail("%s: %s", argv[1], strerror(errno));
	for (size_t i = 0; i < n; i++) {
		took[i] = one_try(argv + 2, fifo);
		while (any_left(a))
			pause_us(TRY_US);
		pause_us(REST_US);
	}
	qsort(took, n, sizeof(*took), ascending);
	printf("%.2f %.2f\n", (double)took[n / 2] / 1e6, (double)took[n * 99 / 100] / 1e6);
	armada_close(a);
	free(took);
	return 0;
}

static uint64_t submit_one(struct armada *a, int count, char **options)
{
	struct armada_job *job = job_of(count, options);
	uint64_t id;

	if (armada_submit(a, &job, 1, NULL, &id, &err) < 0)
		fail("%s", err.text);
	armada_job_free(job);
	return id;
}

static int do_ask(int argc, char **argv)
{
	size_t n = number(argv[0]), found;
	int64_t *took = need(calloc(n, sizeof(*took)));
	char *options[] = {(char *)"hold"};
	struct armada *a = cluster();
	uint64_t id = submit_one(a, 1, options);
	struct armada_info info;

	(void)argc;
	for (size_t i = 0; i < n; i++) {
		struct armada_cursor at = {0};
		int64_t from = now_ns();

		if (armada_list(a, id, &at, &info, sizeof(info), 1, &found, &err) < 0 || !found)
			fail("job %llu: %s", (unsigned long long)id, err.text);
		took[i] = now_ns() - from;
		pause_us(ASK_US);
	}
	qsort(took, n, sizeof(*took), ascending);
	printf("%.3f %.3f\n", (double)took[n / 2] / 1e6, (double)took[n * 99 / 100] / 1e6);
	if (armada_cancel(a, id, &err) < 0)
		fail("%s", err.text);
	armada_close(a);
	free(took);
	return 0;
}

static int do_churn(int argc, char **argv)
{
	size_t batch = number(argv[0]), seconds = number(argv[1]);
	uint64_t *ids = need(calloc(batch, sizeof(*ids)));
	struct armada *a = cluster();
	int64_t from = now_ns();

	while (since_s(from) < (double)seconds) {
		submit_all(a, batch, batch, argc - 2, argv + 2, ids);
		pause_us(CHURN_US);
	}
	armada_close(a);
	free(ids);
	return 0;
}

static const struct {
	const char *name;
	int least; /* number of arguments */
	int (*run)(int argc, char **argv);
} commands[] = {
	{"pipeline", 3, do_pipeline}, {"floor", 1, do_floor}, {"storm", 3, do_storm},
	{"submit", 2, do_submit},     {"run", 2, do_run},     {"array", 1, do_array},
	{"latency", 3, do_latency},   {"ask", 1, do_ask},     {"churn", 2, do_churn},
	{"stamp", 1, do_stamp},       {"time", 1, do_time},   {"until", 3, do_until},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].name, argv[1]) && argc - 2 >= commands[i].least)
			return commands[i].run(argc - 2, argv + 2);
	}
	fail("no command given; the commands are listed at the top of bench_client.c");
}

/*
 * The rate at which a node starts tasks: orders of /bin/true through launcher and shepherds, each
 * accepted, started and ended durably, compared with a loop of fork, exec and wait in the same run.
 * Also prints the memory of launcher and shepherd.
 *
 *	bench_launch [TASKS [AT_ONCE]]
 */
#include "rig.h"

#include "tap/tap.h"
#include "util/mem.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 5, ENVIRONMENT = 4000 };

static struct box box;
static struct rig rig;
static uint64_t next_job = 1;

static double bare(int tasks)
{
	int64_t from_us = box_now_us();

	for (int i = 0; i < tasks; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	return tasks * 1e6 / (double)(box_now_us() - from_us);
}

static void order_one(void)
{
	static char env[ENVIRONMENT] = "X=";
	Armada__TaskBody *body = box_body(&box, next_job++, "/bin/true", NULL);

	memset(env + 2, 'x', sizeof(env) - 3);
	body->env.data = (uint8_t *)env;
	body->env.len = sizeof(env);
	rig_launch(&rig, body);
	arena_clear(box.arena);
}

static bool is_end(void)
{
	const struct pipe_report *p = &rig.msg.report;
	Armada__Report *r =
		msg_unpack_as(&armada__report__descriptor, p->packed, p->len, box.arena, NULL);
	bool ended = r && r->kind == ARMADA__REPORT__KIND__REPORT_ENDED;

	if (ended && r->end->cause != ARMADA__END_CAUSE__END_EXITED)
		bail("a task failed: %s", r->end->text);
	arena_clear(box.arena);
	return ended;
}

static double launches(int tasks, int at_once)
{
	int64_t from_us = box_now_us();
	int ordered = 0, ended = 0;

	while (ended < tasks) {
		for (; ordered < tasks && ordered - ended < at_once; ordered++)
			order_one();
		if (!rig_expect(&rig, PIPE_REPORT))
			bail("no report came");
		ended += is_end();
	}
	return tasks * 1e6 / (double)(box_now_us() - from_us);
}

static int compare(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

static double median(double v[RUNS])
{
	qsort(v, RUNS, sizeof(v[0]), compare);
	return v[RUNS / 2];
}

/* Of smaps_rollup, in KiB. */
static void weigh(const char *what, pid_t pid)
{
	char path[64], line[256];
	long rss = 0, pss = 0, dirty = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "Rss: %ld", &rss);
		sscanf(line, "Pss: %ld", &pss);
		sscanf(line, "Private_Dirty: %ld", &dirty);
	}
	if (f)
		fclose(f);
	printf("%s: rss %ld KiB, proportional %ld KiB, its own %ld KiB\n", what, rss, pss, dirty);
}

static void weigh_all(void)
{
	Armada__TaskBody *body = box_body(&box, next_job++, "/bin/sh", "-c",
					  "echo $PPID > shepherd; sleep 100", NULL);
	struct order o = rig_order(&rig, body, ORDER_KILL);
	char path[400];

	snprintf(path, sizeof(path), "%s/shepherd", box.out);
	rig_launch(&rig, body);
	box_wait_file(path);
	weigh("launcher", rig.launcher);
	weigh("shepherd", atoi(box_read(&box, path)));
	rig_send_order(&rig, &o, NULL, false, true);
	rig_expect_report(&rig, body, ARMADA__REPORT__KIND__REPORT_ENDED);
}

int main(int argc, char **argv)
{
	int tasks = argc > 1 ? atoi(argv[1]) : 1000, at_once = argc > 2 ? atoi(argv[2]) : 16;
	double bare_rate[RUNS], one[RUNS], many[RUNS];

	box_open(&box);
	rig_init(&rig, &box);
	if (!rig_start(&rig))
		bail("the launcher does not start");
	rig_controller(&rig, RIG_CONTROLLER, rig_cluster, rig_cluster);
	rig_expect(&rig, PIPE_HELLO);
	for (int i = 0; i < RUNS; i++) {
		bare_rate[i] = bare(tasks);
		one[i] = launches(tasks / 4 + 1, 1);
		many[i] = launches(tasks, at_once);
	}
	printf("medians of %d runs, %d tasks each\n", RUNS, tasks);
	printf("bare fork, exec, wait: %.0f a second\n", median(bare_rate));
	printf("launches, one at a time: %.0f a second\n", median(one));
	printf("launches, %d at once: %.0f a second\n", at_once, median(many));
	weigh_all();
	rig_stop(&rig, SIGTERM);
	box_close(&box);
	return 0;
}

/*
 * Runs a seed: some time with faults; then everything is connected and started, and each user must get an
 * answer, unless no server has all that was acknowledged.
 *
 * Input: the options and the plugin state/redis. Output: a line for the seed, and the trace if an invariant
 * was violated. The directories of the controllers are in TMPDIR or in memory, and are removed.
 */
#include "asim/replicated/seed.h"
#include "asim/replicated/admin.h"
#include "asim/replicated/conn.h"
#include "asim/replicated/controller.h"
#include "asim/replicated/fault.h"
#include "asim/replicated/sentinel.h"
#include "asim/replicated/task.h"
#include "asim/replicated/users.h"
#include "plugin/plugin.h"
#include "util/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VALUES_MAX = 40, DRAIN_US = 180 * SECOND };

static const char *const servers[] = {"r0:6379", "r1:6379", "r2:6379"};
static const char *const sentinels[] = {"s0:26379", "s1:26379", "s2:26379"};

static struct armada_option_value *value_of(const struct plugin *p,
					    struct armada_option_value *values, const char *name)
{
	size_t i = 0;

	while (i + 1 < p->desc->option_count && strcmp(p->desc->options[i].name, name) != 0)
		i++;
	return &values[i];
}

static void set_options(struct world *w, const struct plugin *p, struct armada_option_value *values)
{
	static const char *const copies[] = {"all", "all", "5s"};

	memcpy(values, p->values, p->desc->option_count * sizeof(*values));
	value_of(p, values, "servers")->list = servers;
	value_of(p, values, "servers")->count = SERVERS;
	value_of(p, values, "sentinels")->list = sentinels;
	value_of(p, values, "sentinels")->count = SERVERS;
	value_of(p, values, "copies")->s = copies[world_random(w, ARRAY_SIZE(copies))];
}

static void remove_dir(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%.200s", dir, e->d_name);
		if (unlink(path))
			remove_dir(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static void run(struct world *w)
{
	int64_t end_us = (int64_t)w->opt->seconds * SECOND;

	while (!w->violation[0] && !w->forked && w->now_us < end_us && world_step(w))
		;
	w->faults = false;
	world_trace(w, "the faults end");
	admin_heal(w);
	end_us = w->now_us + DRAIN_US;
	while (!w->violation[0] && !w->forked && w->now_us < end_us && !users_done(w) &&
	       world_step(w))
		;
	if (!users_done(w) && !w->forked && !admin_gives_up(w))
		world_violate(w,
			      "not all submissions are answered %" PRId64 " s after the last fault",
			      DRAIN_US / SECOND);
}

static void print_result(const struct world *w)
{
	const struct world_count *n = &w->count;

	if (w->violation[0]) {
		printf("seed %" PRIu64 ": event %" PRIu64 ": %s\nthe end of the trace:\n",
		       w->opt->seed, w->order, w->violation);
		for (uint64_t i = w->line_count > TRACE_LINES ? w->line_count - TRACE_LINES : 0;
		     i < w->line_count; i++)
			printf("%s\n", w->lines[i % TRACE_LINES]);
		return;
	}
	printf("seed %" PRIu64 ": ok, %" PRIu64 " events, %.0f s, %" PRIu64
	       " records acknowledged, %" PRIu64 " answers, %" PRIu64 " leaders, %" PRIu64
	       " kills, %" PRIu64 " stopped, %" PRIu64 " partitions, %" PRIu64
	       " failovers of the store, %" PRIu64 " copies damaged, %" PRIu64
	       " handed over, %" PRIu64 " changes of the set, %" PRIu64
	       " stops for lost data, %" PRIu64 " told by others%s, trace %016" PRIx64 "\n",
	       w->opt->seed, w->order, (double)w->now_us / 1e6, n->acked, n->answers, n->leads,
	       n->kills, n->pauses, n->cuts, n->failovers, n->damaged, n->handed_over, n->shrunk,
	       n->stops, n->told,
	       w->forked           ? ", one controller goes on"
	       : admin_gives_up(w) ? ", nothing left"
				   : "",
	       w->hash);
}

static int play(const struct replicated_options *opt, const struct plugin *p, const char *dir)
{
	struct armada_option_value values[VALUES_MAX];
	struct world w = {.opt = opt,
			  .rng = opt->seed * UINT64_C(0x2545f4914f6cdd1d) + 1,
			  .run = arena_new(0),
			  .now_us = SECOND, /* 0 is never a time */
			  .faults = true};

	set_options(&w, p, values);
	conns_init(&w);
	truth_init(&w);
	servers_init(&w);
	sentinels_init(&w);
	users_init(&w);
	admin_init(&w);
	faults_init(&w);
	controllers_init(&w, p->ops, values, dir);
	run(&w);
	controllers_done(&w);
	print_result(&w);
	conns_done(&w);
	free(w.events);
	arena_free(w.run);
	return w.violation[0] != '\0';
}

int replicated_run(const struct replicated_options *opt)
{
	const char *tmp = getenv("TMPDIR");
	struct plugin p;
	struct err err;
	char dir[100];
	int cwd CLEANUP_CLOSE = -1;
	int rc = plugin_load(&p, opt->plugins, ARMADA_PLUGIN_STATE, "redis", &err);

	if (rc < 0 || p.desc->option_count > VALUES_MAX) {
		fprintf(stderr, "asim: error: %s\n",
			rc < 0 ? err.text : "the plugin has too many options");
		return 2;
	}
	snprintf(dir, sizeof(dir), "%.60s/asim-replicated-XXXXXX",
		 tmp && *tmp                ? tmp
		 : access("/dev/shm", W_OK) ? "/tmp"
					    : "/dev/shm");
	if (!mkdtemp(dir)) {
		fprintf(stderr, "asim: error: %s: %s\n", dir, strerror(errno));
		plugin_free(&p);
		return 2;
	}
	/* relative names of the directories: messages with them are in the trace */
	cwd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cwd >= 0 && chdir(dir) == 0) {
		rc = play(opt, &p, ".");
		if (fchdir(cwd))
			rc = 2;
	} else {
		rc = 2;
	}
	remove_dir(dir);
	plugin_free(&p);
	return rc;
}

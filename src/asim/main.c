/*
 * asim: runs the controller, the scheduler and the agent with simulated time.
 *
 * Input: a mode (rounds or storm) and its options. Output: JSON lines of rounds, or one line for
 * each seed. Exit status: 0 passed, 1 a check failed, 2 the command line or the scenario is
 * invalid.
 */
#include "config.h"
#include "asim/replicated/seed.h"
#include "asim/rounds/play.h"
#include "asim/storm/invariant/table.h"
#include "asim/storm/seed.h"
#include "util/options.h"
#include "util/visible.h"

#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };
enum { WANT_HELP = OPT_ERRNO_LEAST - 1, WANT_VERSION = OPT_ERRNO_LEAST - 2 };

struct request {
	struct play_options rounds;
	struct storm_options storm;
	struct replicated_options replicated;
	bool several; /* controllers */
	const char *plugins;
	uint64_t seeds;
	bool stop;
};

/* clang-format off */
#define NUMBER(field) OPT_INT(struct request, field, 0, INT64_MAX)
static const struct opt rounds_rows[] = {
	{"check", NULL, 0, NULL, OPT_FLAG(struct request, rounds.check),
	 "Verify each round with code that is independent of the scheduler"},
	{"config", NULL, 0, "FILE", OPT_TEXT(struct request, rounds.from.config),
	 "Take classes, queues, limits and plugins from this armada.conf"},
	{"time", NULL, 0, NULL, OPT_FLAG(struct request, rounds.time),
	 "Print how many microseconds each round took"},
};

static const struct opt storm_rows[] = {
	{"seed", NULL, 0, "N", NUMBER(storm.seed), "The first seed (default: 1); the same seed gives the same run"},
	{"seeds", NULL, 0, "COUNT", NUMBER(seeds), "How many seeds to run, one after the other (default: 1)"},
	{"steps", NULL, 0, "N", NUMBER(storm.steps), "How many events to simulate with faults (default: 5000)"},
	{"elastic", NULL, 0, "N", OPT_INT(struct request, storm.elastic, 0, 100),
	 "How many of 100 jobs are elastic (default: 10)"},
	{"tasks", NULL, 0, "N", OPT_INT(struct request, storm.tasks, 4, SIM_RANKS),
	 "The most tasks of a job, 4 to 16 (default: 4)"},
	{"explain", NULL, 0, NULL, OPT_FLAG(struct request, storm.explain),
	 "Explain some jobs before each round; a job must start if its explanation says so"},
	{"replicated", NULL, 0, NULL, OPT_FLAG(struct request, several),
	 "Several controllers that share a log in Redis, in place of one with its nodes"},
	{"seconds", NULL, 0, "N", OPT_INT(struct request, replicated.seconds, 1, 1000),
	 "With --replicated: how many seconds to simulate with faults (default: 100)"},
	{"stop", NULL, 0, NULL, OPT_FLAG(struct request, stop), "Stop at the first seed that fails"},
	{"verbose", NULL, 'v', NULL, OPT_FLAG(struct request, storm.verbose), "Print the trace of each event"},
};

static const struct opt common_rows[] = {
	{"plugins", NULL, 0, "DIR", OPT_TEXT(struct request, plugins), "Directory of the policy plugins"},
	{"help", NULL, 'h', NULL, OPT_STOP(WANT_HELP), "Print help and exit"},
	{"version", NULL, 'V', NULL, OPT_STOP(WANT_VERSION), "Print the release and exit"},
};
/* clang-format on */

static const struct opt_table rounds_table = {"asim rounds", rounds_rows, ARRAY_SIZE(rounds_rows)};
static const struct opt_table storm_table = {"asim storm", storm_rows, ARRAY_SIZE(storm_rows)};
static const struct opt_table common_table = {"Both", common_rows, ARRAY_SIZE(common_rows)};
static const struct opt_table *const no_mode[] = {&common_table, NULL};

static int usage(const char *what, const char *arg)
{
	CLEANUP_BUF struct buf text = {0};

	buf_addf(&text, "%s%s%s", what, arg ? " " : "", arg ? arg : "");
	visible_complain("asim: error", (char *)text.data);
	return EXIT_USAGE;
}

/*
 * The directory of the policy plugins: from the environment, or in the build tree that contains
 * this program, or where they are installed.
 */
static const char *default_plugins(void)
{
	static const char place[] = "/src/asim/asim", dir[] = "/plugins.d";
	static char path[PATH_MAX];
	const char *said = getenv("ARMADA_PLUGIN_DIR");
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(dir));

	if (said && said[0])
		return said;
	if (n <= (ssize_t)sizeof(place))
		return ARMADA_PLUGINDIR;
	path[n] = '\0';
	n -= (ssize_t)sizeof(place) - 1;
	if (strcmp(path + n, place) != 0)
		return ARMADA_PLUGINDIR;
	memcpy(path + n, dir, sizeof(dir));
	return access(path, X_OK) == 0 ? path : ARMADA_PLUGINDIR;
}

static int run_rounds(struct request *r, const char *file)
{
	if (!file)
		return usage("no scenario given", NULL);
	r->rounds.file = file;
	/* a site's file says where its plugins are */
	if (r->rounds.from.config && !r->plugins && !getenv("ARMADA_PLUGIN_DIR"))
		r->rounds.from.plugin_dir = NULL;
	return play_file(&r->rounds);
}

#ifdef HAVE_HIREDIS
static int run_replicated(struct request *r)
{
	r->replicated.seed = r->storm.seed;
	r->replicated.plugins = r->storm.plugins;
	r->replicated.verbose = r->storm.verbose;
	return replicated_run(&r->replicated);
}
#else
static int run_replicated(struct request *r UNUSED)
{
	return usage(
		"--replicated needs the plugin state/redis, without which this program was built",
		NULL);
}
#endif

static int run_storm(struct request *r, const char *file)
{
	int failed = 0, rc;

	(void)file;
	for (uint64_t i = 0; i < r->seeds && !(r->stop && failed); i++, r->storm.seed++) {
		rc = r->several ? run_replicated(r) : seed_run(&r->storm);
		if (rc == EXIT_USAGE)
			return rc;
		failed += rc;
	}
	if (r->seeds > 1)
		printf("%" PRIu64 " seeds, %d failed\n", r->seeds, failed);
	return failed > 0;
}

static const struct mode {
	const char *name;
	size_t operands;
	const struct opt_table *tables[3];
	int (*run)(struct request *r, const char *operand);
} modes[] = {
	{"rounds", 1, {&rounds_table, &common_table}, run_rounds},
	{"storm", 0, {&storm_table, &common_table}, run_storm},
};

static int help(void)
{
	static const struct opt_table *const all[] = {&rounds_table, &storm_table, &common_table,
						      NULL};
	CLEANUP_BUF struct buf text = {0};

	buf_addstr(
		&text,
		"Usage: asim rounds [option...] SCENARIO.json\n"
		"       asim storm [option...]\n"
		"rounds: run the scheduling rounds of a scenario; print each as a line of JSON.\n"
		"storm: run the controller and its nodes under simulated faults and check that "
		"nothing is lost\nand nothing runs twice.\n\n");
	opt_help(all, &text);
	buf_addstr(&text, "\nExit status: 0 passed, 1 a check failed, 2 the command line "
			  "or the scenario is invalid.\n");
	fwrite(text.data, 1, text.len, stdout);
	return 0;
}

/* Parse the options and run the mode (NULL: none given). */
static int run(const struct mode *mode, int argc, char **argv)
{
	struct request r = {
		.storm = {.seed = 1,
			  .steps = 5000,
			  .elastic = 10,
			  .tasks = 4,
			  .invariants = invariant_table},
		.replicated = {.seconds = 100},
		.seeds = 1,
	};
	CLEANUP_FREE const char **operands = NULL;
	size_t count = 0;
	struct err err;
	int rc;

	rc = opt_parse(mode ? mode->tables : no_mode, argc, argv, &r, &operands, &count, &err);
	if (rc == WANT_HELP)
		return help();
	if (rc == WANT_VERSION)
		return printf("asim (Armada) %s\n", PACKAGE_VERSION), 0;
	if (rc < 0)
		return usage(err.text, NULL);
	if (!mode)
		return usage(count ? "expected rounds or storm, not"
				   : "no mode given: rounds or storm",
			     operands[0]);
	if (count > mode->operands)
		return usage("unexpected argument", operands[mode->operands]);
	r.storm.plugins = r.rounds.from.plugin_dir = r.plugins ? r.plugins : default_plugins();
	return mode->run(&r, operands[0]);
}

int main(int argc, char **argv)
{
	if (sodium_init() < 0)
		return usage("cannot initialize libsodium", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
			return run(&modes[i], argc - 1, argv + 1);
	return run(NULL, argc, argv);
}

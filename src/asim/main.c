/* asim: the controller, the scheduler and the agent under another clock. */
#include "config.h"
#include "asim/rounds.h"
#include "asim/storm.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

static const char help[] =
	"Usage: asim rounds [--check] [--time] [--plugins DIR] SCENARIO.json\n"
	"       asim storm [--seed N] [--seeds COUNT] [--steps N] [--plugins DIR]\n"
	"                  [--explain] [--stop] [--verbose]\n"
	"rounds: run the scheduling rounds of a scenario; print each as a line of JSON.\n\n"
	"  --check         verify each round with code that is not the scheduler's\n"
	"  --time          print how many microseconds a round took\n"
	"  --plugins DIR   where the policy plugins are\n\n"
	"storm: run the controller and its nodes under simulated faults and check that nothing is lost\n"
	"and nothing runs twice.\n\n"
	"  --seed N        the first seed (default 1); the same seed gives the same run\n"
	"  --seeds COUNT   how many seeds, one after the other (default 1)\n"
	"  --steps N       how many steps with faults on (default 5000)\n"
	"  --plugins DIR   where the policy plugins are\n"
	"  --explain       explain jobs before each round: nothing may change by it\n"
	"  --stop          stop at the first seed that fails\n"
	"  -v, --verbose   print what happens\n"
	"  -h, --help      print this\n"
	"  -V, --version   print the version\n\n"
	"Exit status: 0 all is well, 1 an invariant or a check was broken, 2 usage or bad input.\n";

static bool number(const char *text, uint64_t *ret)
{
	char *end;

	*ret = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end;
}

static int usage(const char *what, const char *arg)
{
	fprintf(stderr, "asim: %s%s%s (asim --help shows what there is)\n", what, arg ? " " : "",
		arg ? arg : "");
	return EXIT_USAGE;
}

/*
 * Where the policy plugins are: what the environment says, the build tree that this program lies in,
 * or where they are installed.
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

static int storm(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},
		{"seeds", required_argument, NULL, 'c'},
		{"steps", required_argument, NULL, 'n'},
		{"plugins", required_argument, NULL, 'p'},
		{"stop", no_argument, NULL, 'S'},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{"explain", no_argument, NULL, 'e'},
		{NULL, 0, NULL, 0},
	};
	struct storm_options o = {.seed = 1, .steps = 5000, .plugins = default_plugins()};
	uint64_t seeds = 1, *to;
	bool stop = false;
	int failed = 0, c;

	while ((c = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		to = c == 's' ? &o.seed : c == 'c' ? &seeds : c == 'n' ? &o.steps : NULL;
		if (to && !number(optarg, to))
			return usage("not a number:", optarg);
		if (c == 'p')
			o.plugins = optarg;
		else if (c == 'S')
			stop = true;
		else if (c == 'e')
			o.explain = true;
		else if (c == 'v')
			o.verbose = true;
		else if (c == 'h')
			return fputs(help, stdout), 0;
		else if (c == '?')
			return EXIT_USAGE;
	}
	if (optind < argc)
		return usage("what is", argv[optind]);
	for (uint64_t i = 0; i < seeds && !(stop && failed); i++, o.seed++)
		failed += storm_run_seed(&o);
	if (seeds > 1)
		printf("%" PRIu64 " seeds, %d failed\n", seeds, failed);
	return failed > 0;
}

static int rounds(int argc, char **argv)
{
	static const struct option options[] = {
		{"check", no_argument, NULL, 'c'},
		{"time", no_argument, NULL, 't'},
		{"plugins", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct rounds_options o = {.plugins = default_plugins()};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'c')
			o.check = true;
		else if (c == 't')
			o.time = true;
		else if (c == 'p')
			o.plugins = optarg;
		else if (c == 'h')
			return fputs(help, stdout), 0;
		else
			return EXIT_USAGE;
	}
	if (optind == argc)
		return usage("which scenario?", NULL);
	if (optind + 1 < argc)
		return usage("what is", argv[optind + 1]);
	o.file = argv[optind];
	return rounds_run(&o);
}

int main(int argc, char **argv)
{
	if (sodium_init() < 0)
		return usage("libsodium does not start", NULL);
	if (argc < 2)
		return usage("which mode?", NULL);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return fputs(help, stdout), 0;
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return printf("asim %s\n", PACKAGE_VERSION), 0;
	if (strcmp(argv[1], "storm") == 0)
		return storm(argc - 1, argv + 1);
	if (strcmp(argv[1], "rounds") == 0)
		return rounds(argc - 1, argv + 1);
	return usage("no such mode:", argv[1]);
}

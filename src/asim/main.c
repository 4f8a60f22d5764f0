/* asim: the controller, the scheduler and the agent under another clock. */
#include "config.h"
#include "asim/storm.h"

#include <getopt.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static const char help[] =
	"Usage: asim storm [--seed N] [--seeds COUNT] [--steps N] [--plugins DIR] [--verbose]\n"
	"Run the controller and its nodes under simulated faults and check that nothing is lost\n"
	"and nothing runs twice.\n\n"
	"  --seed N        the first seed (default 1); the same seed gives the same run\n"
	"  --seeds COUNT   how many seeds, one after the other (default 1)\n"
	"  --steps N       how many steps with faults on (default 5000)\n"
	"  --plugins DIR   where the policy plugins are\n"
	"  --stop          stop at the first seed that fails\n"
	"  -v, --verbose   print what happens\n"
	"  -h, --help      print this\n"
	"  -V, --version   print the version\n\n"
	"Exit status: 0 every seed is clean, 1 an invariant was broken, 2 usage.\n";

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

static int storm(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},  {"seeds", required_argument, NULL, 'c'},
		{"steps", required_argument, NULL, 'n'}, {"plugins", required_argument, NULL, 'p'},
		{"stop", no_argument, NULL, 'S'},        {"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
	};
	struct storm_options o = {.seed = 1, .steps = 5000, .plugins = ARMADA_PLUGINDIR};
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
	return usage("no such mode:", argv[1]);
}

#include "config.h"

#include "armctld/loop.h"
#include "armctld/setup.h"
#include "armctld/startup.h"
#include "util/log.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

enum mode { MODE_RUN, MODE_INIT, MODE_CHECK, MODE_SHOW, MODE_HELP, MODE_VERSION };

struct arguments {
	const char *conf_file;
	enum mode mode;
	int level; /* 0: as armada.conf says */
};

/* Every option; --help and the parser read the same rows. */
struct choice {
	char letter;
	const char *name;
	const char *value; /* what --help calls it; NULL: takes none */
	int (*take)(struct arguments *args, const struct choice *row, const char *value);
	enum mode mode;
	const char *help;
};

static int take_conf(struct arguments *args, const struct choice *row, const char *value)
{
	(void)row;
	args->conf_file = value;
	return 0;
}

static int take_level(struct arguments *args, const struct choice *row, const char *value)
{
	(void)row;
	args->level = log_level_of(value);
	if (args->level >= 0)
		return 0;
	fprintf(stderr, "armctld: --log-level %s: must be error, warn, notice, info or debug\n",
		value);
	return EXIT_USAGE;
}

static int take_verbose(struct arguments *args, const struct choice *row, const char *value)
{
	(void)row, (void)value;
	args->level = args->level == LOG_INFO ? LOG_DEBUG : LOG_INFO;
	return 0;
}

static int take_mode(struct arguments *args, const struct choice *row, const char *value)
{
	(void)value;
	if (args->mode != MODE_RUN && args->mode != row->mode) {
		fprintf(stderr, "armctld: --%s: only one thing at a time\n", row->name);
		return EXIT_USAGE;
	}
	args->mode = row->mode;
	return 0;
}

static const struct choice choices[] = {
	/* clang-format off */
	{ 'f', "config", "FILE", take_conf, 0,
	  "read FILE instead of $ARMADA_CONF or " ARMADA_SYSCONFDIR "/armada.conf" },
	{ 0, "init", NULL, take_mode, MODE_INIT,
	  "make the state of a new cluster and its order key, then exit" },
	{ 0, "check", NULL, take_mode, MODE_CHECK,
	  "say whether armada.conf is valid, then exit" },
	{ 0, "show-config", NULL, take_mode, MODE_SHOW,
	  "print the effective configuration, then exit" },
	{ 0, "foreground", NULL, take_mode, MODE_RUN,
	  "stay in the foreground, as it always does" },
	{ 0, "log-level", "LEVEL", take_level, 0,
	  "log up to LEVEL: error, warn, notice, info or debug" },
	{ 'v', "verbose", NULL, take_verbose, 0,
	  "log more (info); twice: everything (debug)" },
	{ 'h', "help", NULL, take_mode, MODE_HELP,
	  "print this and exit" },
	{ 'V', "version", NULL, take_mode, MODE_VERSION,
	  "print the release and exit" },
	/* clang-format on */
};

static void print_help(void)
{
	char left[64];

	puts("Usage: armctld [OPTION]...\n"
	     "The controller of an Armada cluster.\n");
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		const struct choice *o = &choices[i];

		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			 o->value ? "=" : "", o->value ? o->value : "");
		printf("  %-26s %s\n", left, o->help);
	}
	puts("\nSee armctld(8) and armada.conf(5).");
}

/* "--name", "--name=value", "-f", "-fvalue", and the rest of a cluster of letters in ret_inner. */
static const struct choice *find(const char *arg, const char **ret_inner)
{
	bool is_long = arg[1] == '-';
	const char *name = arg + 1 + is_long;
	size_t len = strcspn(name, "=");

	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		const struct choice *o = &choices[i];

		if (is_long && strlen(o->name) == len && memcmp(o->name, name, len) == 0) {
			*ret_inner = name[len] ? name + len + 1 : NULL;
			return o;
		}
		if (!is_long && o->letter && o->letter == name[0]) {
			*ret_inner = name[1] ? name + 1 : NULL;
			return o;
		}
	}
	return NULL;
}

static int misused(const char *arg, const char *why)
{
	fprintf(stderr, "armctld: %s: %s (armctld --help lists the options)\n", arg, why);
	return EXIT_USAGE;
}

/* One argument, and the next one where it is the option's value. */
static int parse_one(struct arguments *args, char **argv, int *at)
{
	const char *arg = argv[*at], *value = NULL;
	const struct choice *o = arg[0] == '-' && arg[1] ? find(arg, &value) : NULL;
	bool letters;
	int rc;

	if (!o)
		return misused(arg, arg[0] == '-' ? "no such option" : "what is that for");
	letters = arg[1] != '-';
	if (o->value && !value)
		value = argv[++*at];
	if (o->value && !value)
		return misused(arg, "needs a value");
	if (!o->value && value && !letters)
		return misused(arg, "takes no value");
	rc = o->take(args, o, value);
	if (rc || o->value || !value)
		return rc;
	/* -vv: the same letter again */
	for (; *value; value++) {
		if (*value != o->letter)
			return misused(arg, "letters cannot be mixed");
		rc = o->take(args, o, NULL);
		if (rc)
			return rc;
	}
	return 0;
}

static int run(const struct arguments *args)
{
	struct ctld c = {.level_given = args->level != 0};
	struct err err;

	log_open("armctld", STDERR_FILENO, args->level ? args->level : LOG_NOTICE);
	if (startup_begin(&c, args->conf_file, &err) < 0) {
		log_error("%s", err.text);
		return 1;
	}
	loop_run(&c);
	startup_release(&c);
	log_notice("stopped");
	return 0;
}

int main(int argc, char **argv)
{
	struct arguments args = {0};
	int rc;

	for (int i = 1; i < argc; i++) {
		rc = parse_one(&args, argv, &i);
		if (rc)
			return rc;
	}
	switch (args.mode) {
	case MODE_RUN:
		return run(&args);
	case MODE_INIT:
		return setup_init(args.conf_file);
	case MODE_CHECK:
		return setup_check(args.conf_file);
	case MODE_SHOW:
		return setup_show(args.conf_file);
	case MODE_HELP:
		print_help();
		return 0;
	case MODE_VERSION:
		puts("armctld " PACKAGE_VERSION);
		return 0;
	}
	return EXIT_USAGE;
}

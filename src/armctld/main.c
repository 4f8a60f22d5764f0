/*
 * armctld: the controller of a cluster. Input: the command line. Output: an exit code. The modes
 * --init, --check and --show-config return at once (setup.c); otherwise the controller starts
 * (startup.c) and runs its loop (loop.c) until a signal ends it.
 */
#include "config.h"

#include "armctld/again.h"
#include "armctld/loop.h"
#include "armctld/migrate.h"
#include "armctld/notify_helper.h"
#include "armctld/recover.h"
#include "armctld/setup.h"
#include "armctld/startup.h"
#include "conf/conf.h"
#include "util/memory_use.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/options.h"
#include "util/visible.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

enum mode {
	MODE_RUN,
	MODE_INIT,
	MODE_CHECK,
	MODE_SHOW,
	MODE_RECOVER,
	MODE_MIGRATE,
	MODE_HELP,
	MODE_VERSION
};

struct arguments {
	const char *conf_file, *name;
	enum mode mode;
	const char *from, *to; /* of --migrate */
	bool yes, changed;
	int level, format; /* 0: as armada.conf says */
};

static int set_mode(void *field, const void *mode, const char *value, struct err *err)
{
	enum mode *now = field;
	const enum mode *wanted = mode;

	(void)value;
	if (*now != MODE_RUN && *now != *wanted)
		return err_set(err, -EINVAL, "only one mode can be given");
	*now = *wanted;
	return 0;
}

static int set_show(void *target, const void *unused, const char *value, struct err *err)
{
	static const enum mode show = MODE_SHOW;
	struct arguments *args = target;
	int rc = conf_show_read(value, &args->changed, err);

	(void)unused;
	return rc < 0 ? rc : set_mode(&args->mode, &show, NULL, err);
}

static int set_migrate(void *target, const void *unused, const char *value, struct err *err)
{
	static const enum mode migrate = MODE_MIGRATE;
	struct arguments *args = target;

	(void)unused;
	args->from = value;
	return set_mode(&args->mode, &migrate, NULL, err);
}

/* clang-format off */
#define OPT_MODE(m) OPT_READ(struct arguments, mode, set_mode, &(const enum mode){m})
static const struct opt rows[] = {
	{"config", NULL, 'f', "FILE", OPT_TEXT(struct arguments, conf_file),
	 "Read FILE instead of $ARMADA_CONF or " ARMADA_SYSCONFDIR "/armada.conf"},
	{"name", NULL, 0, "NAME", OPT_TEXT(struct arguments, name),
	 "This is the controller NAME of controllers in armada.conf (default: the one whose host this is)"},
	{"init", NULL, 0, NULL, OPT_MODE(MODE_INIT), "Create the state of a new cluster and its order key, and exit"},
	{"check", NULL, 0, NULL, OPT_MODE(MODE_CHECK), "Check the configuration, print errors with file and line, and exit"},
	{"show-config", NULL, 0, "[WHAT]", OPT_WITH(set_show, NULL),
	 "Print every option with its effective value, or with WHAT changed only those that the file sets, and exit"},
	{"recover", NULL, 0, NULL, OPT_MODE(MODE_RECOVER), "Show what can be kept of a damaged state and what would be lost, and exit"},
	{"yes", NULL, 0, NULL, OPT_FLAG(struct arguments, yes), "With --recover: keep it, and rename the damaged files"},
	{"migrate", NULL, 0, "FROM", OPT_WITH(set_migrate, NULL),
	 "Move the state from state plugin FROM to another one, as in --migrate sqlite redis, and exit"},
	{"foreground", NULL, 0, NULL, OPT_MODE(MODE_RUN), "Stay in the foreground; this is always the case"},
	{"log-level", NULL, 0, "LEVEL", OPT_LOG_LEVEL(struct arguments, level),
	 "Log messages up to LEVEL: error, warn, notice, info or debug"},
	{"log-format", NULL, 0, "FORMAT", OPT_LOG_FORMAT(struct arguments, format),
	 "Log in this format: text or json"},
	{"verbose", NULL, 'v', NULL, OPT_LOG_LEVEL(struct arguments, level),
	 "Log more (info); given twice, log everything (debug)"},
	{"help", NULL, 'h', NULL, OPT_MODE(MODE_HELP), "Print the options and exit"},
	{"version", NULL, 'V', NULL, OPT_MODE(MODE_VERSION), "Print the release and exit"},
};
/* clang-format on */

static const struct opt_table table = {"Options", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&table, NULL};

static int parse(int argc, char **argv, struct arguments *args, struct err *err)
{
	CLEANUP_FREE const char **operands = NULL;
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, args, &operands, &count, err);

	if (rc == 0 && args->mode == MODE_MIGRATE) {
		if (count != 1)
			return err_set(
				err, -EINVAL,
				"--migrate takes two state plugins, as in --migrate sqlite redis");
		args->to = operands[0];
		return args->yes ? err_set(err, -EINVAL, "--yes belongs to --recover") : 0;
	}
	if (rc == 0 && count)
		return err_set(err, -EINVAL, "%s: armctld takes options only", operands[0]);
	if (rc == 0 && args->yes && args->mode != MODE_RECOVER)
		return err_set(err, -EINVAL, "--yes belongs to --recover");
	return rc;
}

static int print_help(void)
{
	CLEANUP_BUF struct buf text = {0};

	buf_addstr(&text, "Usage: armctld [OPTION]...\n"
			  "The controller of an Armada cluster.\n\n");
	opt_help(tables, &text);
	buf_addstr(&text, "\nSee armctld(8) and armada.conf(5).\n");
	fwrite(text.data, 1, text.len, stdout);
	return 0;
}

static int run(const struct arguments *args)
{
	struct ctld c = {.name = args->name,
			 .level_given = args->level != 0,
			 .format_given = args->format != 0};
	struct err err;
	bool again;

	memory_use_setup();
	log_open("armctld", STDERR_FILENO, args->level ? (enum log_level)args->level : LOG_NOTICE);
	log_set_format((enum log_format)args->format);
	if (startup_begin(&c, args->conf_file, &err) < 0) {
		log_error("%s", err.text);
		return 1;
	}
	loop_run(&c);
	again = c.restarts;
	startup_release(&c);
	if (again)
		again_now();
	log_notice("stopped");
	return 0;
}

int main(int argc, char **argv)
{
	struct arguments args = {0};
	struct err err;

	if (argc && strcmp(argv[0], NOTIFY_HELPER_NAME) == 0)
		return notify_helper_main(argc, argv);
	if (parse(argc, argv, &args, &err) < 0) {
		visible_complain("armctld: error", err.text);
		return EXIT_USAGE;
	}
	again_keep(argv);
	switch (args.mode) {
	case MODE_RUN:
		return run(&args);
	case MODE_INIT:
		return setup_init(args.conf_file, args.name);
	case MODE_CHECK:
		return setup_check(args.conf_file);
	case MODE_SHOW:
		return setup_show(args.conf_file, args.changed);
	case MODE_RECOVER:
		return recover_state(args.conf_file, args.name, args.yes);
	case MODE_MIGRATE:
		return migrate_state(args.conf_file, args.name, args.from, args.to);
	case MODE_HELP:
		return print_help();
	case MODE_VERSION:
		puts("armctld (Armada) " PACKAGE_VERSION);
		return 0;
	}
	return EXIT_USAGE;
}

#include "cmd/common/command.h"

#include "config.h"
#include "util/mem.h"
#include "util/units.h"
#include "util/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/*
 * Return values of the parser for --help and --version. They are no errors; command_main handles
 * them.
 */
enum { WANT_HELP = OPT_ERRNO_LEAST - 1, WANT_VERSION = OPT_ERRNO_LEAST - 2 };

static const struct opt common_rows[] = {
	{"help", NULL, 0, NULL, OPT_STOP(WANT_HELP), "Print help and exit"},
	{"version", NULL, 'V', NULL, OPT_STOP(WANT_VERSION), "Print the release and exit"},
};

const struct opt_table command_options = {"Help", common_rows, ARRAY_SIZE(common_rows)};

static void show_help(const struct command *cmd)
{
	struct buf text = {0};

	for (size_t i = 0; cmd->usages[i]; i++)
		buf_addf(&text, "%s %s %s\n", i ? "      " : "Usage:", cmd->name, cmd->usages[i]);
	buf_addf(&text, "%s.\n\n", cmd->summary);
	opt_help(cmd->tables, &text);
	if (cmd->more_help) {
		buf_addc(&text, '\n');
		cmd->more_help(&text);
	}
	if (cmd->notes)
		buf_addf(&text, "\n%s\n", cmd->notes);
	fwrite(text.data, 1, text.len, stdout);
	buf_done(&text);
}

static int finish(const struct command *cmd, int rc, const struct err *err)
{
	char before[64];

	if (rc < 0) {
		fflush(stdout);
		snprintf(before, sizeof(before), "%s: error", cmd->name);
		visible_complain(before, err->text);
		return exit_code_of(rc);
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "%s: error: cannot write the output: %s\n", cmd->name,
			strerror(errno));
		return 1;
	}
	return rc;
}

/* Once: a listing asks several times. */
static void on_standby(void *arg, const char *name, int64_t lag_ms)
{
	static bool told;
	const struct command *cmd = arg;

	if (!told)
		command_warn(
			cmd,
			"no controller leads now; %s answers, a standby, whose state may be %s old",
			name, duration_words(lag_ms * 1000).text);
	told = true;
}

int command_main(const struct command *cmd, int argc, char **argv)
{
	struct err err = {0};
	int rc;

	connection_on_standby(on_standby, (void *)(uintptr_t)cmd);
	rc = cmd->run(argc, argv, &err);

	if (rc == WANT_HELP) {
		show_help(cmd);
		rc = 0;
	} else if (rc == WANT_VERSION) {
		printf("%s (Armada) %s\n", cmd->name, PACKAGE_VERSION);
		rc = 0;
	}
	return finish(cmd, rc, &err);
}

void command_warn(const struct command *cmd, const char *fmt, ...)
{
	char before[64], text[2048];
	va_list ap;

	snprintf(before, sizeof(before), "%s: warning", cmd->name);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	visible_complain(before, text);
}

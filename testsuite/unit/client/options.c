/* The option parser: what getopt_long users expect, and better refusals. */
#include "client/options.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

struct seen {
	struct buf text;
};

static int note(struct seen *s, const char *name, const char *value)
{
	buf_addf(&s->text, "%s=%s;", name, value ? value : "-");
	return 0;
}

#define SETTER(name)                                                                               \
	static int set_##name(void *target, const char *value, struct err *err)                    \
	{                                                                                          \
		(void)err;                                                                         \
		return note(target, #name, value);                                                 \
	}

SETTER(time)
SETTER(memory)
SETTER(quiet)
SETTER(colour)

static int set_bad(void *target, const char *value, struct err *err)
{
	(void)target;
	return err_set(err, -EINVAL, "\"%s\" is bad", value);
}

static const struct opt rows[] = {
	{"time", "time-limit", 't', "TIME", set_time, "How long it may run"},
	{"memory", "mem", 0, "SIZE", set_memory, "How much memory"},
	{"memo", NULL, 0, "TEXT", set_bad, "Never right"},
	{"quiet", "-Q", 'q', NULL, set_quiet, "Say nothing"},
	{"colour", NULL, 'c', "[WHEN]", set_colour, "Colours"},
};
static const struct opt_table table = {"Options", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&table, NULL};

/* One case: a line of words; what the setters saw and the operands, or the refusal. */
static const struct {
	const char *line, *seen, *operands, *refusal;
} cases[] = {
	{"--time 5", "time=5;", "", NULL},
	{"--time=5", "time=5;", "", NULL},
	{"--time=", "time=;", "", NULL},
	{"--time-limit=5", "time=5;", "", NULL},
	{"-t5", "time=5;", "", NULL},
	{"-t 5", "time=5;", "", NULL},
	{"-qt5", "quiet=-;time=5;", "", NULL},
	{"-Q", "quiet=-;", "", NULL},
	{"-qq x", "quiet=-;quiet=-;", "x;", NULL},
	{"--ti 5", "time=5;", "", NULL},
	{"--mem 1", "memory=1;", "", NULL},
	{"--colour x", "colour=-;", "x;", NULL},
	{"--colour=on", "colour=on;", "", NULL},
	{"-c x", "colour=-;", "x;", NULL},
	{"a -q b", "quiet=-;", "a;b;", NULL},
	{"-q -- -q --time", "quiet=-;", "-q;--time;", NULL},
	{"-", "", "-;", NULL},
	{"--", "", "", NULL},
	{"--me 1", NULL, NULL, "--me may be --memory or --memo"},
	{"--tiem 5", NULL, NULL, "unknown option --tiem; did you mean --time?"},
	{"--zzzzzz", NULL, NULL, "unknown option --zzzzzz"},
	{"-z", NULL, NULL, "unknown option -z"},
	{"--time", NULL, NULL, "--time: needs a value: TIME"},
	{"-t", NULL, NULL, "-t: needs a value: TIME"},
	{"--quiet=yes", NULL, NULL, "--quiet: takes no value"},
	{"--memo x", NULL, NULL, "--memo: \"x\" is bad"},
};

static int split(char *line, char **argv)
{
	int argc = 0;
	char *save;

	argv[argc++] = (char *)"command";
	for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	return argc;
}

static void check(size_t i)
{
	CLEANUP_FREE char *line = xstrdup(cases[i].line);
	CLEANUP_FREE const char **operands = NULL;
	CLEANUP_BUF struct buf rest = {0};
	struct seen seen = {0};
	struct err err = {0};
	char *argv[16];
	size_t count = 0;
	int rc = opt_parse(tables, split(line, argv), argv, &seen, &operands, &count, &err);

	buf_reserve(&seen.text, 1);
	buf_reserve(&rest, 1);
	for (size_t j = 0; rc == 0 && j < count; j++)
		buf_addf(&rest, "%s;", operands[j]);
	if (cases[i].refusal) {
		is_int(rc, -EINVAL, "%s: refused", cases[i].line);
		is_str(err.text, cases[i].refusal, "%s: in words", cases[i].line);
	} else {
		is_int(rc, 0, "%s: taken", cases[i].line);
		is_str((char *)seen.text.data, cases[i].seen, "%s: options", cases[i].line);
		is_str((char *)rest.data, cases[i].operands, "%s: operands", cases[i].line);
	}
	buf_done(&seen.text);
}

int main(void)
{
	CLEANUP_BUF struct buf help = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(i);
	opt_help(tables, &help);
	has_str((char *)help.data, "  -t, --time=TIME             How long it may run\n",
		"help: a row");
	has_str((char *)help.data, "  -c, --colour[=WHEN]         Colours\n",
		"help: a value at will");
	ok(opt_find(tables, "mem") == &rows[1], "an alias finds its row");
	ok(!opt_find(tables, "me"), "a beginning does not");
	return done();
}

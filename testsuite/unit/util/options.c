/*
 * The option parser: words in the forms of getopt_long(3), errors with suggestions, rows with
 * types and their limits, and the printed help.
 */
#include "util/options.h"
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
	return err_set(err, -EINVAL, "'%s' is bad", value);
}

static const struct opt rows[] = {
	{"time", "time-limit", 't', "TIME", OPT_CALL(set_time), "How long it may run"},
	{"memory", "mem", 0, "SIZE", OPT_CALL(set_memory), "How much memory"},
	{"memo", "note remark", 0, "TEXT", OPT_CALL(set_bad), "Never right"},
	{"quiet", "-Q", 'q', NULL, OPT_CALL(set_quiet), "Say nothing"},
	{"colour", NULL, 'c', "[WHEN]", OPT_CALL(set_colour), "Colours"},
};
static const struct opt_table table = {"Options", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&table, NULL};

/* One case: a line of words; the values and the operands, or the error. */
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
	{"--zzzzzz", NULL, NULL, "unknown option --zzzzzz; --help lists them"},
	{"-z", NULL, NULL, "unknown option -z; --help lists them"},
	{"--time", NULL, NULL, "--time: needs a value: TIME"},
	{"-t", NULL, NULL, "-t: needs a value: TIME"},
	{"--quiet=yes", NULL, NULL, "--quiet: takes no value"},
	{"--note=x", NULL, NULL, "--note: 'x' is bad"},
	{"--rem x", NULL, NULL, "--remark: 'x' is bad"},
	{"--mem", NULL, NULL, "--mem: needs a value: SIZE"},
	{"--time-l", NULL, NULL, "--time-limit: needs a value: TIME"},
	{"--memo x", NULL, NULL, "--memo: 'x' is bad"},
};

/* ---- rows with a type ---- */

struct kept {
	bool flag;
	int mode;
	int32_t count;
	int64_t big, milli, bytes;
	uint32_t seconds;
	const char *text, *name;
	const char **words;
	size_t word_count;
	int way;
	const char *asked;
};

static int read_twice(void *field, const void *arg, const char *value, struct err *err)
{
	(void)err;
	*(const char **)field = value[0] == 'a' ? arg : value;
	return 0;
}

static int check_short(const char *value, struct err *err)
{
	return strlen(value) < 4 ? 0 : err_set(err, -EINVAL, "is too long");
}

/* clang-format off */
static const struct opt typed_rows[] = {
	{"flag", NULL, 'f', NULL, OPT_FLAG(struct kept, flag), "A flag"},
	{"check", NULL, 0, NULL, OPT_VALUE(struct kept, mode, 7), "A mode"},
	{"count", NULL, 0, "N", OPT_INT(struct kept, count, -5, 5), "A number"},
	{"big", NULL, 0, "N", OPT_INT(struct kept, big, 0, INT64_MAX), "A great number"},
	{"cpus", NULL, 0, "N", OPT_CPU(struct kept, milli, 1, "some cpu"), "Cpus"},
	{"size", NULL, 0, "SIZE", OPT_SIZE(struct kept, bytes, 1024, ": too small"), "A size"},
	{"time", NULL, 0, "TIME", OPT_DURATION(struct kept, seconds, 1000000, 0, ""), "A time"},
	{"text", NULL, 0, "TEXT", OPT_TEXT(struct kept, text), "Any text"},
	{"word", NULL, 0, "TEXT", OPT_WORD(struct kept, text), "A word"},
	{"name", NULL, 0, "TEXT", OPT_CHECKED(struct kept, name, check_short), "A name"},
	{"add", NULL, 'a', "TEXT", OPT_LIST(struct kept, words, word_count, 2, check_short), "Words"},
	{"way", NULL, 0, "WAY", OPT_CHOICE(struct kept, way, "block|cyclic|none"), "A way"},
	{"ask", NULL, 0, "WAY", OPT_READ(struct kept, asked, read_twice, "arg"), "A question"},
	{"never", NULL, 0, NULL, OPT_REFUSE("not here"), NULL},
	{"help", NULL, 0, NULL, OPT_STOP(OPT_ERRNO_LEAST - 3), "Help"},
};
/* clang-format on */
static const struct opt_table typed_table = {"Options", typed_rows, ARRAY_SIZE(typed_rows)};
static const struct opt_table *const typed[] = {&typed_table, NULL};

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
		is_int(rc, -EINVAL, "%s: it is refused", cases[i].line);
		is_str(err.text, cases[i].refusal, "%s: the error", cases[i].line);
	} else {
		is_int(rc, 0, "%s: it is accepted", cases[i].line);
		is_str((char *)seen.text.data, cases[i].seen, "%s: options", cases[i].line);
		is_str((char *)rest.data, cases[i].operands, "%s: operands", cases[i].line);
	}
	buf_done(&seen.text);
}

static int parse_typed(const char *text, struct kept *k, struct err *err)
{
	CLEANUP_FREE char *line = xstrdup(text);
	CLEANUP_FREE const char **operands = NULL;
	char *argv[32];
	size_t count = 0;

	return opt_parse(typed, split(line, argv), argv, k, &operands, &count, err);
}

static void check_kept(void)
{
	struct kept k = {0};
	struct err err = {0};

	is_int(parse_typed("-f --check --count=-5 --big=9000000000 --cpus=1.5 --size=2K "
			   "--time=90.5s --text= --name=abc --way=cyclic --ask=axe",
			   &k, &err),
	       0, "typed: it is accepted (%s)", err.text);
	ok(k.flag && k.mode == 7, "a flag and a constant are stored");
	is_int(k.count, -5, "an int32_t is stored");
	is_int(k.big, 9000000000, "an int64_t is stored");
	is_int(k.milli, 1500, "cpus are stored");
	is_int(k.bytes, 2048, "a size is stored");
	is_int(k.seconds, 90, "a duration is stored in whole seconds");
	is_int(k.way, 1, "the index of a word is stored");
	is_str(k.asked, "arg", "a reader gets the argument of its row");
}

static void check_list(void)
{
	struct kept k = {0};
	struct err err = {0};

	is_int(parse_typed("-a one --add two", &k, &err), 0, "a list is accepted");
	is_int((long)k.word_count, 2, "it has two values");
	is_int(parse_typed("-a six", &k, &err), -EINVAL, "a third value is refused");
	is_str(err.text, "-a: may be given at most 2 times", "the error gives the maximum");
	free(k.words);
}

static const struct {
	const char *line, *refusal;
} typed_cases[] = {
	{"--count=6", "--count: 6 is out of range: expected -5 to 5"},
	{"--cpus=0", "--cpus: some cpu"},
	{"--size=1000", "--size: '1000': too small"},
	{"--word=", "--word: is empty"},
	{"--name=abcd", "--name: is too long"},
	{"--add=abcd", "--add: is too long"},
	{"--way=round", "--way: 'round' must be block, cyclic or none"},
	{"--way=bloc", "--way: 'bloc' must be block, cyclic or none"},
	{"--never", "--never: not here"},
};

int main(void)
{
	struct kept kept = {0};
	struct err why = {0};
	CLEANUP_BUF struct buf help = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(i);
	opt_help(tables, &help);
	has_str((char *)help.data, "  -t, --time=TIME             How long it may run\n",
		"the help has a row");
	has_str((char *)help.data, "  -c, --colour[=WHEN]         Colours\n",
		"the help shows an optional value");
	ok(opt_find(tables, "mem") == &rows[1], "an alias finds its row");
	ok(!opt_find(tables, "me"), "a prefix of an alias finds no row");
	check_kept();
	check_list();
	for (size_t i = 0; i < ARRAY_SIZE(typed_cases); i++) {
		is_int(parse_typed(typed_cases[i].line, &kept, &why), -EINVAL, "%s: it is refused",
		       typed_cases[i].line);
		is_str(why.text, typed_cases[i].refusal, "%s: the error", typed_cases[i].line);
	}
	is_int(parse_typed("--help --never", &kept, &why), OPT_ERRNO_LEAST - 3,
	       "an option that stops the parser");
	return done();
}

/*
 * Log lines: line feeds and terminal codes in logged text are escaped, so that a user cannot forge
 * lines.
 */
#include "tap/tap.h"
#include "util/log.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

/* The output since the last call. */
static const char *lines(void)
{
	static char text[16384];
	ssize_t n;

	/* one byte of the test, so that read never blocks */
	if (write(ends[1], "$", 1) != 1)
		bail("pipe");
	n = read(ends[0], text, sizeof(text) - 1);
	if (n < 1)
		bail("pipe");
	text[n - 1] = '\0';
	return text;
}

static int count(const char *text, char c)
{
	int n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

static void check_escapes(void)
{
	const char *got;

	log_notice("a\nb");
	got = lines();
	has_str(got, "a\\x0ab", "a line feed is escaped");
	is_int(count(got, '\n'), 1, "an event is one line");
	log_notice("%s", "\x1b[31mred\x7f\r\b\t");
	got = lines();
	has_str(got, "\\x1b[31mred\\x7f\\x0d\\x08\\x09", "terminal codes are escaped");
	log_notice("%s", "\xc2\x9b[31m");
	has_str(lines(), "\\xc2\\x9b", "control codes beyond ASCII are escaped");
	log_notice("na\xc3\xafve \xe2\x82\xac");
	has_str(lines(), "na\xc3\xafve \xe2\x82\xac", "other letters are written as they are");
	log_notice("%s", "\xff\xfe");
	has_str(lines(), "\\xff\\xfe", "bytes that are not UTF-8 are escaped");
}

static void check_long(void)
{
	char wide[8192];
	const char *got;

	memset(wide, '\n', sizeof(wide));
	wide[sizeof(wide) - 1] = '\0';
	log_notice("%s", wide);
	got = lines();
	is_int(count(got, '\n'), 1, "a long text of line feeds is one line");
	ok(strlen(got) <= 4096, "the line has a bounded length");
	ok(got[strlen(got) - 1] == '\n', "the line ends");
}

static void check_levels(void)
{
	log_debug("hidden");
	is_str(lines(), "", "less important lines are not written");
	log_set_level(LOG_DEBUG);
	log_debug("shown");
	has_str(lines(), " debug: shown\n", "debug lines are written at the debug level");
	is_int(log_level_of("warn"), LOG_WARN, "warn is a level");
	is_int(log_level_of("warning"), LOG_WARN, "warning is the same level");
	is_int(log_level_of("loud"), -1, "an unknown word is not a level");
}

int main(void)
{
	unsetenv("JOURNAL_STREAM");
	if (pipe(ends) < 0)
		bail("pipe");
	log_open("testd", ends[1], LOG_NOTICE);
	log_error("plain");
	has_str(lines(), " testd error: plain\n", "a line has its daemon and level");
	check_escapes();
	check_long();
	check_levels();
	setenv("JOURNAL_STREAM", "8:1", 1);
	log_open("testd", ends[1], LOG_NOTICE);
	log_warn("plain");
	is_str(lines(), "<4>testd: plain\n",
	       "under systemd a line has the priority of syslog instead");
	return done();
}

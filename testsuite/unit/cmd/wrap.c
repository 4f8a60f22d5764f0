/*
 * Lines of a width with a hanging indent: where they break, the widths of characters, and texts that
 * a terminal must not get as they are.
 */
#include "cmd/listing/listing.h"
#include "cmd/listing/wrap.h"
#include "tap/tap.h"

#include <locale.h>
#include <string.h>

struct row {
	const char *text;
	size_t at, indent, width;
	const char *want;
};

static const struct row rows[] = {
	{"", 0, 0, 10, ""},
	{"   ", 0, 0, 10, ""},
	{"one", 0, 0, 10, "one"},
	{"one two three", 0, 0, 0, "one two three"},
	{"one\n two\t\tthree\n", 0, 2, 0, "one two three"},
	/* exactly the width, and one column less */
	{"1234 6789", 0, 2, 9, "1234 6789"},
	{"1234 6789", 0, 2, 8, "1234\n  6789"},
	/* the label takes the first columns; the indent counts in the lines that follow */
	{"aa bb cc dd", 4, 4, 9, "aa bb\n    cc dd"},
	{"aa bb cc dd", 3, 6, 9, "aa bb\n      cc\n      dd"},
	/* words that are too wide are not cut */
	{"/a/very/long/path x", 0, 2, 8, "/a/very/long/path\n  x"},
	{"x /a/very/long/path y", 0, 2, 8, "x\n  /a/very/long/path\n  y"},
	{"long", 0, 0, 1, "long"},
	/* two columns, one column of two bytes, no column */
	{"\u8a08\u7b97 \u8a08\u7b97", 0, 0, 9, "\u8a08\u7b97 \u8a08\u7b97"},
	{"\u8a08\u7b97 \u8a08\u7b97", 0, 0, 8, "\u8a08\u7b97\n\u8a08\u7b97"},
	{"\u00fc\u00fc \u00fc\u00fc", 0, 0, 5, "\u00fc\u00fc \u00fc\u00fc"},
	{"u\u0308u\u0308 u\u0308", 0, 0, 4, "u\u0308u\u0308 u\u0308"},
	/* control characters, a reversing mark and bytes that are not UTF-8 */
	{"a\033[2Jb c", 0, 0, 0, "a\\x1b[2Jb c"},
	{"a\033b cc", 0, 0, 8, "a\\x1bb\ncc"},
	{"\u202eabc", 0, 0, 0, "\\xe2\\x80\\xaeabc"},
	{"a\xff\xfe z", 0, 0, 0, "a\\xff\\xfe z"},
	{"\u00a0x", 0, 0, 0, "\u00a0x"},
};

int main(void)
{
	FILE *file = tmpfile();

	listing_locale();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CLEANUP_BUF struct buf out = {0};

		wrap_add(&out, rows[i].text, rows[i].at, rows[i].indent, rows[i].width);
		is_str(out.len ? (char *)out.data : "", rows[i].want, "'%s' in %zu columns",
		       rows[i].want, rows[i].width);
	}
	is_int((int)wrap_width("abc"), 3, "three letters");
	is_int((int)wrap_width("\u8a08\u7b97"), 4, "two wide letters");
	is_int((int)wrap_width("u\u0308"), 1, "a combining mark takes no column");
	is_int((int)wrap_width("a\xff"), 2, "a wrong byte takes one");
	setenv("COLUMNS", "40", 1);
	is_int((int)wrap_terminal(file), 0, "a file has no width, whatever COLUMNS says");
	fclose(file);
	return done();
}

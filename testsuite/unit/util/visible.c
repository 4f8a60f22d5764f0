/*
 * Text of others on a terminal: what acts on the terminal or on the order of letters is shown as bytes, and
 * everything else as it is.
 */
#include "tap/tap.h"
#include "util/visible.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *what, *text, *shown;
} texts[] = {
	{"ASCII", "a b~", "a b~"},
	{"letters", "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80"},
	{"right-to-left letters", "\xd7\xa9\xd7\x9c", "\xd7\xa9\xd7\x9c"},
	{"joiners", "\xd9\x85\xe2\x80\x8c\xd8\xaa\xe2\x80\x8d", "\xd9\x85\xe2\x80\x8c\xd8\xaa\xe2\x80\x8d"},
	{"an escape", "\x1b[31m", "\\x1b[31m"},
	{"a line feed", "a\nb", "a\\x0ab"},
	{"DEL and C1", "\x7f\xc2\x9b", "\\x7f\\xc2\\x9b"},
	{"U+202E", "a\xe2\x80\xae" "b", "a\\xe2\\x80\\xaeb"},
	{"U+202A", "\xe2\x80\xaa", "\\xe2\\x80\\xaa"},
	{"U+2066 and U+2069", "\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"},
	{"U+200E and U+200F", "\xe2\x80\x8e\xe2\x80\x8f", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f"},
	{"U+200B", "\xe2\x80\x8b", "\\xe2\\x80\\x8b"},
	{"U+2028", "\xe2\x80\xa8", "\\xe2\\x80\\xa8"},
	{"U+FEFF", "\xef\xbb\xbf", "\\xef\\xbb\\xbf"},
	{"a tag", "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"},
	{"bytes that are not UTF-8", "\xff" "a\xc3", "\\xffa\\xc3"},
};
/* clang-format on */

int main(void)
{
	struct buf out CLEANUP_BUF = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		buf_clear(&out);
		visible_add(&out, texts[i].text, false);
		is_str((char *)out.data, texts[i].shown, "%s", texts[i].what);
	}
	buf_clear(&out);
	visible_add(&out, "a\n\tb\r", true);
	is_str((char *)out.data, "a\n\tb\\x0d",
	       "a paragraph keeps newlines and tabs, and no carriage return");
	buf_clear(&out);
	visible_add_bytes(&out, "a\0b\xe2\x80", 5, true);
	is_str((char *)out.data, "a\\x00b\\xe2\\x80", "NULs and a cut character are bytes");
	is_int(visible_char("\xe2\x82\xac!"), 3, "a character has its length");
	is_int(visible_char("\xe2\x80\xae!"), 0, "a hidden one has none");
	return done();
}

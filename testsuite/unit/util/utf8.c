#include "tap/tap.h"
#include "util/utf8.h"

#include <string.h>

/* clang-format off */
static const struct {
	const char *text;
	size_t bytes;
	uint32_t code;
} characters[] = {
	{"a", 1, 'a'},
	{"", 1, 0},
	{"\x7f", 1, 0x7f},
	{"\xc2\x80", 2, 0x80},
	{"\xdf\xbf", 2, 0x7ff},
	{"\xe0\xa0\x80", 3, 0x800},
	{"\xed\x9f\xbf", 3, 0xd7ff},
	{"\xef\xbf\xbf", 3, 0xffff},
	{"\xf0\x90\x80\x80", 4, 0x10000},
	{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
	{"\x80", 0, 0},			/* a continuation byte */
	{"\xc1\xbf", 0, 0},		/* overlong */
	{"\xe0\x9f\xbf", 0, 0},
	{"\xf0\x8f\xbf\xbf", 0, 0},
	{"\xed\xa0\x80", 0, 0},		/* a surrogate */
	{"\xf4\x90\x80\x80", 0, 0},	/* beyond the last character */
	{"\xf5\x80\x80\x80", 0, 0},
	{"\xc2", 0, 0},			/* cut short */
	{"\xe2\x82", 0, 0},
	{"\xe2\x82z", 0, 0},
};
/* clang-format on */

/* Cut at every place, a text keeps whole characters, and as many as fit. */
static void check_cuts(const char *text)
{
	size_t whole = 0, wrong = 0;

	for (size_t len = 0; len <= strlen(text); len++) {
		size_t n = whole < len ? utf8_char(text + whole, UTF8_MAX, NULL) : 0;

		if (n && whole + n == len)
			whole = len;
		wrong += utf8_whole(text, len) != whole;
	}
	is_int(wrong, 0, "every cut of '%s'", text);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++) {
		uint32_t code = 1234;
		size_t bytes = utf8_char(characters[i].text, UTF8_MAX, &code);

		is_int(bytes, characters[i].bytes, "bytes of character %zu", i);
		is_int(code, bytes ? characters[i].code : 1234, "its code");
	}
	is_int(utf8_char("\xe2\x82\xac", 2, NULL), 0, "a character that is cut short");
	check_cuts("plain");
	check_cuts("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
	is_int(utf8_whole("", 0), 0, "an empty text");
	is_int(utf8_whole("\x80\x80\x80\x80\x80", 5), 5, "bytes that are not UTF-8 are kept");
	return done();
}

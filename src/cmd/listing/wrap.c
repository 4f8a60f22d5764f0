/*
 * Breaks text into lines (wrap.h). Input: a text of others. Output: lines for a terminal or a file.
 */
#include "cmd/listing/wrap.h"

#include "util/units.h"
#include "util/visible.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { WIDTH_USUAL = 80, WIDTH_LEAST = 20, WIDTH_MOST = 10000 };

static const char spaces[] = " \t\r\n";

size_t wrap_width(const char *text)
{
	size_t left = strlen(text), width = 0;
	mbstate_t state = {0};

	while (left) {
		wchar_t c;
		size_t n = mbrtowc(&c, text, left, &state);
		int columns;

		if (n == (size_t)-1 || n == (size_t)-2 || n == 0) {
			state = (mbstate_t){0};
			n = 1;
			columns = 1;
		} else {
			columns = wcwidth(c);
		}
		width += columns > 0 ? (size_t)columns : 0;
		text += n;
		left -= n;
	}
	return width;
}

void wrap_add(struct buf *out, const char *text, size_t at, size_t indent, size_t width)
{
	CLEANUP_BUF struct buf word = {0};
	bool begins = true; /* no word is on this line yet */

	for (text += strspn(text, spaces); *text; text += strspn(text, spaces)) {
		size_t bytes = strcspn(text, spaces), columns;

		buf_clear(&word);
		buf_reserve(&word, 1);
		visible_add_bytes(&word, text, bytes, false);
		columns = wrap_width((char *)word.data);
		if (!begins && width && at + 1 + columns > width) {
			buf_addf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!begins) {
			buf_addc(out, ' ');
			at++;
		}
		buf_add(out, word.data, word.len);
		at += columns;
		begins = false;
		text += bytes;
	}
}

static size_t columns_of_environment(void)
{
	const char *text = getenv("COLUMNS");
	int64_t columns;

	return text && parse_int(text, 1, WIDTH_MOST, &columns, NULL) == 0 ? (size_t)columns : 0;
}

size_t wrap_terminal(FILE *out)
{
	struct winsize size = {0};
	size_t columns;

	if (!isatty(fileno(out)))
		return 0;
	columns = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
	if (!columns)
		columns = columns_of_environment();
	if (!columns)
		columns = WIDTH_USUAL;
	return columns > WIDTH_LEAST ? columns : WIDTH_LEAST;
}

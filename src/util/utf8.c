#include "util/utf8.h"

static size_t length_by_lead(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

size_t utf8_char(const void *text, size_t left, uint32_t *ret_code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *p = text;
	size_t n = length_by_lead(p[0]);
	uint32_t code;

	if (!n || n > left)
		return 0;
	code = n == 1 ? p[0] : p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	if (ret_code)
		*ret_code = code;
	return n;
}

size_t utf8_whole(const char *text, size_t len)
{
	size_t at = len;

	while (at > 0 && len - at < UTF8_MAX && ((uint8_t)text[at - 1] & 0xc0) == 0x80)
		at--;
	if (at > 0 && (uint8_t)text[at - 1] >= 0xc0 && len - (at - 1) < length_by_lead((uint8_t)text[at - 1]))
		return at - 1;
	return len;
}

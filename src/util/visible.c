/*
 * Which characters are shown as they are (visible.h). Input: text of any origin. Output: text that a terminal
 * shows in the order of its bytes. Caveat: letters that look like others are shown.
 */
#include "util/visible.h"

#include "util/mem.h"
#include "util/utf8.h"

#include <stdio.h>
#include <string.h>

/* Formatting characters that have no shape of their own, in order. */
static const struct {
	uint32_t first, last;
} formats[] = {
	{0xad, 0xad},       /* soft hyphen */
	{0x61c, 0x61c},     /* Arabic letter mark */
	{0x180e, 0x180e},   /* Mongolian vowel separator */
	{0x200b, 0x200b},   /* zero width space */
	{0x200e, 0x200f},   /* left-to-right and right-to-left mark */
	{0x2028, 0x202e},   /* line and paragraph separator, embeddings and overrides */
	{0x2060, 0x206f},   /* word joiner, invisible operators, isolates */
	{0xfeff, 0xfeff},   /* zero width no-break space */
	{0xfff9, 0xfffb},   /* interlinear annotation */
	{0xe0000, 0xe007f}, /* tags */
};

bool visible_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

bool visible_is_hidden(uint32_t code)
{
	for (size_t i = 0; code >= formats[0].first && i < ARRAY_SIZE(formats); i++)
		if (code >= formats[i].first && code <= formats[i].last)
			return true;
	return visible_is_control(code);
}

static size_t visible_at(const char *p, size_t left)
{
	uint32_t code;
	size_t n = utf8_char(p, left, &code);

	return n && !visible_is_hidden(code) ? n : 0;
}

size_t visible_char(const char *p)
{
	return visible_at(p, UTF8_MAX);
}

void visible_add_bytes(struct buf *out, const void *text, size_t len, bool paragraph)
{
	const char *p = text, *end = p + len;

	while (p < end) {
		size_t n = paragraph && (*p == '\n' || *p == '\t')
				   ? 1
				   : visible_at(p, (size_t)(end - p));

		if (n)
			buf_add(out, p, n);
		else
			buf_addf(out, "\\x%02x", (uint8_t)*p);
		p += n ? n : 1;
	}
}

void visible_add(struct buf *out, const char *text, bool paragraph)
{
	visible_add_bytes(out, text, strlen(text), paragraph);
}

void visible_complain(const char *before, const char *text)
{
	CLEANUP_BUF struct buf line = {0};

	buf_addf(&line, "%s: ", before);
	visible_add(&line, text, true);
	buf_addc(&line, '\n');
	fwrite(line.data, 1, line.len, stderr);
}

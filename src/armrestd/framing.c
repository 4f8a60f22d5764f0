/*
 * The headers of a request (framing.h). Input: names and values as the library has read them. Output: the
 * sentence of a refusal.
 */
#include "armrestd/framing.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/*
 * The characters of a name, RFC 9110; a program may ignore others, such as a space before the
 * colon.
 */
static bool is_word(const char *text, size_t len)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && (!text[i] || !strchr(others, text[i])))
			return false;
	return len > 0;
}

static bool has_controls(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
			return true;
	return false;
}

/*
 * True for a header of this name. The library joins a continuation line (obsolete, RFC 9112) to
 * the name of its header, so a longer name that begins like it is strange.
 */
static bool is_header(struct framing *f, const char *name, const char *want)
{
	size_t len = strlen(want);

	if (strncasecmp(name, want, len) != 0)
		return false;
	f->strange |= name[len] != '\0';
	return true;
}

void framing_add(struct framing *f, const char *name, size_t len, const char *value,
		 size_t value_len)
{
	f->broken |= !is_word(name, len) || has_controls(value, value_len);
	if (is_header(f, name, "Content-Length")) {
		f->lengths++;
		f->strange |= !*value || value[strspn(value, "0123456789")] != '\0';
	} else if (is_header(f, name, "Transfer-Encoding")) {
		f->encodings++;
		f->strange |= strcasecmp(value, "chunked") != 0;
	}
	f->hosts += strcasecmp(name, "Host") == 0;
	f->users += strcasecmp(name, "Authorization") == 0;
}

const char *framing_wrong(const struct framing *f)
{
	if (f->strange || f->lengths + f->encodings > 1)
		return "give one Content-Length, a number, or Transfer-Encoding: chunked";
	if (f->broken)
		return "the name of a header is no word, or its value has control characters";
	return f->hosts > 1 || f->users > 1 ? "give Host and Authorization once" : NULL;
}

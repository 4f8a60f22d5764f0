/*
 * Input: lines "Name: value". If the headers are accepted, a program that reads them in another way must not
 * find more: here one that ignores all characters that names may not have. Ordinary headers, once each, must
 * be accepted.
 */
#include "armrestd/framing.h"

#include "util/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the other program finds. */
struct found {
	unsigned ends, hosts, users;
	bool ordinary;
};

static bool reads_as(const char *name, const char *want)
{
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && *name != '-' && *name != '_')
			continue;
		if (tolower((unsigned char)*name) != tolower((unsigned char)*want))
			return false;
		want++;
	}
	return !*want;
}

static void look(struct found *f, const char *name, const char *value)
{
	bool length = reads_as(name, "content-length");
	bool encoding = reads_as(name, "transfer-encoding");

	f->ends += length || encoding;
	f->hosts += reads_as(name, "host");
	f->users += reads_as(name, "authorization");
	f->ordinary &= *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz")] == '\0';
	for (; *value; value++)
		f->ordinary &= isprint((unsigned char)*value) != 0;
}

static void add(struct framing *f, struct found *g, char *line, size_t len)
{
	char *colon = memchr(line, ':', len);
	size_t name_len = colon ? (size_t)(colon - line) : len;
	const char *value = colon ? colon + 1 : line + len;

	line[name_len] = '\0';
	value += strspn(value, " ");
	framing_add(f, line, name_len, value, (size_t)(line + len - value));
	look(g, line, value);
	g->ordinary &= strlen(line) == name_len && strlen(value) == (size_t)(line + len - value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_FREE char *text = xmalloc(size + 1);
	struct found g = {.ordinary = true};
	struct framing f = {0};
	bool accepted;
	char *line = text, *end;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	while ((end = memchr(line, '\n', size - (size_t)(line - text)))) {
		*end = '\0';
		add(&f, &g, line, (size_t)(end - line));
		line = end + 1;
	}
	accepted = !framing_wrong(&f);
	if (accepted && (g.ends > 1 || g.hosts > 1 || g.users > 1))
		abort();
	if (!accepted && g.ordinary && !g.ends && g.hosts <= 1 && g.users <= 1)
		abort();
	return 0;
}

/*
 * The facts of a controller (replica_facts.h). Input: the configuration and the order key. Output: lines of
 * text, which another controller compares with its own. The settings that each machine may have for
 * itself are left out, and of the order key only a hash leaves the process.
 */
#include "config.h"

#include "armctld/replica_facts.h"

#include <armada/replica.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { KEY_HASH = 16, LINE_SHOWN = 160, SECTION_NAME = 64, HISTORY_ROOM = 512 };

static const char KEY[] = "order key ", RELEASE[] = "release ",
		  HISTORY[] = "history of this controller: ";

static bool begins(const char *line, size_t len, const char *word)
{
	return len >= strlen(word) && strncmp(line, word, strlen(word)) == 0;
}

/* Settings of one machine. */
static bool is_local(const char *line, size_t len)
{
	static const char *const names[] = {"state_dir", "run_dir", "listen", "log_level",
					    "log_format"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len > strlen(names[i]) && strncmp(line, names[i], strlen(names[i])) == 0 &&
		    strchr(" =:", line[strlen(names[i])]))
			return true;
	return false;
}

/* The next line without blanks at its ends; NULL: no more. */
static const char *next_line(const char **at, const char *end, size_t *ret_len)
{
	const char *begin = *at, *stop;

	if (begin >= end)
		return NULL;
	stop = memchr(begin, '\n', (size_t)(end - begin));
	stop = stop ? stop : end;
	*at = stop + 1;
	while (begin < stop && (*begin == ' ' || *begin == '\t'))
		begin++;
	*ret_len = (size_t)(stop - begin);
	return begin;
}

/* Where the walk is: "limits." within limits = { ... }. */
struct section {
	char name[SECTION_NAME];
	size_t depth;
};

/* A value, with its section before it. */
static void add_line(struct section *s, const char *line, size_t len, struct buf *text)
{
	size_t word = strcspn(line, " =:{(");

	if (!len || *line == '#' || is_local(line, len))
		return;
	if (line[len - 1] == '{' || line[len - 1] == '(') {
		if (!s->depth++)
			snprintf(s->name, sizeof(s->name), "%.*s.", (int)(word < len ? word : len),
				 line);
		return;
	}
	if (*line == '}' || *line == ')') {
		s->depth -= s->depth > 0;
		s->name[s->depth ? strlen(s->name) : 0] = '\0';
		return;
	}
	if (text->len + len + sizeof(s->name) < ARMADA_REPLICA_DATA_MAX - HISTORY_ROOM)
		buf_addf(text, "%s%.*s\n", s->name, (int)len, line);
}

void replica_facts(const struct conf *conf, const struct order_key *key, struct buf *ret_text)
{
	CLEANUP_BUF struct buf shown = {0};
	struct section section = {"", 0};
	char hex[2 * KEY_HASH + 1];
	uint8_t hash[KEY_HASH];
	const char *at, *line;
	size_t len;

	crypto_generichash(hash, sizeof(hash), key->public, sizeof(key->public), NULL, 0);
	sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
	buf_addf(ret_text, "%s%s\n%s%s\n", KEY, hex, RELEASE, PACKAGE_VERSION);
	conf_show(conf, true, &shown);
	at = (const char *)shown.data;
	while ((line = next_line(&at, (const char *)shown.data + shown.len, &len)))
		add_line(&section, line, len, ret_text);
}

static bool has_line(const char *text, size_t text_len, const char *wanted, size_t wanted_len)
{
	const char *at = text, *line;
	size_t len;

	while ((line = next_line(&at, text + text_len, &len)))
		if (len == wanted_len && memcmp(line, wanted, len) == 0)
			return true;
	return false;
}

/* What follows the word in its line; "": there is no such line. */
static void value_of(const char *text, size_t text_len, const char *word, char *ret, size_t size)
{
	const char *at = text, *line;
	size_t len;

	ret[0] = '\0';
	while ((line = next_line(&at, text + text_len, &len)))
		if (begins(line, len, word))
			snprintf(ret, size, "%.*s", (int)(len - strlen(word)), line + strlen(word));
}

/* The first line of a that b lacks; "": none. */
static void first_missing(const char *a, size_t a_len, const char *b, size_t b_len,
			  char ret[LINE_SHOWN])
{
	const char *at = a, *line;
	size_t len;

	ret[0] = '\0';
	while ((line = next_line(&at, a + a_len, &len))) {
		if (has_line(b, b_len, line, len) || begins(line, len, KEY) ||
		    begins(line, len, RELEASE) || begins(line, len, HISTORY))
			continue;
		snprintf(ret, LINE_SHOWN, "%.*s", (int)len, line);
		return;
	}
}

void replica_facts_compare(const struct buf *ours, const char *theirs, size_t len, bool *ret_key,
			   struct err *ret)
{
	const char *text = (const char *)ours->data, *end = memchr(text, '\n', ours->len);
	char here[LINE_SHOWN], there[LINE_SHOWN], release[LINE_SHOWN];

	ret->text[0] = '\0';
	*ret_key = len && end && !has_line(theirs, len, text, (size_t)(end - text));
	first_missing(text, ours->len, theirs, len, here);
	first_missing(theirs, len, text, ours->len, there);
	value_of(theirs, len, RELEASE, release, sizeof(release));
	if (len && *ret_key)
		err_set(ret, 0, "its order key is another one than here");
	else if (len && strcmp(release, PACKAGE_VERSION) != 0)
		err_set(ret, 0, "its release is another one: here %s, there %s", PACKAGE_VERSION,
			release);
	else if (len && (*here || *there))
		err_set(ret, 0, "its configuration is another one: here %s%s, there %s",
			*here ? "" : "nothing", here, *there ? there : "nothing");
}

void replica_facts_add_history(struct buf *text, const char *history)
{
	if (*history)
		buf_addf(text, "%s%.*s\n", HISTORY, HISTORY_ROOM - 64, history);
}

void replica_facts_history(const char *facts, size_t len, char *ret_text, size_t size)
{
	value_of(facts, len, HISTORY, ret_text, size);
}

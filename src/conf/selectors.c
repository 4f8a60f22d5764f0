/*
 * Parses labels that nodes must have (selectors.h). Input: the text of --constraint, or that of a queue.
 * Output: a list in which alternatives follow each other. The text is split at & and at commas outside of
 * parentheses, and each condition at |.
 */
#include "conf/selectors.h"

#include <errno.h>
#include <string.h>

struct parser {
	struct arena *arena;
	struct selector_words *list;
	size_t count;
	struct err *err;
};

/* "key", "key=value", "!key" or "!key=value" */
static int add_label(struct parser *p, const char *at, size_t n, bool alternative)
{
	char *text = arena_printf(p->arena, "%.*s", (int)n, at), *word = text, *equals;
	struct selector_words *s = &p->list[p->count];

	if (p->count == SELECTORS_MAX)
		return err_set(p->err, -EINVAL, "more than %d labels", SELECTORS_MAX);
	*s = (struct selector_words){.negate = *word == '!', .alternative = alternative};
	word = arena_strdup(p->arena, word + s->negate);
	equals = strchr(word, '=');
	if (!*word || strpbrk(word, " !|()[]*") || (equals && (equals == word || !equals[1])))
		return err_set(p->err, -EINVAL,
			       "'%s' is not a label; write key=value or key, with ! before it for "
			       "not, joined by & (and) or | (or)",
			       text);
	if (equals)
		*equals++ = '\0';
	s->key = word;
	s->value = equals ? equals : "";
	p->count++;
	return 0;
}

/* Alternatives, joined by |. */
static int add_condition(struct parser *p, const char *at, size_t n)
{
	const char *end = at + n;
	bool alternative = false;

	if (n > 1 && at[0] == '(' && end[-1] == ')') {
		at++;
		end--;
	}
	for (;; alternative = true) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		int rc = add_label(p, at, (size_t)((bar ? bar : end) - at), alternative);

		if (rc < 0 || !bar)
			return rc;
		at = bar + 1;
	}
}

/* The length of the condition at the beginning of the text. */
static size_t condition_length(const char *text)
{
	size_t n = 0;
	bool inside = false;

	for (; text[n] && (inside || (text[n] != '&' && text[n] != ',')); n++)
		inside = text[n] == '(' || (inside && text[n] != ')');
	return n;
}

int selectors_parse(const char *text, struct arena *arena, struct selector_words **ret_list,
		    size_t *ret_count, struct err *err)
{
	struct parser p = {.arena = arena, .err = err};

	p.list = arena_zalloc(arena, SELECTORS_MAX, sizeof(*p.list));
	for (const char *at = text;; at++) {
		size_t n = condition_length(at);
		int rc;

		if (at[0] != '(' && memchr(at, '|', n) && (at != text || at[n]))
			return err_set(err, -EINVAL,
				       "'%s' has & and |; write parentheses, as in (%.*s)&key",
				       text, (int)n, at);
		rc = add_condition(&p, at, n);
		if (rc < 0)
			return rc;
		at += n;
		if (!*at)
			break;
	}
	*ret_list = p.list;
	*ret_count = p.count;
	return 0;
}

int check_selectors(const char *text, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct selector_words *list;
	size_t count;

	return *text ? selectors_parse(text, arena, &list, &count, err) : 0;
}

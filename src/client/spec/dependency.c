/*
 * Parses the list of --dependency.
 *
 * A list is made of conditions; each is a word with jobs, elements and, for "after", minutes. The
 * result is an array of messages in the arena. Messages for a wrong list give what would be
 * accepted.
 */
#include "client/spec/dependency.h"

#include "util/mem.h"
#include "util/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define TYPE(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name

static const struct {
	const char *word;
	Armada__DependencyType type;
} types[] = {
	{"after", TYPE(AFTER)},           {"afterstart", TYPE(AFTER)},
	{"afterany", TYPE(AFTERANY)},     {"afterok", TYPE(AFTEROK)},
	{"afternotok", TYPE(AFTERNOTOK)}, {"aftercorr", TYPE(AFTERCORR)},
	{"singleton", TYPE(SINGLETON)},
};

enum { MINUTES_MAX = 366 * 24 * 60 };

struct parser {
	struct arena *arena;
	struct err *err;
	Armada__Dependency **list;
	const char **names; /* NULL: names are refused */
	size_t count;
};

static int add(struct parser *p, const Armada__Dependency *d)
{
	if (p->count == DEPENDENCIES_MAX)
		return err_set(p->err, -EINVAL, "more than %d jobs", DEPENDENCIES_MAX);
	p->list[p->count++] = arena_memdup(p->arena, d, sizeof(*d));
	return 0;
}

static bool digits(const char **at, uint64_t max, uint64_t *ret)
{
	uint64_t n = 0;

	if (!isdigit((unsigned char)**at))
		return false;
	while (isdigit((unsigned char)**at)) {
		unsigned digit = (unsigned)(*(*at)++ - '0');

		if (n > (max - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*ret = n;
	return true;
}

/* Parses the name of a job, with +MINUTES for "after"; an element is found when the name is looked up. */
static int parse_name(struct parser *p, const char *word, const char **at,
		      Armada__DependencyType type)
{
	Armada__Dependency d = ARMADA__DEPENDENCY__INIT;
	size_t len = strcspn(*at, ":,?+");
	uint64_t minutes = 0;

	d.type = type;
	p->names[p->count] = arena_printf(p->arena, "%.*s", (int)len, *at);
	*at += len;
	if (**at == '+') {
		(*at)++;
		if (type != TYPE(AFTER) || !digits(at, MINUTES_MAX, &minutes))
			return err_set(p->err, -EINVAL,
				       "%s: only after:JOB+MINUTES takes a time, in minutes", word);
		d.delay_s = (int64_t)minutes * 60;
	}
	return add(p, &d);
}

/* Parses JOB or JOB_ELEMENT, with +MINUTES for "after", up to a separator. */
static int parse_job(struct parser *p, const char *word, const char **at,
		     Armada__DependencyType type)
{
	Armada__Dependency d = ARMADA__DEPENDENCY__INIT;
	const char *from = *at;
	int len = (int)strcspn(from, ":,?");
	uint64_t n;

	d.type = type;
	if (!digits(at, UINT64_MAX / 2, &n) || !n)
		return err_set(p->err, -EINVAL,
			       "%s: '%.*s' is not a job; write %s:JOB or %s:JOB_ELEMENT", word,
			       len > 40 ? 40 : len, from, word, word);
	d.job = n;
	if (**at == '_') {
		(*at)++;
		if (!digits(at, UINT32_MAX - 1, &n))
			return err_set(p->err, -EINVAL,
				       "%s: '%.*s': the text after _ is not an element", word,
				       len > 40 ? 40 : len, from);
		d.has_element = true;
		d.element = (uint32_t)n;
	}
	if (**at == '+') {
		(*at)++;
		if (type != TYPE(AFTER))
			return err_set(p->err, -EINVAL,
				       "%s takes no time; only after:JOB+MINUTES does", word);
		if (!digits(at, MINUTES_MAX, &n))
			return err_set(p->err, -EINVAL,
				       "after: '%.*s': the text after + must be minutes, at most "
				       "%d",
				       len > 40 ? 40 : len, from, MINUTES_MAX);
		d.delay_s = (int64_t)n * 60;
	}
	if (type == TYPE(AFTERCORR) && d.has_element)
		return err_set(p->err, -EINVAL,
			       "aftercorr takes a whole array, not an element of it");
	if (**at && !strchr(":,?", **at))
		return err_set(p->err, -EINVAL, "%s: '%.*s' is not a job", word,
			       len > 40 ? 40 : len, from);
	return add(p, &d);
}

static int unknown_word(struct parser *p, const char *text, int len)
{
	const char *words[ARRAY_SIZE(types)], *near;
	char word[32];

	if (len >= (int)sizeof(word))
		len = sizeof(word) - 1;
	memcpy(word, text, (size_t)len);
	word[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		words[i] = types[i].word;
	near = nearest_word(word, words, ARRAY_SIZE(types));
	if (isdigit((unsigned char)word[0]))
		return err_set(p->err, -EINVAL,
			       "the condition on job %s is missing; write afterok:%s", word, word);
	return err_set(
		p->err, -EINVAL,
		"'%s' is not a dependency%s%s; write after, afterany, afterok, afternotok or "
		"aftercorr with :JOB, or singleton",
		word, near ? "; did you mean " : "", near ? near : "");
}

static int parse_part(struct parser *p, const char **at)
{
	size_t len = strcspn(*at, ":,?");
	const char *word = NULL;
	Armada__DependencyType type = TYPE(UNSET);
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strlen(types[i].word) == len && strncmp(types[i].word, *at, len) == 0) {
			word = types[i].word;
			type = types[i].type;
		}
	if (!word)
		return unknown_word(p, *at, (int)len);
	*at += len;
	if (type == TYPE(SINGLETON)) {
		Armada__Dependency d = ARMADA__DEPENDENCY__INIT;

		if (**at == ':')
			return err_set(p->err, -EINVAL, "singleton takes no job");
		d.type = type;
		return add(p, &d);
	}
	if (**at != ':')
		return err_set(p->err, -EINVAL, "%s needs a job: %s:JOB", word, word);
	while (rc == 0 && **at == ':') {
		(*at)++;
		rc = p->names && **at && !isdigit((unsigned char)**at) && !strchr(":,?+", **at)
			     ? parse_name(p, word, at, type)
			     : parse_job(p, word, at, type);
	}
	return rc;
}

int dependency_parse(const char *text, struct arena *arena, Armada__Dependency ***ret_list,
		     size_t *ret_count, bool *ret_any, const char ***ret_names, struct err *err)
{
	struct parser p = {.arena = arena, .err = err};
	bool all = strchr(text, ','), any = strchr(text, '?');
	const char *at = text;
	size_t most = 1;
	int rc = 0;

	for (const char *c = text; *c && most < DEPENDENCIES_MAX; c++)
		most += strchr(":,?", *c) != NULL;
	if (all && any)
		return err_set(err, -EINVAL,
			       "\",\" (all must hold) and \"?\" (one is enough) cannot be mixed");
	p.list = arena_alloc(arena, most * sizeof(*p.list));
	if (ret_names)
		*ret_names = p.names = arena_zalloc(arena, most, sizeof(*p.names));
	if (strcmp(text, "none") != 0)
		rc = parse_part(&p, &at);
	else
		at += strlen(at);
	while (rc == 0 && *at) {
		at++; /* skip the separator; a part ends only there */
		rc = parse_part(&p, &at);
	}
	if (rc < 0)
		return rc;
	*ret_list = p.list;
	*ret_count = p.count;
	*ret_any = any;
	return 0;
}

const char *dependency_word(Armada__DependencyType type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type)
			return types[i].word;
	return "";
}

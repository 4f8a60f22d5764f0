/* Options as members (option_body.h). Input: a name and a JSON value. Output: a set option, or a sentence. */
#include "armrestd/option_body.h"

#include "util/mem.h"
#include "util/names.h"
#include "util/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, WORDS_MAX = 64 };

/* Where the value goes. */
struct target {
	const struct option_body *body;
	void *to;
	struct arena *arena;
};

static int unknown(const struct option_body *b, const char *name, struct err *err)
{
	const char *words[WORDS_MAX], *near;
	size_t n = 0;

	for (; n < b->other_count && n < WORDS_MAX; n++)
		words[n] = b->others[n];
	for (size_t t = 0; b->tables[t]; t++)
		for (size_t i = 0; i < b->tables[t]->count && n < WORDS_MAX; i++)
			words[n++] = b->tables[t]->rows[i].name;
	near = nearest_word(name, words, n);
	if (near)
		return err_set(err, -EINVAL, "unknown key; did you mean '%s'?", near);
	return err_set(err, -EINVAL, "unknown key; the keys are the options of %s", b->command);
}

/* false is the opposite of an option without a value, if there is one. */
static int set_switch(struct target *t, const struct opt *o, bool on, struct err *err)
{
	char other[NAME_SIZE + 3];

	if (on)
		return opt_set(o, t->to, NULL, err);
	if (strncmp(o->name, "no-", 3) == 0)
		snprintf(other, sizeof(other), "%s", o->name + 3);
	else
		snprintf(other, sizeof(other), "%s%s",
			 strcmp(o->name, "cordon") == 0 ? "un" : "no-", o->name);
	o = opt_find(t->body->tables, other);
	return o ? opt_set(o, t->to, NULL, err) : 0;
}

/* Each value is given by itself, as an option that is repeated. */
static bool is_repeated(const struct opt *o)
{
	static const char *const names[] = {"group", "permission", "class-limits"};

	return names_have(names, ARRAY_SIZE(names), o->name);
}

static int set_list(struct target *t, const struct opt *o, const json_t *list, struct err *err)
{
	static const char *const lists[] = {"LABELS",      "NODES", "LIST",
					    "NAME=AMOUNT", "USERS", "GROUPS"};
	CLEANUP_BUF struct buf text = {0};
	int rc = 0;

	if (!is_repeated(o) && !names_have(lists, ARRAY_SIZE(lists), o->arg))
		return err_set(err, -EINVAL, "must be one value, not a list");
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const char *one = json_string_value(json_array_get(list, i));

		if (!one)
			rc = err_set(err, -EINVAL, "must be a list of strings");
		else if (is_repeated(o))
			rc = opt_set(o, t->to, one, err);
		else
			buf_addf(&text, "%s%s", i ? "," : "", one);
	}
	if (rc < 0 || is_repeated(o))
		return rc;
	if (!text.len)
		return err_set(err, -EINVAL, "is an empty list");
	return opt_set(o, t->to, arena_strdup(t->arena, (char *)text.data), err);
}

static int set_number(struct target *t, const struct opt *o, const json_t *v, struct err *err)
{
	if (strcmp(o->arg, "SIZE") == 0 || strcmp(o->arg, "TIME") == 0)
		return err_set(err, -EINVAL, "must be a string with a unit, as in \"%s\"",
			       strcmp(o->arg, "SIZE") == 0 ? "4G" : "2h");
	if (json_is_integer(v))
		return opt_set(o, t->to,
			       arena_printf(t->arena, "%" JSON_INTEGER_FORMAT,
					    json_integer_value(v)),
			       err);
	return opt_set(o, t->to, arena_printf(t->arena, "%.15g", json_real_value(v)), err);
}

static int set(struct target *t, const struct opt *o, const json_t *v, struct err *err)
{
	if (!o->arg && !json_is_boolean(v))
		return err_set(err, -EINVAL, "must be true or false");
	if (!o->arg)
		return set_switch(t, o, json_is_true(v), err);
	if (json_is_boolean(v) && strstr(o->arg, "yes|no"))
		return opt_set(o, t->to, json_is_true(v) ? "yes" : "no", err);
	if (json_is_string(v))
		return opt_set(o, t->to, json_string_value(v), err);
	if (json_is_number(v))
		return set_number(t, o, v, err);
	if (json_is_array(v))
		return set_list(t, o, v, err);
	return err_set(err, -EINVAL, "must be a string or a number");
}

int option_body_set(const struct option_body *b, const char *name, const json_t *value,
		    void *target, struct arena *arena, struct err *err)
{
	struct target t = {b, target, arena};
	char option[NAME_SIZE];
	const struct opt *o;

	snprintf(option, sizeof(option), "%s", name);
	for (char *at = option; *at; at++)
		*at = *at == '_' ? '-' : *at;
	o = strlen(name) < NAME_SIZE ? opt_find(b->tables, option) : NULL;
	return o ? set(&t, o, value, err) : unknown(b, option, err);
}

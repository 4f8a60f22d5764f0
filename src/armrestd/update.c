/*
 * PATCH /v1/jobs/{id}: the options of actl update as members of a JSON object.
 *
 * A value is what the option takes: a text, a number, true or false; a list is joined by commas, as on the
 * command line. Besides: command, script (the text of a script) and its args.
 */
#include "armrestd/update.h"

#include "armrestd/outcome.h"
#include "armrestd/rest.h"
#include "armrestd/routes.h"
#include "armrestd/selection.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/nearest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, WORDS_MAX = 64 };

static const struct opt_table *const tables[] = {&changes_options, NULL};
/* Members that are words after "--" on the command line. */
static const char *const word_names[] = {"command", "args"};

static int unknown(const char *name, struct err *err)
{
	const char *words[WORDS_MAX] = {"command", "args"}, *near;
	size_t n = ARRAY_SIZE(word_names);

	for (size_t i = 0; i < changes_options.count && n < WORDS_MAX; i++)
		words[n++] = changes_options.rows[i].name;
	near = nearest_word(name, words, n);
	if (near)
		return err_set(err, -EINVAL, "unknown key; did you mean '%s'?", near);
	return err_set(err, -EINVAL, "unknown key; the keys are the options of actl update");
}

/* false is the opposite of an option without a value, if there is one. */
static int set_switch(struct changes *u, const struct opt *o, bool on, struct err *err)
{
	char other[NAME_SIZE + 3];

	if (on)
		return opt_set(o, u, NULL, err);
	if (strncmp(o->name, "no-", 3) == 0)
		snprintf(other, sizeof(other), "%s", o->name + 3);
	else
		snprintf(other, sizeof(other), "no-%s", o->name);
	o = opt_find(tables, other);
	return o ? opt_set(o, u, NULL, err) : 0;
}

static int set_list(struct changes *u, const struct opt *o, const json_t *list, struct err *err)
{
	static const char *const lists[] = {"LABELS", "NODES", "LIST", "NAME=AMOUNT"};
	bool group = strcmp(o->name, "group") == 0;
	CLEANUP_BUF struct buf text = {0};
	int rc = 0;

	if (!group && !names_have(lists, ARRAY_SIZE(lists), o->arg))
		return err_set(err, -EINVAL, "must be one value, not a list");
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const char *one = json_string_value(json_array_get(list, i));

		if (!one)
			rc = err_set(err, -EINVAL, "must be a list of strings");
		else if (group)
			rc = opt_set(o, u, one, err);
		else
			buf_addf(&text, "%s%s", i ? "," : "", one);
	}
	if (rc < 0 || group)
		return rc;
	if (!text.len)
		return err_set(err, -EINVAL, "is an empty list");
	return opt_set(o, u, arena_strdup(u->spec.arena, (char *)text.data), err);
}

static int set_number(struct changes *u, const struct opt *o, const json_t *v, struct err *err)
{
	if (strcmp(o->arg, "SIZE") == 0 || strcmp(o->arg, "TIME") == 0)
		return err_set(err, -EINVAL, "must be a string with a unit, as in \"%s\"",
			       strcmp(o->arg, "SIZE") == 0 ? "4G" : "2h");
	if (json_is_integer(v))
		return opt_set(o, u,
			       arena_printf(u->spec.arena, "%" JSON_INTEGER_FORMAT,
					    json_integer_value(v)),
			       err);
	return opt_set(o, u, arena_printf(u->spec.arena, "%.15g", json_real_value(v)), err);
}

static int set_option(struct changes *u, const struct opt *o, const json_t *v, struct err *err)
{
	if (!o->arg && !json_is_boolean(v))
		return err_set(err, -EINVAL, "must be true or false");
	if (!o->arg)
		return set_switch(u, o, json_is_true(v), err);
	if (json_is_boolean(v) && strstr(o->arg, "yes|no"))
		return opt_set(o, u, json_is_true(v) ? "yes" : "no", err);
	if (json_is_string(v))
		return opt_set(o, u, json_string_value(v), err);
	if (json_is_number(v))
		return set_number(u, o, v, err);
	if (json_is_array(v))
		return set_list(u, o, v, err);
	return err_set(err, -EINVAL, "must be a string or a number");
}

static int set_words(struct changes *u, const json_t *v, struct err *err)
{
	size_t count = json_array_size(v);
	const char **words = arena_zalloc(u->spec.arena, count + 1, sizeof(*words));

	if (u->word_count)
		return err_set(err, -EINVAL, "only one of command and args is allowed");
	for (size_t i = 0; i < count; i++)
		words[i] = json_string_value(json_array_get(v, i));
	for (size_t i = 0; i < count; i++)
		if (!words[i])
			count = 0;
	if (!count)
		return err_set(err, -EINVAL, "must be a list of strings: [\"one\", \"two\"]");
	changes_words(u, words, count);
	return 0;
}

static int set_script(struct changes *u, const json_t *v, struct err *err)
{
	if (!json_is_string(v))
		return err_set(err, -EINVAL, "expected the text of a script");
	changes_script(u, json_string_value(v));
	return 0;
}

static int set_member(struct changes *u, const char *name, const json_t *v, struct err *err)
{
	const struct opt *o;
	char option[NAME_SIZE];

	snprintf(option, sizeof(option), "%s", name);
	for (char *at = option; *at; at++)
		*at = *at == '_' ? '-' : *at;
	if (names_have(word_names, ARRAY_SIZE(word_names), option))
		return set_words(u, v, err);
	if (strcmp(option, "script") == 0)
		return set_script(u, v, err);
	o = strlen(name) < NAME_SIZE ? opt_find(tables, option) : NULL;
	return o ? set_option(u, o, v, err) : unknown(option, err);
}

int update_read(struct changes *u, json_t *root, struct err *err)
{
	const char *name;
	json_t *v;
	int rc;

	json_object_foreach(root, name, v)
	{
		rc = set_member(u, name, v, err);
		if (rc < 0)
			return err_prefix(err, rc, "%.64s", name);
	}
	if (json_object_get(root, "command") && u->script)
		return err_set(err, -EINVAL, "only one of command, script and wrap is allowed");
	if (json_object_get(root, "args") && !u->script)
		return err_set(err, -EINVAL, "args: needs script");
	return changes_finish(u, err);
}

static int ask(struct exchange *x, const struct changes *u, const struct filter *f, struct err *err)
{
	Armada__UpdateJobRequest q;
	const Armada__UpdateJobReply *r;
	struct outcome o;
	int rc;

	changes_request(u, f, &q);
	rc = exchange_ask(x, MSG_UPDATE_JOB, &q, MSG_UPDATE_JOB_REPLY, &r, err);
	if (rc < 0)
		return rc;
	o = (struct outcome){r->denied,   r->refused,    r->changed,
			     r->problems, r->n_problems, r->n_missing};
	rc = outcome_judge(x, &o, err);
	if (rc == 0)
		outcome_count(x, "updated", r->changed);
	return rc;
}

static int update(struct exchange *x, json_t *root, struct err *err)
{
	struct changes u;
	struct filter f;
	uint32_t element;
	uint64_t job;
	bool has;
	int rc = selection_id(x, &job, &has, &element, err);

	filter_init(&f);
	changes_init(&u);
	if (rc == 0)
		rc = filter_add(&f, FILTER_IDS, x->ids[0], err);
	if (rc == 0)
		rc = update_read(&u, root, err);
	if (rc == 0)
		rc = changes_program(&u, x->rest->conf, err);
	rc = rc < 0 ? -EINVAL : ask(x, &u, &f, err);
	changes_done(&u);
	filter_done(&f);
	return rc;
}

int job_update(struct exchange *x, struct err *err)
{
	json_t *root = NULL;
	int rc = exchange_body(x, &root, "the options of actl update", err);

	if (rc == 0)
		rc = update(x, root, err);
	json_decref(root);
	return rc;
}

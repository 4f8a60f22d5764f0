/*
 * PATCH /v1/jobs/{id}: the options of actl update as members of a JSON object.
 *
 * Besides these (option_body.h): command, script (the text of a script) and its args.
 */
#include "armrestd/update.h"

#include "armrestd/option_body.h"
#include "armrestd/outcome.h"
#include "armrestd/rest.h"
#include "armrestd/routes.h"
#include "armrestd/selection.h"
#include "util/mem.h"
#include "util/names.h"

#include <errno.h>
#include <string.h>

static const struct opt_table *const tables[] = {&changes_options, NULL};
/* Members that are words after "--" on the command line. */
static const char *const word_names[] = {"command", "args"};

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
	static const struct option_body body = {tables, word_names, ARRAY_SIZE(word_names),
						"actl update"};

	if (names_have(word_names, ARRAY_SIZE(word_names), name))
		return set_words(u, v, err);
	if (strcmp(name, "script") == 0)
		return set_script(u, v, err);
	return option_body_set(&body, name, v, u, u->spec.arena, err);
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
	struct outcome o;
	int rc;

	changes_request(u, f, &q);
	rc = outcome_ask(x, &change_update, &q, &f->message, &o, err);
	if (rc < 0)
		return rc;
	outcome_count(x, "updated", o.done);
	outcome_rest(x, &o);
	return 0;
}

/* One job, or "-" for those that match the query. */
static int select_jobs(struct exchange *x, struct filter *f, struct err *err)
{
	uint32_t element;
	uint64_t job;
	bool has;
	int rc = selection_is_any(x) ? 0 : selection_id(x, &job, &has, &element, err);

	return rc < 0 ? rc : selection_jobs(x, f, err);
}

static int update(struct exchange *x, json_t *root, struct err *err)
{
	struct changes u;
	struct filter f;
	int rc;

	filter_init(&f);
	changes_init(&u);
	rc = update_read(&u, root, err);
	if (rc == 0)
		rc = changes_program(&u, x->rest->conf, err);
	rc = rc < 0 ? -EINVAL : select_jobs(x, &f, err);
	if (rc == 0)
		rc = ask(x, &u, &f, err);
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

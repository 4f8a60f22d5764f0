/*
 * A map of a job file (armada-job(5)) becomes a job.
 *
 * In: the tree of a file, or of one job in it. Out: a filled struct spec, with one part for each group of
 * tasks; or an error with file, line and the nearest known key. Keys that have an option of asubmit(1) are
 * parsed by the row of that option; the other keys are in the table below.
 */
#include "client/jobfile.h"

#include "client/kubernetes_words.h"
#include "client/spec/table.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 65536, KEYS_MAX = 128 };

/* clang-format off */
const struct jobfile_key jobfile_keys[] = {
	{"name", "NAME", false, true, NULL,
	 "Name of the group: letters, digits, dots, _ and -"},
	{"replicas", "N", false, true, "ntasks",
	 "Number of tasks (default: 1)"},
	{"command", "[WORD, ...]", true, true, NULL,
	 "The program that the tasks run, and its arguments"},
	{"script", "FILE", true, true, NULL,
	 "A script that the tasks run instead of command; a relative path starts at the directory of the job file"},
	{"args", "[WORD, ...]", true, true, NULL,
	 "Arguments of the script"},
	{"wrap", "COMMAND", true, true, NULL,
	 "A shell command line that the tasks run instead of command"},
	{"env", "{ NAME = VALUE; ... }", true, true, NULL,
	 "Environment variables of the tasks, which override those of the submission; also [\"NAME=VALUE\", ...]"},
	{"cpus", "N", false, true, "cpus",
	 "Cpus of each task"},
	{"memory", "SIZE", false, true, "memory",
	 "Memory of each task"},
	{"mem-per-cpu", "SIZE", false, true, "mem-per-cpu",
	 "Memory for each cpu of a task"},
	{"gpus", "N", false, true, "gpus-per-task",
	 "Gpus of each task"},
	{"resource", "LIST", false, true, "resource",
	 "Other resources of each task: \"fpga=1,scratch=500G\", or a list of such texts"},
	{"constraint", "LABELS", false, true, "constraint",
	 "Labels that the nodes must have, in addition to those of the job"},
	{"toleration", "TAINTS", false, true, "toleration",
	 "Taints that the group tolerates, in addition to those of the job"},
	{"launch", "WHICH", false, true, "launch",
	 "all (default): every task of the group runs the program; first: its first task does, the others stand by"},
	{"min-available", "N", false, true, "min-tasks",
	 "Number of its tasks that must start together and keep running (default: all, if another group has a minimum)"},
	{"service", "BOOL", false, true, NULL,
	 "The tasks serve the other groups; they are ended when the tasks of all other groups have ended"},
	{"on-task-failure", "POLICY", false, true, "on-task-failure",
	 "When a task of the group fails: fail_job, restart_job or replace_task (default: that of the job)"},
	{"priority-class", "CLASS", false, true, "priority-class",
	 "The priority class of the job, which its groups share; another one is refused"},
	{"groups", "( { ... }, ... )", true, false, NULL,
	 "The groups of tasks; without this key all tasks are alike"},
};
/* clang-format on */
const size_t jobfile_key_count = ARRAY_SIZE(jobfile_keys);

static const struct opt_table *const options[] = {&spec_options, NULL};

struct reader {
	const struct jobfile_source *source;
	struct spec *whole, *s; /* the job; the job or the group that is being read */
	bool in_group;
};

int jobfile_at(const struct jobfile_source *source, const struct jobtree *t, int rc,
	       struct err *err)
{
	CLEANUP_BUF struct buf path = {0};

	if (source->paths)
		jobtree_path(t, &path);
	else if (t->name)
		buf_addstr(&path, t->name);
	if (path.len)
		err_prefix(err, rc, "%.200s", (const char *)path.data);
	return *source->name ? err_prefix(err, rc, "%s: line %u", source->name, t->line) : rc;
}

static int at(const struct reader *r, const struct jobtree *t, int rc, struct err *err)
{
	return jobfile_at(r->source, t, rc, err);
}

/* --- values -------------------------------------------------------------------------------- */

/* Refuses a number where libconfig would lose a unit or read octal digits as decimal ones. */
static int number_text(const struct jobtree *v, const char *arg, const char **ret_text,
		       struct err *err)
{
	static const char *const with_unit[] = {"SIZE", "TIME"};

	if (names_have(with_unit, ARRAY_SIZE(with_unit), arg))
		return err_set(err, -EINVAL, "must be a string with a unit, as in \"%s\"",
			       strcmp(arg, "SIZE") == 0 ? "4G" : "2h");
	if (strcmp(arg, "MASK") == 0)
		return err_set(err, -EINVAL, "must be a string of octal digits, as in \"022\"");
	*ret_text = v->text;
	return 0;
}

static bool is_list(const struct jobtree *v)
{
	return v->type == JOBTREE_LIST;
}

/* Joins several values of one option with commas, as on the command line. */
static int list_text(struct spec *s, const struct jobtree *v, const char *arg,
		     const char **ret_text, struct err *err)
{
	static const char *const lists[] = {"LABELS", "TAINTS", "NODES", "LIST"};
	struct buf text CLEANUP_BUF = {0};

	if (!names_have(lists, ARRAY_SIZE(lists), arg))
		return err_set(err, -EINVAL, "must be one value, not a list");
	for (size_t i = 0; i < v->count; i++) {
		const struct jobtree *one = v->items[i];

		if (one->type != JOBTREE_TEXT)
			return err_set(err, -EINVAL, "must be a list of strings");
		buf_addf(&text, "%s%s", i ? "," : "", one->text);
	}
	if (!text.len)
		return err_set(err, -EINVAL, "is an empty list");
	*ret_text = arena_strdup(s->arena, (char *)text.data);
	return 0;
}

static int value_text(struct spec *s, const struct jobtree *v, const char *arg,
		      const char **ret_text, struct err *err)
{
	switch (v->type) {
	case JOBTREE_TEXT:
		*ret_text = v->text;
		return 0;
	case JOBTREE_INT:
	case JOBTREE_FLOAT:
		return number_text(v, arg, ret_text, err);
	case JOBTREE_LIST:
		return list_text(s, v, arg, ret_text, err);
	default:
		return err_set(err, -EINVAL, "must be a string or a number");
	}
}

/* `requeue = false` is `no-requeue`, and vice versa; for other options, false sets nothing. */
static int set_switch(struct spec *s, const struct opt *o, const struct jobtree *v, struct err *err)
{
	char other[64];

	if (v->type != JOBTREE_BOOL)
		return err_set(err, -EINVAL, "must be true or false");
	if (v->flag)
		return spec_set(s, o, NULL, err);
	if (strncmp(o->name, "no-", 3) == 0)
		snprintf(other, sizeof(other), "%s", o->name + 3);
	else
		snprintf(other, sizeof(other), "no-%s", o->name);
	o = opt_find(options, other);
	return o ? spec_set(s, o, NULL, err) : 0;
}

/* labels = { team = "physics"; } sets the option once for each key. */
static int set_pairs(struct spec *s, const struct opt *o, const struct jobtree *v, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < v->count; i++) {
		const struct jobtree *one = v->items[i];
		const char *name = one->name ? one->name : "";

		if (one->type != JOBTREE_TEXT && one->type != JOBTREE_INT &&
		    one->type != JOBTREE_FLOAT)
			return err_set(err, -EINVAL,
				       "must be { KEY = \"value\"; } or [\"KEY=value\", ...]");
		rc = spec_set(s, o,
			      arena_printf(s->arena, "%s%s%s", name, *name ? "=" : "", one->text),
			      err);
	}
	return rc;
}

static int set_option(struct spec *s, const struct opt *o, const struct jobtree *v, struct err *err)
{
	const char *text;
	int rc;

	if (o->arg && strncmp(o->arg, "KEY=", 4) == 0 && (v->type == JOBTREE_MAP || is_list(v)))
		return set_pairs(s, o, v, err);
	if (!o->arg || (o->arg[0] == '[' && v->type == JOBTREE_BOOL))
		return set_switch(s, o, v, err);
	rc = value_text(s, v, o->arg, &text, err);
	return rc < 0 ? rc : spec_set(s, o, text, err);
}

/* A list of strings; a string alone is a list of one. */
static int words_of(struct spec *s, const struct jobtree *v, char ***ret_words, size_t *ret_count,
		    struct err *err)
{
	size_t count = is_list(v) ? v->count : 1;
	char **words;

	if (count > WORDS_MAX)
		return err_set(err, -E2BIG, "more than %d words", WORDS_MAX);
	words = arena_zalloc(s->arena, count + 1, sizeof(*words));
	for (size_t i = 0; i < count; i++) {
		const struct jobtree *one = is_list(v) ? v->items[i] : v;
		int rc;

		if (one->type != JOBTREE_TEXT)
			return err_set(err, -EINVAL,
				       "must be a list of strings: [\"one\", \"two\"]");
		rc = spec_check_word(one->text, err);
		if (rc < 0)
			return err_prefix(err, rc, "word %zu", i + 1);
		words[i] = arena_strdup(s->arena, one->text);
	}
	*ret_words = words;
	*ret_count = count;
	return 0;
}

/* --- keys that are no options -------------------------------------------------------------- */

static int read_program(struct spec *s, const char *key, const struct jobtree *v, struct err *err)
{
	char **words = NULL;
	size_t count = 0;
	int rc = words_of(s, v, &words, &count, err);

	if (rc < 0)
		return rc;
	if (strcmp(key, "args") == 0) {
		s->job.args = words;
		s->job.n_args = count;
		return 0;
	}
	if (s->program_is_default)
		spec_drop_program(s);
	s->program_is_default = false;
	if (s->script || s->script_path || s->group.n_argv)
		return err_set(err, -EINVAL, "only one of command, script and wrap is allowed");
	if (!count || !words[0][0])
		return err_set(err, -EINVAL, "is empty");
	if (strcmp(key, "command") == 0)
		return spec_command(s, count, (const char *const *)words, err);
	if (count > 1)
		return err_set(err, -EINVAL, "must be one string");
	if (strcmp(key, "wrap") == 0)
		return spec_wrap(s, words[0], err);
	s->script_path = words[0];
	return 0;
}

static int add_variable(struct spec *s, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return err_set(err, -EINVAL, "'%s' must be NAME=VALUE", text);
	s->group.env[s->group.n_env++] = arena_strdup(s->arena, text);
	return spec_check_text(text, err);
}

static const char env_forms[] = "must be { NAME = \"value\"; } or [\"NAME=value\", ...]";

static int read_env(struct spec *s, const struct jobtree *v, struct err *err)
{
	bool group = v->type == JOBTREE_MAP;
	size_t count = group || is_list(v) ? v->count : 0, had = s->group.n_env;
	char **list;
	int rc = 0;

	if (!group && !is_list(v))
		return err_set(err, -EINVAL, "%s", env_forms);
	/* after those of the defaults, which they override */
	list = arena_zalloc(s->arena, had + count + 1, sizeof(*list));
	for (size_t i = 0; i < had; i++)
		list[i] = s->group.env[i];
	s->group.env = list;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct jobtree *one = v->items[i];
		const char *text = "";

		if (one->type == JOBTREE_MAP)
			return err_set(err, -EINVAL, "%s", env_forms);
		rc = value_text(s, one, group ? "VALUE" : "NONE", &text, err);
		if (rc == 0 && group)
			text = arena_printf(s->arena, "%s=%s", one->name, text);
		if (rc == 0)
			rc = add_variable(s, text, err);
	}
	return rc;
}

static int read_bool(const struct jobtree *v, protobuf_c_boolean *ret, struct err *err)
{
	if (v->type != JOBTREE_BOOL)
		return err_set(err, -EINVAL, "must be true or false");
	*ret = v->flag;
	return 0;
}

static int read_group_name(struct reader *r, const struct jobtree *v, struct err *err)
{
	const char *name;
	int rc = value_text(r->s, v, "NAME", &name, err);

	if (rc == 0)
		rc = spec_check_text(name, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i + 1 < r->whole->part_count; i++)
		if (strcmp(r->whole->parts[i]->group.name, name) == 0)
			return err_set(err, -EINVAL, "'%s' is the name of another group", name);
	r->s->group.name = arena_strdup(r->s->arena, name);
	return 0;
}

/* --- keys ---------------------------------------------------------------------------------- */

/* Keys may have _ where options have -. */
static void with_dashes(const char *name, char ret[64])
{
	size_t n = 0;

	for (; name[n] && n < 63; n++)
		ret[n] = name[n] == '_' ? '-' : name[n];
	ret[n] = '\0';
}

static const struct jobfile_key *key_find(const char *name, bool in_group)
{
	for (size_t i = 0; i < ARRAY_SIZE(jobfile_keys); i++)
		if ((in_group ? jobfile_keys[i].group : jobfile_keys[i].top) &&
		    strcmp(jobfile_keys[i].name, name) == 0)
			return &jobfile_keys[i];
	return NULL;
}

static int unknown(const struct reader *r, const char *name, struct err *err)
{
	const char *words[KEYS_MAX], *near, *instead = kubernetes_instead(name);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(jobfile_keys); i++)
		if (r->in_group ? jobfile_keys[i].group : jobfile_keys[i].top)
			words[n++] = jobfile_keys[i].name;
	for (size_t i = 0; !r->in_group && i < spec_options.count && n < KEYS_MAX; i++)
		if (spec_options.rows[i].help)
			words[n++] = spec_options.rows[i].name;
	if (instead)
		return err_set(err, -EINVAL, "%s; see armada-job(5)", instead);
	near = nearest_word(name, words, n);
	if (near)
		return err_set(err, -EINVAL, "unknown key; did you mean '%s'?", near);
	if (r->in_group && (opt_find(options, name) || key_find(name, false)))
		return err_set(err, -EINVAL, "belongs to the whole job, outside of its groups");
	if (!r->in_group && key_find(name, true))
		return err_set(err, -EINVAL, "belongs into a group");
	return err_set(err, -EINVAL, "unknown key; see armada-job(5)");
}

static int read_groups(struct reader *r, const struct jobtree *v, struct err *err);

/* Errors do not have a line yet; the caller adds it. */
static int read_key(struct reader *r, const struct jobfile_key *k, const struct jobtree *v,
		    struct err *err)
{
	if (k->option)
		return set_option(r->s, opt_find(options, k->option), v, err);
	if (strcmp(k->name, "env") == 0)
		return read_env(r->s, v, err);
	if (strcmp(k->name, "service") == 0)
		return read_bool(v, &r->s->group.service, err);
	if (strcmp(k->name, "name") == 0)
		return read_group_name(r, v, err);
	return read_program(r->s, k->name, v, err);
}

static int read_setting(struct reader *r, const struct jobtree *v, struct err *err)
{
	const struct jobfile_key *k;
	const struct opt *o;
	char name[64];
	int rc;

	with_dashes(v->name, name);
	k = key_find(name, r->in_group);
	if (!k && strcmp(name, "tolerations") == 0)
		k = key_find("toleration", r->in_group);
	if (k && strcmp(k->name, "groups") == 0)
		return read_groups(r, v, err);
	o = r->in_group ? NULL : opt_find(options, name);
	rc = k ? read_key(r, k, v, err) : o ? set_option(r->s, o, v, err) : unknown(r, name, err);
	return rc < 0 ? at(r, v, rc, err) : 0;
}

static int read_settings(struct reader *r, const struct jobtree *group, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < group->count; i++)
		rc = read_setting(r, group->items[i], err);
	return rc;
}

static int read_groups(struct reader *r, const struct jobtree *v, struct err *err)
{
	int rc = 0;

	if (v->type != JOBTREE_LIST || !v->count)
		return at(r, v,
			  err_set(err, -EINVAL, "must be a list of groups: ( { ... }, { ... } )"),
			  err);
	if (v->count > JOBFILE_GROUPS_MAX)
		return at(r, v, err_set(err, -EINVAL, "more than %d groups", JOBFILE_GROUPS_MAX),
			  err);
	for (size_t i = 0; rc == 0 && i < v->count; i++) {
		const struct jobtree *one = v->items[i];
		struct reader group = {r->source, r->whole, spec_add_part(r->whole), true};

		if (one->type != JOBTREE_MAP)
			return at(r, v,
				  err_set(err, -EINVAL, "entry %zu must be a group: { ... }",
					  i + 1),
				  err);
		rc = read_settings(&group, one, err);
		if (rc == 0 && !group.s->group.name[0])
			rc = at(r, one, err_set(err, -EINVAL, "a group without a name"), err);
	}
	return rc;
}

/* Adds the variables of the job to each of its groups. */
static void share_env(struct spec *s)
{
	for (size_t i = 0; s->group.n_env && i < s->part_count; i++) {
		Armada__TaskGroup *g = &s->parts[i]->group;
		char **list = arena_alloc(s->arena, (s->group.n_env + g->n_env) * sizeof(*list));
		size_t n = 0;

		for (size_t k = 0; k < s->group.n_env; k++)
			list[n++] = s->group.env[k];
		for (size_t k = 0; k < g->n_env; k++)
			list[n++] = g->env[k];
		g->env = list;
		g->n_env = n;
	}
}

int jobfile_settings(struct spec *s, const struct jobfile_source *source, const struct jobtree *map,
		     const char *const *except, struct err *err)
{
	struct reader r = {source, s, s, false};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < map->count; i++) {
		const char *const *skip = except;

		while (skip && *skip && strcmp(*skip, map->items[i]->name) != 0)
			skip++;
		if (!skip || !*skip)
			rc = read_setting(&r, map->items[i], err);
	}
	return rc;
}

void jobfile_settings_end(struct spec *s)
{
	share_env(s);
}

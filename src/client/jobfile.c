/*
 * A job file (armada-job(5)) becomes a job.
 *
 * In: the text of a file in libconfig syntax. Out: a filled struct spec, with one part for each group of
 * tasks; or an error with file, line and the nearest known key. Keys that have an option of asubmit(1) are
 * parsed by the row of that option; the other keys are in the table below.
 */
#include "client/jobfile.h"

#include "client/kubernetes_words.h"
#include "client/script.h"
#include "client/spec/table.h"
#include "conf/scan.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/nearest.h"

#include <errno.h>
#include <libconfig.h>
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
	{"service", "BOOL", false, true, NULL,
	 "The tasks serve the other groups; they are ended when the tasks of all other groups have ended"},
	{"groups", "( { ... }, ... )", true, false, NULL,
	 "The groups of tasks; without this key all tasks are alike"},
};
/* clang-format on */
const size_t jobfile_key_count = ARRAY_SIZE(jobfile_keys);

static const struct opt_table *const options[] = {&spec_options, NULL};

struct reader {
	const char *name;
	struct spec *whole, *s; /* the job; the job or the group that is being read */
	bool in_group;
};

static int at(const struct reader *r, const config_setting_t *s, int rc, struct err *err)
{
	const char *name = config_setting_name(s);

	if (name)
		err_prefix(err, rc, "%s", name);
	return err_prefix(err, rc, "%s: line %u", r->name, (unsigned)config_setting_source_line(s));
}

/* --- values -------------------------------------------------------------------------------- */

/* Refuses a number where libconfig would lose a unit or read octal digits as decimal ones. */
static int number_text(struct spec *s, const config_setting_t *v, const char *arg,
		       const char **ret_text, struct err *err)
{
	static const char *const with_unit[] = {"SIZE", "TIME"};

	if (names_have(with_unit, ARRAY_SIZE(with_unit), arg))
		return err_set(err, -EINVAL, "must be a string with a unit, as in \"%s\"",
			       strcmp(arg, "SIZE") == 0 ? "4G" : "2h");
	if (strcmp(arg, "MASK") == 0)
		return err_set(err, -EINVAL, "must be a string of octal digits, as in \"022\"");
	if (config_setting_type(v) == CONFIG_TYPE_FLOAT)
		*ret_text = arena_printf(s->arena, "%.9g", config_setting_get_float(v));
	else
		*ret_text = arena_printf(s->arena, "%lld", config_setting_get_int64(v));
	return 0;
}

static bool is_list(const config_setting_t *v)
{
	return config_setting_type(v) == CONFIG_TYPE_ARRAY ||
	       config_setting_type(v) == CONFIG_TYPE_LIST;
}

/* Joins several values of one option with commas, as on the command line. */
static int list_text(struct spec *s, const config_setting_t *v, const char *arg,
		     const char **ret_text, struct err *err)
{
	static const char *const lists[] = {"LABELS", "TAINTS", "NODES", "LIST"};
	struct buf text CLEANUP_BUF = {0};

	if (!names_have(lists, ARRAY_SIZE(lists), arg))
		return err_set(err, -EINVAL, "must be one value, not a list");
	for (int i = 0; i < config_setting_length(v); i++) {
		const config_setting_t *one = config_setting_get_elem(v, (unsigned)i);

		if (config_setting_type(one) != CONFIG_TYPE_STRING)
			return err_set(err, -EINVAL, "must be a list of strings");
		buf_addf(&text, "%s%s", i ? "," : "", config_setting_get_string(one));
	}
	if (!text.len)
		return err_set(err, -EINVAL, "is an empty list");
	*ret_text = arena_strdup(s->arena, (char *)text.data);
	return 0;
}

static int value_text(struct spec *s, const config_setting_t *v, const char *arg,
		      const char **ret_text, struct err *err)
{
	switch (config_setting_type(v)) {
	case CONFIG_TYPE_STRING:
		*ret_text = config_setting_get_string(v);
		return 0;
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
	case CONFIG_TYPE_FLOAT:
		return number_text(s, v, arg, ret_text, err);
	case CONFIG_TYPE_ARRAY:
	case CONFIG_TYPE_LIST:
		return list_text(s, v, arg, ret_text, err);
	default:
		return err_set(err, -EINVAL, "must be a string or a number");
	}
}

/* `requeue = false` is `no-requeue`, and vice versa; for other options, false sets nothing. */
static int set_switch(struct spec *s, const struct opt *o, const config_setting_t *v,
		      struct err *err)
{
	char other[64];

	if (config_setting_type(v) != CONFIG_TYPE_BOOL)
		return err_set(err, -EINVAL, "must be true or false");
	if (config_setting_get_bool(v))
		return spec_set(s, o, NULL, err);
	if (strncmp(o->name, "no-", 3) == 0)
		snprintf(other, sizeof(other), "%s", o->name + 3);
	else
		snprintf(other, sizeof(other), "no-%s", o->name);
	o = opt_find(options, other);
	return o ? spec_set(s, o, NULL, err) : 0;
}

static int set_option(struct spec *s, const struct opt *o, const config_setting_t *v,
		      struct err *err)
{
	const char *text;
	int rc;

	if (!o->arg || (o->arg[0] == '[' && config_setting_type(v) == CONFIG_TYPE_BOOL))
		return set_switch(s, o, v, err);
	rc = value_text(s, v, o->arg, &text, err);
	return rc < 0 ? rc : spec_set(s, o, text, err);
}

/* A list of strings; a string alone is a list of one. */
static int words_of(struct spec *s, const config_setting_t *v, char ***ret_words, size_t *ret_count,
		    struct err *err)
{
	int count = is_list(v) ? config_setting_length(v) : 1;
	char **words;

	if (count > WORDS_MAX)
		return err_set(err, -E2BIG, "more than %d words", WORDS_MAX);
	words = arena_zalloc(s->arena, (size_t)count + 1, sizeof(*words));
	for (int i = 0; i < count; i++) {
		const config_setting_t *one =
			is_list(v) ? config_setting_get_elem(v, (unsigned)i) : v;
		int rc;

		if (config_setting_type(one) != CONFIG_TYPE_STRING)
			return err_set(err, -EINVAL,
				       "must be a list of strings: [\"one\", \"two\"]");
		rc = spec_check_text(config_setting_get_string(one), err);
		if (rc < 0)
			return err_prefix(err, rc, "word %d", i + 1);
		words[i] = arena_strdup(s->arena, config_setting_get_string(one));
	}
	*ret_words = words;
	*ret_count = (size_t)count;
	return 0;
}

/* --- keys that are no options -------------------------------------------------------------- */

static int read_program(struct spec *s, const char *key, const config_setting_t *v, struct err *err)
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

static int read_env(struct spec *s, const config_setting_t *v, struct err *err)
{
	bool group = config_setting_type(v) == CONFIG_TYPE_GROUP;
	int count = group || is_list(v) ? config_setting_length(v) : 0, rc = 0;

	if (!group && !is_list(v))
		return err_set(err, -EINVAL, "%s", env_forms);
	s->group.env = arena_zalloc(s->arena, (size_t)count + 1, sizeof(*s->group.env));
	s->group.n_env = 0;
	for (int i = 0; rc == 0 && i < count; i++) {
		const config_setting_t *one = config_setting_get_elem(v, (unsigned)i);
		const char *text = "";

		if (config_setting_type(one) == CONFIG_TYPE_GROUP)
			return err_set(err, -EINVAL, "%s", env_forms);
		rc = value_text(s, one, group ? "VALUE" : "NONE", &text, err);
		if (rc == 0 && group)
			text = arena_printf(s->arena, "%s=%s", config_setting_name(one), text);
		if (rc == 0)
			rc = add_variable(s, text, err);
	}
	return rc;
}

static int read_bool(const config_setting_t *v, protobuf_c_boolean *ret, struct err *err)
{
	if (config_setting_type(v) != CONFIG_TYPE_BOOL)
		return err_set(err, -EINVAL, "must be true or false");
	*ret = config_setting_get_bool(v);
	return 0;
}

static int read_group_name(struct reader *r, const config_setting_t *v, struct err *err)
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

static int read_groups(struct reader *r, const config_setting_t *v, struct err *err);

/* Errors do not have a line yet; the caller adds it. */
static int read_key(struct reader *r, const struct jobfile_key *k, const config_setting_t *v,
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

static int read_setting(struct reader *r, const config_setting_t *v, struct err *err)
{
	const struct jobfile_key *k;
	const struct opt *o;
	char name[64];
	int rc;

	with_dashes(config_setting_name(v), name);
	k = key_find(name, r->in_group);
	if (!k && strcmp(name, "tolerations") == 0)
		k = key_find("toleration", r->in_group);
	if (k && strcmp(k->name, "groups") == 0)
		return read_groups(r, v, err);
	o = r->in_group ? NULL : opt_find(options, name);
	rc = k ? read_key(r, k, v, err) : o ? set_option(r->s, o, v, err) : unknown(r, name, err);
	return rc < 0 ? at(r, v, rc, err) : 0;
}

static int read_settings(struct reader *r, const config_setting_t *group, struct err *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < config_setting_length(group); i++)
		rc = read_setting(r, config_setting_get_elem(group, (unsigned)i), err);
	return rc;
}

static int read_groups(struct reader *r, const config_setting_t *v, struct err *err)
{
	int rc = 0;

	if (config_setting_type(v) != CONFIG_TYPE_LIST || !config_setting_length(v))
		return at(r, v,
			  err_set(err, -EINVAL, "must be a list of groups: ( { ... }, { ... } )"),
			  err);
	if (config_setting_length(v) > JOBFILE_GROUPS_MAX)
		return at(r, v, err_set(err, -EINVAL, "more than %d groups", JOBFILE_GROUPS_MAX),
			  err);
	for (int i = 0; rc == 0 && i < config_setting_length(v); i++) {
		const config_setting_t *one = config_setting_get_elem(v, (unsigned)i);
		struct reader group = {r->name, r->whole, spec_add_part(r->whole), true};

		if (config_setting_type(one) != CONFIG_TYPE_GROUP)
			return at(r, v,
				  err_set(err, -EINVAL, "entry %d must be a group: { ... }", i + 1),
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

/* Has libconfig read the text into cfg. */
static int read_text(config_t *cfg, const char *name, const char *text, struct err *err)
{
	CLEANUP_BUF struct buf safe = {0};
	int rc = conf_scan(text, &safe, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", name);
	buf_addstr(&safe, "");
	if (config_read_string(cfg, (const char *)safe.data))
		return 0;
	return err_set(err, -EINVAL, "%s: line %d: %s", name, config_error_line(cfg),
		       config_error_text(cfg));
}

int jobfile_parse(struct spec *s, const char *name, const char *text, struct err *err)
{
	struct reader r = {name, s, s, false};
	config_t cfg;
	int rc;

	s->source = SPEC_DIRECTIVE;
	config_init(&cfg);
	rc = read_text(&cfg, name, text, err);
	if (rc < 0 && kubernetes_is_yaml(text))
		rc = err_set(err, -EINVAL,
			     "%s: is YAML; a job file has the syntax key = \"value\"; of libconfig "
			     "(armada-job(5))",
			     name);
	if (rc == 0)
		rc = read_settings(&r, config_root_setting(&cfg), err);
	config_destroy(&cfg);
	if (rc == 0)
		share_env(s);
	return rc;
}

/* --- files --------------------------------------------------------------------------------- */

static int read_script(struct spec *s, const char *file, int64_t max_bytes, struct err *err)
{
	const char *slash = strrchr(file, '/'), *path = s->script_path;
	CLEANUP_BUF struct buf text = {0};
	int rc;

	if (!path)
		return 0;
	if (path[0] != '/' && slash)
		path = arena_printf(s->arena, "%.*s%s", (int)(slash + 1 - file), file, path);
	rc = script_read(path, max_bytes, &text, err);
	if (rc == 0)
		rc = script_check(path, (char *)text.data, text.len, err);
	if (rc == 0)
		rc = spec_script(s, path, text.data, text.len, s->job.n_args,
				 (const char *const *)s->job.args, err);
	s->script_path = NULL;
	return rc < 0 ? err_prefix(err, rc, "%s", file) : 0;
}

int jobfile_read(struct spec *s, const char *path, int64_t max_script_bytes, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};
	int rc = script_read(path, JOBFILE_MAX, &text, err);

	if (rc < 0)
		return rc;
	buf_addstr(&text, "");
	if (strlen((char *)text.data) < text.len)
		return err_set(err, -EINVAL, "%s: contains a zero byte and is not a text", path);
	rc = jobfile_parse(s, path, (char *)text.data, err);
	if (rc == 0)
		rc = read_script(s, path, max_script_bytes, err);
	for (size_t i = 0; rc == 0 && i < s->part_count; i++)
		rc = read_script(s->parts[i], path, max_script_bytes, err);
	return rc;
}

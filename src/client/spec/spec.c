/*
 * Gathers the specification of a job option by option.
 *
 * Each source (directives, environment, command line) sets options with spec_set(); values are
 * copied to the arena of the spec. Here are also the environment as a source, the program of the
 * job, and the task groups of a job file. spec_finish() completes the message.
 */
#include "client/spec/spec.h"

#include "client/spec/order.h"
#include "client/spec/table.h"
#include "util/mem.h"
#include "util/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ENV_NAME_MAX = 64 };

/* The values of a variable for an option that takes no value. */
static const struct {
	const char *word;
	bool yes;
} truths[] = {
	{"", true},    {"yes", true},    {"true", true}, {"1", true},
	{"no", false}, {"false", false}, {"0", false},
};

void spec_init(struct spec *s)
{
	*s = (struct spec){.arena = arena_new(0)};
	armada__job_spec__init(&s->job);
	armada__task_group__init(&s->group);
	s->groups[0] = &s->group;
	s->job.groups = s->groups;
	s->job.n_groups = 1;
	s->group.replicas = 1;
}

void spec_done(struct spec *s)
{
	for (size_t i = 0; i < s->part_count; i++) {
		spec_done(s->parts[i]);
		free(s->parts[i]);
	}
	free(s->parts);
	arena_free(s->arena);
	*s = (struct spec){0};
}

void spec_move(struct spec *from, struct spec *to)
{
	bool own = from->job.groups == from->groups;

	*to = *from;
	to->groups[0] = &to->group;
	if (own)
		to->job.groups = to->groups;
	*from = (struct spec){0};
}

int spec_check_word(const char *word, struct err *err)
{
	const unsigned char *p = (const unsigned char *)word;

	for (size_t n; *p; p += n) {
		n = utf8_char(p, UTF8_MAX, NULL);
		if (!n)
			return err_set(err, -EINVAL, "is not UTF-8 text");
	}
	return 0;
}

int spec_check_text(const char *value, struct err *err)
{
	int rc = spec_check_word(value, err);

	for (const char *p = value; rc == 0 && *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			rc = err_set(err, -EINVAL, "holds a control character");
	return rc;
}

int spec_set(struct spec *s, const struct opt *o, const char *value, struct err *err)
{
	int rc = value ? spec_check_text(value, err) : 0;

	if (rc < 0)
		return rc;
	if (value)
		value = arena_strdup(s->arena, value);
	return opt_set(o, s, value, err) < 0 ? -EINVAL : 0;
}

/* ASUBMIT_MEM_PER_CPU for "mem-per-cpu". */
static void env_name(const char *option, char ret_name[ENV_NAME_MAX])
{
	size_t n = (size_t)snprintf(ret_name, ENV_NAME_MAX, "ASUBMIT_");

	for (; *option && n < ENV_NAME_MAX - 1; option++)
		ret_name[n++] = *option == '-' ? '_' : (char)toupper((unsigned char)*option);
	ret_name[n] = '\0';
}

/* Parses the variable of an option that takes no value: yes sets the option, no does not. */
static int env_switch(const char *value, bool *ret_on, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		if (!strcasecmp(value, truths[i].word)) {
			*ret_on = truths[i].yes;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "'%s' must be yes or no", value);
}

static int apply_variable(struct spec *s, const struct opt *o, const char *value, struct err *err)
{
	bool on = true;
	int rc = 0;

	if (!o->arg) {
		rc = env_switch(value, &on, err);
		value = NULL;
	}
	if (rc == 0 && on)
		rc = spec_set(s, o, value, err);
	return rc;
}

/*
 * A job that a job submits is counted for the same account, unless its script names one.
 * SBATCH_ACCOUNT is set in the profiles of many users of Slurm.
 */
static int apply_account(struct spec *s, char *const *env, struct err *err)
{
	static const char *const names[] = {"SBATCH_ACCOUNT", "ARMADA_ACCOUNT"};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && rc == 0; i++) {
		size_t len = strlen(names[i]);

		for (char *const *e = env; *e && !s->job.account[0] && rc == 0; e++) {
			const char *value = *e + len + 1;
			char *kept;

			if (strncmp(*e, names[i], len) != 0 || (*e)[len] != '=' || !*value)
				continue;
			kept = arena_strdup(s->arena, value);
			rc = spec_read_account(&s->job.account, NULL, kept, err);
		}
		if (rc < 0)
			return err_prefix(err, rc, "%s", names[i]);
	}
	return 0;
}

int spec_apply_env(struct spec *s, char *const *env, struct err *err)
{
	char *const *start = env;

	s->source = SPEC_ENVIRONMENT;
	for (; env && *env; env++) {
		size_t len = strcspn(*env, "=");

		if (strncmp(*env, "ASUBMIT_", 8) != 0 || !(*env)[len])
			continue;
		for (size_t i = 0; i < spec_options.count; i++) {
			const struct opt *o = &spec_options.rows[i];
			char name[ENV_NAME_MAX];
			int rc;

			env_name(o->name, name);
			if (strlen(name) != len || memcmp(name, *env, len) != 0)
				continue;
			rc = apply_variable(s, o, *env + len + 1, err);
			if (rc < 0)
				return err_prefix(err, rc, "%s", name);
		}
	}
	return start ? apply_account(s, start, err) : 0;
}

static int copy_words(struct spec *s, size_t count, const char *const *words, char ***ret_list,
		      struct err *err)
{
	char **list = arena_zalloc(s->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		struct err why;
		int rc = spec_check_word(words[i], &why);

		if (rc < 0)
			return err_set(err, rc, "argument %zu %s", i + 1, why.text);
		list[i] = arena_strdup(s->arena, words[i]);
	}
	*ret_list = list;
	return 0;
}

/* The last part of a path; "sh" for "/bin/sh". */
static char *base_name(struct spec *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	return arena_strdup(s->arena, slash && slash[1] ? slash + 1 : path);
}

int spec_command(struct spec *s, size_t argc, const char *const *argv, struct err *err)
{
	int rc;

	if (!argc || !*argv[0])
		return err_set(err, -EINVAL, "no command after --");
	rc = spec_check_text(argv[0], err);
	if (rc < 0)
		return err_prefix(err, rc, "the program");
	rc = copy_words(s, argc, argv, &s->group.argv, err);
	if (rc < 0)
		return rc;
	s->group.n_argv = argc;
	s->job.script_name = base_name(s, s->group.argv[0]);
	return 0;
}

int spec_script(struct spec *s, const char *name, const void *text, size_t len, size_t argc,
		const char *const *args, struct err *err)
{
	int rc = name ? spec_check_text(name, err) : 0;

	if (rc < 0)
		return err_prefix(err, rc, "the script's name");
	rc = copy_words(s, argc, args, &s->job.args, err);
	if (rc < 0)
		return rc;
	s->job.n_args = argc;
	s->job.script_name = name ? arena_strdup(s->arena, name) : (char *)"stdin";
	s->script = arena_memdup(s->arena, text, len);
	s->script_len = len;
	return 0;
}

int spec_wrap(struct spec *s, const char *command, struct err *err)
{
	char *text;

	if (!command[strspn(command, " \t\n")])
		return err_set(err, -EINVAL, "is empty");
	text = arena_printf(s->arena, "#!/bin/sh\n# made by asubmit --wrap\n\n%s\n", command);
	return spec_script(s, "wrap", text, strlen(text), 0, NULL, err);
}

void spec_interactive(struct spec *s, const char *command, const void *payload, size_t len)
{
	s->job.interactive = true;
	s->job.no_requeue = true;
	s->job.requeue_set = true;
	s->job.output = s->job.input = (char *)"/dev/null";
	s->job.error = (char *)"";
	s->job.script_name = base_name(s, command);
	s->script = arena_memdup(s->arena, payload, len);
	s->script_len = len;
}

void spec_env(struct spec *s, const void *text, size_t len)
{
	s->env = len ? arena_memdup(s->arena, text, len) : NULL;
	s->env_len = len;
}

void spec_drop_program(struct spec *s)
{
	s->script = NULL;
	s->script_len = 0;
	s->script_path = NULL;
	s->group.argv = NULL;
	s->group.n_argv = 0;
	s->job.args = NULL;
	s->job.n_args = 0;
	s->job.script_name = (char *)"";
}

struct spec *spec_add_part(struct spec *s)
{
	struct spec *part = xcalloc(1, sizeof(*part));

	spec_init(part);
	part->source = s->source;
	s->parts = xreallocarray(s->parts, s->part_count + 1, sizeof(*s->parts));
	return s->parts[s->part_count++] = part;
}

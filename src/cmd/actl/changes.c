/*
 * Changes of a job (changes.h).
 *
 * The options are those of asubmit and give the new values. proto/update_table.h names the options,
 * client/spec/table.c the allowed values. A request has a spec with the new values and the list of fields
 * that change; the controller changes each job completely or not at all.
 */
#include "cmd/actl/changes.h"

#include "client/script.h"
#include "client/spec/run.h"
#include "client/spec/table.h"
#include "proto/update_table.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>

/* Options that differ from those of asubmit; the target is a struct spec. */
static const struct opt throttle = {"array-throttle",
				    NULL,
				    0,
				    "N",
				    OPT_INT(struct spec, job.array_throttle, 0, UINT32_MAX),
				    NULL};
static const struct opt gpus = {"gpus-per-task",
				NULL,
				0,
				"N",
				OPT_INT(struct spec, shape.gpus_per_task, 0, SPEC_TASKS_MAX),
				NULL};
static const struct opt requeue = {"requeue", NULL, 0, NULL, OPT_CALL(spec_set_requeue), NULL};

/* Set by set_group() and set_program(). */
static const struct opt group = {"group", NULL, 0, "NAME[=N]", OPT_CALL(spec_accept), NULL};
static const struct opt wrap = {"wrap", NULL, 0, "COMMAND", OPT_CALL(spec_accept), NULL};
static const struct opt script = {"script", NULL, 0, "FILE", OPT_CALL(spec_accept), NULL};

static const struct opt restart = {"restart",
				   NULL,
				   0,
				   NULL,
				   OPT_FLAG(struct changes, restart),
				   "End a job that runs, and start it again with the change"};

enum { KEPT = false, CLEARED = true };
#define ALSO(field, ...)                                      {UPDATE_FIELD(field), __VA_ARGS__},
#define CHANGE(field, words, when, gang, right, members, ...) ALSO(field, __VA_ARGS__)

static const struct change {
	unsigned field;        /* the field that it changes */
	const char *option;    /* the option of a job */
	bool none;             /* the value "none" deletes the present value */
	const struct opt *own; /* the option, if it differs; NULL: that of asubmit */
	const char *help;
} changes[] = {UPDATE_TABLE(CHANGE, ALSO)};

static const struct opt *option_of(const struct change *c)
{
	static const struct opt_table *const of_jobs[] = {&spec_options, NULL};

	return c->own ? c->own : opt_find(of_jobs, c->option);
}

/* +30m and -30m change the present limit. */
static int set_time(struct changes *u, const char *value, struct err *err)
{
	bool minus = *value == '-' && strcmp(value, "-1") != 0;
	int rc;

	u->time_relative = minus || *value == '+';
	rc = spec_set_time(&u->spec, value + u->time_relative, err);
	if (u->time_relative && (rc < 0 || u->spec.job.time_limit_s < 0))
		return err_set(err, -EINVAL, "'%s': expected a time, as in +30m", value);
	if (minus)
		u->spec.job.time_limit_s = -u->spec.job.time_limit_s;
	return rc;
}

/* NAME=N changes the number of tasks of the group, NAME alone only names it. */
static int set_group(struct changes *u, const char *value, struct err *err)
{
	size_t len = strcspn(value, "=");
	Armada__TaskGroup *g = &u->groups[u->scaled_count];
	char *name = arena_printf(u->spec.arena, "%.*s", (int)len, value);
	int64_t n;
	int rc;

	if (!len)
		return err_set(err, -EINVAL, "'%s': expected the name of a group, as in worker=4",
			       value);
	if (!u->group || strcmp(u->group, name) != 0)
		u->named_count++;
	u->group = name;
	if (!value[len])
		return 0;
	rc = parse_int(value + len + 1, 1, SPEC_TASKS_MAX, &n, err);
	if (rc < 0)
		return rc;
	if (u->scaled_count == CHANGES_GROUPS_MAX)
		return err_set(err, -EINVAL, "a job has at most %d groups", CHANGES_GROUPS_MAX);
	armada__task_group__init(g);
	g->name = name;
	g->replicas = (uint32_t)n;
	u->scaled[u->scaled_count++] = g;
	u->mask |= 1u << UPDATE_FIELD(GROUPS);
	return 0;
}

static int set_change(void *target, const void *change, const char *value, struct err *err)
{
	const struct change *c = change;
	struct changes *u = target;
	int rc = value ? spec_check_text(value, err) : 0;

	if (rc < 0)
		return rc;
	if (c->field == UPDATE_FIELD(GROUPS))
		return set_group(u, value, err);
	u->mask |= 1u << c->field;
	if (c->own == &wrap || c->own == &script) {
		*(c->own == &wrap ? &u->wrap : &u->script) = value;
		return 0;
	}
	if (c->field == UPDATE_FIELD(TIME_LIMIT))
		return set_time(u, value, err);
	if (!c->none || strcmp(value, "none") != 0)
		return opt_set(option_of(c), &u->spec, value, err);
	if (c->field == UPDATE_FIELD(BEGIN))
		u->spec.job.begin_us = 0;
	else if (c->field == UPDATE_FIELD(DEADLINE))
		u->spec.job.deadline_us = 0;
	else if (c->field == UPDATE_FIELD(TIME_MIN))
		u->spec.job.time_min_s = 0;
	return 0;
}

/* Made from the changes by changes_prepare(). */
static struct opt rows[ARRAY_SIZE(changes) + 1];

const struct opt_table changes_options = {"update", rows, ARRAY_SIZE(rows)};

void changes_prepare(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		rows[i] = *option_of(&changes[i]);
		rows[i].to = (struct opt_to)OPT_WITH(set_change, &changes[i]);
		rows[i].help = changes[i].help;
	}
	rows[ARRAY_SIZE(changes)] = restart;
}

/* The fields that a restart changes, too. */
static unsigned template_bits(void)
{
	enum { RUN, REMAINING, TEMPLATE, PENDING };
#define TEMPLATE_BIT(field, words, when, ...) | (when == TEMPLATE ? 1u << UPDATE_FIELD(field) : 0)
#define NOT_AGAIN(...)
	return 0 UPDATE_TABLE(TEMPLATE_BIT, NOT_AGAIN);
}

int changes_finish(struct changes *u, struct err *err)
{
	struct spec_shape *sh = &u->spec.shape;
	int64_t memory = sh->memory_bytes;
	int rc;

	if (sh->memory_per_cpu_bytes && !sh->cpu_milli)
		return err_set(err, -EINVAL, "--mem-per-cpu needs --cpus");
	if (sh->memory_per_cpu_bytes &&
	    __builtin_mul_overflow(sh->memory_per_cpu_bytes, sh->cpu_milli, &memory))
		return err_set(err, -EINVAL, "--mem-per-cpu: too much memory");
	if (sh->memory_per_cpu_bytes)
		memory /= 1000;
	if (sh->cpu_milli)
		spec_add_resource(&u->spec, "cpu", sh->cpu_milli, false);
	if (memory)
		spec_add_resource(&u->spec, "memory", memory, false);
	if (sh->gpus_per_task >= 0)
		spec_add_resource(&u->spec, "gpu", sh->gpus_per_task, false);
	rc = spec_change_resources(&u->spec, err);
	if (rc < 0)
		return rc;
	u->spec.group.replicas = (uint32_t)sh->tasks;
	u->spec.job.min_available = (uint32_t)sh->min_tasks;
	if (u->named_count > 1 &&
	    u->mask & (1u << UPDATE_FIELD(RESOURCES) | 1u << UPDATE_FIELD(PROGRAM)))
		return err_set(err, -EINVAL,
			       "--group names several groups; the resources and the program are "
			       "changed for one group at a time");
	if (u->restart && !(u->mask & template_bits()))
		return err_set(err, -EINVAL,
			       "--restart needs a change that a running job cannot have, such as "
			       "--cpus or --ntasks; actl requeue restarts it as it is");
	if (!u->mask)
		return err_set(err, -EINVAL,
			       "no changes given; give options such as --priority=5 (lower "
			       "runs first)");
	return 0;
}

static int read_script(struct changes *u, const struct conf *conf, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};
	int rc;

	if (u->script_text)
		return spec_script(&u->spec, NULL, u->script, strlen(u->script), u->word_count,
				   u->words, err);
	rc = script_read(u->script, conf->limits.script_bytes, &text, err);

	if (rc == 0)
		rc = script_check(u->script, (char *)text.data, text.len, err);
	return rc < 0 ? -EBADE
		      : spec_script(&u->spec, u->script, text.data, text.len, u->word_count,
				    u->words, err);
}

int changes_program(struct changes *u, const struct conf *conf, struct err *err)
{
	int rc;

	if (u->wrap && (u->script || u->word_count))
		return err_set(err, -EINVAL, "--wrap and a script or command cannot both be given");
	if (u->script)
		return read_script(u, conf, err);
	if (u->wrap) {
		rc = spec_wrap(&u->spec, u->wrap, err);
		return rc < 0 ? err_prefix(err, rc, "--wrap") : 0;
	}
	return u->word_count ? spec_command(&u->spec, u->word_count, u->words, err) : 0;
}

static void add_fields(const struct changes *u, Armada__UpdateJobRequest *q)
{
	q->fields = arena_zalloc(u->spec.arena, 32, sizeof(*q->fields));
	for (unsigned i = 1; i < 32; i++)
		if (u->mask >> i & 1)
			q->fields[q->n_fields++] = (Armada__UpdateJobRequest__Field)i;
}

void changes_request(const struct changes *u, const struct filter *f, Armada__UpdateJobRequest *ret)
{
	armada__update_job_request__init(ret);
	ret->filter = (Armada__JobFilter *)&f->message;
	ret->spec = (Armada__JobSpec *)&u->spec.job;
	ret->time_relative = u->time_relative;
	ret->restart = u->restart;
	ret->groups = (Armada__TaskGroup **)u->scaled;
	ret->n_groups = u->scaled_count;
	if (u->group)
		ret->group = (char *)u->group;
	ret->script.data = (uint8_t *)u->spec.script;
	ret->script.len = u->spec.script_len;
	add_fields(u, ret);
}

void changes_script(struct changes *u, const char *text)
{
	u->script = text;
	u->script_text = true;
	u->mask |= 1u << UPDATE_FIELD(PROGRAM);
}

void changes_words(struct changes *u, const char *const *words, size_t count)
{
	u->words = words;
	u->word_count = count;
	if (count)
		u->mask |= 1u << UPDATE_FIELD(PROGRAM);
}

void changes_init(struct changes *u)
{
	memset(u, 0, sizeof(*u));
	spec_init(&u->spec);
	u->spec.source = SPEC_LINE;
	u->spec.shape.gpus_per_task = -1;
}

void changes_done(struct changes *u)
{
	spec_done(&u->spec);
}

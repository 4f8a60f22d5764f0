/*
 * actl update: change jobs.
 *
 * The words before the options select the jobs; the options are those of asubmit and give the new
 * values. proto/update_table.h names the options, client/spec/table.c the allowed values. A request
 * has a spec with the new values and the list of fields that change; the controller changes each
 * job completely or not at all.
 */
#include "cmd/actl/update.h"

#include "client/known.h"
#include "client/script.h"
#include "client/spec/finish.h"
#include "client/spec/run.h"
#include "client/spec/table.h"
#include "cmd/actl/paged_request.h"
#include "cmd/actl/select.h"
#include "cmd/common/command.h"
#include "conf/conf.h"
#include "proto/update_table.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { GROUPS_MAX = 64 };

struct update {
	struct spec spec;
	unsigned mask;
	bool time_relative; /* the time limit is added to that of the job */
	/* --group: those with a number of tasks; the last one that was named */
	Armada__TaskGroup groups[GROUPS_MAX], *scaled[GROUPS_MAX];
	size_t scaled_count, named_count;
	const char *group;
	const char *wrap, *script;
	bool restart;
	const char **words; /* after "--" */
	size_t word_count;
};

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
				   OPT_FLAG(struct update, restart),
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
static int set_time(struct update *u, const char *value, struct err *err)
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
static int set_group(struct update *u, const char *value, struct err *err)
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
	if (u->scaled_count == GROUPS_MAX)
		return err_set(err, -EINVAL, "a job has at most %d groups", GROUPS_MAX);
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
	struct update *u = target;
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

/* Made from the changes by actl_update_prepare(). */
static struct opt rows[ARRAY_SIZE(changes) + 1];

const struct opt_table actl_update_options = {"update", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&actl_update_options, &command_options, NULL};

void actl_update_prepare(void)
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

static int finish(struct update *u, struct err *err)
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

static int read_script(struct update *u, const struct conf *conf, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};
	int rc = script_read(u->script, conf->limits.script_bytes, &text, err);

	if (rc == 0)
		rc = script_check(u->script, (char *)text.data, text.len, err);
	return rc < 0 ? -EBADE
		      : spec_script(&u->spec, u->script, text.data, text.len, u->word_count,
				    u->words, err);
}

/* The new program: a script, a shell command line, or a command after "--". */
static int read_program(struct update *u, const struct conf *conf, struct err *err)
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

static void add_fields(const struct update *u, Armada__UpdateJobRequest *q)
{
	q->fields = arena_zalloc(u->spec.arena, 32, sizeof(*q->fields));
	for (unsigned i = 1; i < 32; i++)
		if (u->mask >> i & 1)
			q->fields[q->n_fields++] = (Armada__UpdateJobRequest__Field)i;
}

static int report(const struct tally *t, struct err *err)
{
	if (t->done)
		printf("Updated %" PRIu64 " job%s\n", t->done, plural(t->done, "", "s"));
	if (t->absent < 0)
		return t->absent;
	if (t->denied)
		return paged_request_denied(t, err);
	if (t->refused)
		return err_set(err, -EBADE, "%" PRIu64 " job%s not changed", t->refused,
			       plural(t->refused, " was", "s were"));
	return t->done ? 0 : err_set(err, -ENOENT, "there are no such jobs");
}

static int send_request(struct connection *c, const struct update *u, const struct filter *f,
			struct err *err)
{
	Armada__UpdateJobRequest q = ARMADA__UPDATE_JOB_REQUEST__INIT;
	struct tally t;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.spec = (Armada__JobSpec *)&u->spec.job;
	q.time_relative = u->time_relative;
	q.restart = u->restart;
	q.groups = (Armada__TaskGroup **)u->scaled;
	q.n_groups = u->scaled_count;
	if (u->group)
		q.group = (char *)u->group;
	q.script.data = (uint8_t *)u->spec.script;
	q.script.len = u->spec.script_len;
	add_fields(u, &q);
	rc = paged_request_ask(c, &paged_update, &q, &t, err);
	return rc < 0 ? rc : paged_request_end(&t, report(&t, err), err);
}

/* Words before "--" select the jobs, those after it are a command. */
static int parse(struct update *u, int argc, char **argv, const char **operands, size_t *ret_count,
		 struct err *err)
{
	struct opt_parser p = {.tables = tables, .argv = argv, .argc = argc, .next = 1};
	const struct opt *o;
	const char *value;
	int rc;

	while ((rc = opt_next(&p, &o, &value, err)) > 0) {
		if (rc == OPT_OPTION) {
			rc = opt_set(o, u, value, err);
			if (rc < OPT_ERRNO_LEAST)
				return rc;
			if (rc < 0)
				return err_prefix(err, -EINVAL, "%s", p.shown);
		} else if (p.after_dashes) {
			u->words[u->word_count++] = value;
		} else {
			operands[(*ret_count)++] = value;
		}
	}
	if (u->word_count)
		u->mask |= 1u << UPDATE_FIELD(PROGRAM);
	return rc;
}

static int run_with(struct update *u, int argc, char **argv, struct err *err)
{
	const char **operands = arena_zalloc(u->spec.arena, (size_t)argc + 1, sizeof(*operands));
	struct connection *c = NULL;
	struct filter f;
	size_t count = 0;
	int rc;

	filter_init(&f);
	u->words = arena_zalloc(u->spec.arena, (size_t)argc + 1, sizeof(*u->words));
	rc = parse(u, argc, argv, operands, &count, err);
	if (rc == 0 && !count)
		rc = err_set(
			err, -EINVAL,
			"usage: actl update ID|queue=NAME|job-set=NAME|user=NAME... option...");
	if (rc == 0)
		rc = actl_select(&f, operands, count, err);
	if (rc == 0)
		rc = finish(u, err);
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = read_program(u, connection_conf(c), err);
	if (rc == 0)
		rc = known_check(c, &f, NULL, NULL, err);
	if (rc == 0)
		rc = send_request(c, u, &f, err);
	connection_free(c);
	filter_done(&f);
	return rc;
}

int actl_update(int argc, char **argv, struct err *err)
{
	struct update u = {.mask = 0};
	int rc;

	spec_init(&u.spec);
	u.spec.source = SPEC_LINE;
	u.spec.shape.gpus_per_task = -1;
	rc = run_with(&u, argc, argv, err);
	spec_done(&u.spec);
	return rc;
}

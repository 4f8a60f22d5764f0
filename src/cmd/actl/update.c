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
#include "client/spec/finish.h"
#include "client/spec/run.h"
#include "client/spec/table.h"
#include "cmd/actl/paged_request.h"
#include "cmd/actl/select.h"
#include "cmd/common/command.h"
#include "proto/update_table.h"
#include "util/mem.h"
#include "util/plural.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct update {
	struct spec spec;
	unsigned mask;
	bool time_relative; /* the time limit is added to that of the job */
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

static int set_change(void *target, const void *change, const char *value, struct err *err)
{
	const struct change *c = change;
	struct update *u = target;

	u->mask |= 1u << c->field;
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
static struct opt rows[ARRAY_SIZE(changes)];

const struct opt_table actl_update_options = {"update", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&actl_update_options, &command_options, NULL};

void actl_update_prepare(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i] = *option_of(&changes[i]);
		rows[i].to = (struct opt_to)OPT_WITH(set_change, &changes[i]);
		rows[i].help = changes[i].help;
	}
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
	if (!u->mask)
		return err_set(err, -EINVAL,
			       "no changes given; give options such as --priority=5 (lower "
			       "runs first)");
	return 0;
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
	add_fields(u, &q);
	rc = paged_request_ask(c, &paged_update, &q, &t, err);
	return rc < 0 ? rc : paged_request_end(&t, report(&t, err), err);
}

static int run_with(struct update *u, int argc, char **argv, struct err *err)
{
	CLEANUP_FREE const char **operands = NULL;
	struct connection *c = NULL;
	struct filter f;
	size_t count = 0;
	int rc;

	filter_init(&f);
	rc = opt_parse(tables, argc, argv, u, &operands, &count, err);
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

/*
 * actl update: waiting jobs ask for something else, in the words of asubmit.
 *
 * It has a command line of its own: its options are those of a job, and their target is not that of the
 * other verbs.
 */
#include "cmd/actl.h"

#include "client/spec.h"
#include "client/spec_set.h"
#include "cmd/parts.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FIELD(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

struct update {
	struct spec spec;
	unsigned mask;
	bool gpus; /* said, though they may be 0 */
};

/*
 *	X(setter, field): of spec_set.h
 */
#define SETTERS(X)                                                                                 \
	X(set_name, NAME)                                                                          \
	X(set_queue, QUEUE)                                                                        \
	X(set_priority, PRIORITY)                                                                  \
	X(set_priority_class, PRIORITY_CLASS)                                                      \
	X(set_comment, COMMENT)                                                                    \
	X(set_time, TIME_LIMIT)                                                                    \
	X(set_grace, GRACE)                                                                        \
	X(set_cpus, RESOURCES)                                                                     \
	X(set_memory, RESOURCES)                                                                   \
	X(set_memory_per_cpu, RESOURCES)                                                           \
	X(set_labels, SELECTORS)                                                                   \
	X(set_dependency, DEPENDENCIES)                                                            \
	X(set_kill_on_invalid, KEEP_INVALID)                                                       \
	X(set_begin, BEGIN)                                                                        \
	X(set_requeue, REQUEUE)                                                                    \
	X(set_no_requeue, REQUEUE)

#define X(setter, field)                                                                           \
	static int setter(void *target, const char *value, struct err *err)                        \
	{                                                                                          \
		struct update *u = target;                                                         \
                                                                                                   \
		u->mask |= 1u << FIELD(field);                                                     \
		return spec_##setter(&u->spec, value, err);                                        \
	}
SETTERS(X)
#undef X

/* A list of nodes, or none: any will do again. */
static int set_nodes(struct update *u, unsigned field, const char *value,
		     int (*set)(void *, const char *, struct err *), struct err *err)
{
	u->mask |= 1u << field;
	return strcmp(value, "none") == 0 ? 0 : set(&u->spec, value, err);
}

static int set_nodelist(void *target, const char *value, struct err *err)
{
	return set_nodes(target, FIELD(NODES_INCLUDE), value, spec_set_nodelist, err);
}

static int set_exclude(void *target, const char *value, struct err *err)
{
	return set_nodes(target, FIELD(NODES_EXCLUDE), value, spec_set_exclude, err);
}

static int set_constraint(void *target, const char *value, struct err *err)
{
	struct update *u = target;

	return strcmp(value, "none") == 0 ? (u->mask |= 1u << FIELD(SELECTORS), 0)
					  : set_labels(target, value, err);
}

static int set_gpus(void *target, const char *value, struct err *err)
{
	struct update *u = target;

	u->mask |= 1u << FIELD(RESOURCES);
	u->gpus = true;
	return parse_int(value, 0, 1000000, &u->spec.shape.gpus_per_task, err);
}

static int set_throttle(void *target, const char *value, struct err *err)
{
	struct update *u = target;
	int64_t n;
	int rc = parse_int(value, 0, UINT32_MAX, &n, err);

	if (rc < 0)
		return rc;
	u->mask |= 1u << FIELD(THROTTLE);
	u->spec.job.array_throttle = (uint32_t)n;
	return 0;
}

/* "none": it may begin at once. */
static int set_begin_or_none(void *target, const char *value, struct err *err)
{
	struct update *u = target;

	if (strcmp(value, "none") != 0)
		return set_begin(target, value, err);
	u->mask |= 1u << FIELD(BEGIN);
	u->spec.job.begin_us = 0;
	return 0;
}

/* clang-format off */
static const struct opt rows[] = {
	{"name", "job-name", 'J', "NAME", set_name, "Another name"},
	{"queue", "partition -p", 'q', "QUEUE", set_queue, "Another queue"},
	{"priority", NULL, 0, "N", set_priority, "Priority in its queue: lower runs first"},
	{"priority-class", NULL, 0, "CLASS", set_priority_class, "Another priority class: higher is more urgent"},
	{"comment", NULL, 0, "TEXT", set_comment, "Another text kept with the job"},
	{"array-throttle", NULL, 0, "N", set_throttle,
	 "Elements of the array that run at once, as %N; 0: no limit"},
	{"time", NULL, 't', "TIME", set_time, "Another time limit"},
	{"grace-period", NULL, 0, "TIME", set_grace, "From SIGTERM to SIGKILL"},
	{"cpus", "cpus-per-task", 'c', "N", set_cpus, "Cpus of each task"},
	{"memory", "mem", 0, "SIZE", set_memory, "Memory of each task"},
	{"mem-per-cpu", "memory-per-cpu", 0, "SIZE", set_memory_per_cpu,
	 "Memory for each cpu of a task; with --cpus"},
	{"gpus-per-task", NULL, 0, "N", set_gpus, "Gpus of each task; 0: none"},
	{"constraint", NULL, 'C', "LABELS", set_constraint, "Labels of its nodes; none: any"},
	{"nodelist", NULL, 'w', "NODES", set_nodelist, "Its nodes; none: any"},
	{"exclude", NULL, 'x', "NODES", set_exclude, "Nodes to avoid; none: no one"},
	{"dependency", NULL, 'd', "LIST", set_dependency, "Jobs to wait for; none: nobody"},
	{"kill-on-invalid-dep", NULL, 0, "yes|no", set_kill_on_invalid,
	 "Cancel it when its dependency can never hold, or let it wait"},
	{"begin", NULL, 'b', "TIME", set_begin_or_none, "Not before; none: at once"},
	{"requeue", NULL, 0, NULL, set_requeue, "Run it again when its node fails"},
	{"no-requeue", NULL, 0, NULL, set_no_requeue, "Fail it then"},
};
/* clang-format on */

const struct opt_table actl_update_options = {"update", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&actl_update_options, &common_options, NULL};

static void add_resource(struct spec *s, const char *name, int64_t amount)
{
	Armada__Resource *r = arena_alloc(s->arena, sizeof(*r));

	if (!s->group.resources)
		s->group.resources = arena_zalloc(s->arena, 3, sizeof(r));
	armada__resource__init(r);
	r->name = (char *)name;
	r->amount = amount;
	s->group.resources[s->group.n_resources++] = r;
}

static int finish(struct update *u, struct err *err)
{
	struct spec_shape *sh = &u->spec.shape;
	int64_t memory = sh->memory_bytes;

	if (sh->memory_per_cpu_bytes && !sh->cpu_milli)
		return err_set(err, -EINVAL, "--mem-per-cpu: say --cpus too");
	if (sh->memory_per_cpu_bytes &&
	    __builtin_mul_overflow(sh->memory_per_cpu_bytes, sh->cpu_milli, &memory))
		return err_set(err, -EINVAL, "--mem-per-cpu: too much memory");
	if (sh->memory_per_cpu_bytes)
		memory /= 1000;
	if (sh->cpu_milli)
		add_resource(&u->spec, "cpu", sh->cpu_milli);
	if (memory)
		add_resource(&u->spec, "memory", memory);
	if (u->gpus)
		add_resource(&u->spec, "gpu", sh->gpus_per_task);
	if (!u->mask)
		return err_set(err, -EINVAL,
			       "nothing to change: say what, as in --priority=5 (lower "
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

static int send_parts(struct connection *c, const struct update *u, const struct filter *f,
		      struct err *err)
{
	Armada__UpdateJobRequest q = ARMADA__UPDATE_JOB_REQUEST__INIT;
	struct tally t;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.spec = (Armada__JobSpec *)&u->spec.job;
	add_fields(u, &q);
	rc = parts_ask(c, &parts_update, &q, &t, err);
	if (rc < 0)
		return rc;
	if (t.done)
		printf("Updated %" PRIu64 " job%s\n", t.done, plural(t.done));
	if (t.absent < 0)
		return t.absent;
	if (t.denied)
		return parts_denied(&t, err);
	if (t.refused)
		return err_set(err, -EBADE, "%" PRIu64 " job%s not changed", t.refused,
			       t.refused == 1 ? " was" : "s were");
	return t.done ? 0 : err_set(err, -ENOENT, "there are no such jobs");
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
		rc = send_parts(c, u, &f, err);
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
	rc = run_with(&u, argc, argv, err);
	spec_done(&u.spec);
	return rc;
}

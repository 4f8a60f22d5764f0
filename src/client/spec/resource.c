/*
 * Reads options for resources of any name, and adds them to the request of a task (resource.h). Input: texts
 * such as "fpga=1,scratch=2T". Output: shape.resources of a spec; in the end, the resources of its group.
 */
#include "client/spec/resource.h"

#include "client/spec/size.h"
#include "client/spec/spec.h"
#include "client/spec/table.h"
#include "conf/quantity.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void spec_add_resource(struct spec *s, const char *name, int64_t amount, bool size)
{
	Armada__Resource *r = arena_alloc(s->arena, sizeof(*r));

	if (!s->group.resources)
		s->group.resources = arena_zalloc(s->arena, 3 + SPEC_RESOURCES_MAX, sizeof(r));
	armada__resource__init(r);
	r->name = (char *)name;
	r->amount = amount;
	r->size = size;
	s->group.resources[s->group.n_resources++] = r;
}

static size_t find(const struct spec_shape *sh, const char *name)
{
	size_t at = 0;

	while (at < sh->resource_count && strcmp(sh->resources[at].name, name) != 0)
		at++;
	return at;
}

static int put(struct spec *s, const struct spec_resource *r, struct err *err)
{
	struct spec_shape *sh = &s->shape;
	size_t at = find(sh, r->name);

	if (at == SPEC_RESOURCES_MAX)
		return err_set(err, -EINVAL, "more than %d resources", SPEC_RESOURCES_MAX);
	if (at < sh->resource_count && sh->resources[at].from == (int)s->source &&
	    sh->resources[at].per_node != r->per_node)
		return err_set(err, -EINVAL, "%s is given for each task and for each node",
			       r->name);
	sh->resources[at] = *r;
	sh->resources[at].name = arena_strdup(s->arena, r->name);
	sh->resources[at].from = (int)s->source;
	sh->resource_count += at == sh->resource_count;
	return 0;
}

/* cpu=2, memory=4G and gpu=1 are --cpus=2, --memory=4G and --gpus-per-task=1. */
static int put_own(struct spec *s, const char *option, const char *amount, struct err *err)
{
	static const struct opt_table *const of_jobs[] = {&spec_options, NULL};

	return opt_set(opt_find(of_jobs, option), s, amount, err);
}

static int put_text(struct spec *s, const char *name, const char *amount, bool per_node,
		    struct err *err)
{
	static const char *const options[] = {"cpus", "memory", "gpus-per-task"};
	struct spec_resource r = {.name = name, .per_node = per_node};
	int own = resource_index(name), rc;

	if (own >= 0 && !resource_is_added((size_t)own))
		return put_own(s, options[own], amount, err);
	rc = resource_name_check(name, err);
	if (rc == 0)
		rc = offer_amount(amount, &r.amount, &r.size, err);
	return rc < 0 ? err_prefix(err, rc, "%s", name) : put(s, &r, err);
}

/* Refuses a list that has a name twice. ends: the characters that may follow a name. */
static int refuse_twice(const char *list, const char *ends, struct err *err)
{
	for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
		size_t len = strcspn(p, ends);

		for (const char *q = list; q < p; q += strcspn(q, ",") + 1)
			if (strcspn(q, ends) == len && memcmp(p, q, len) == 0)
				return err_set(err, -EINVAL, "%.*s is given twice",
					       len < 64 ? (int)len : 64, p);
	}
	return 0;
}

int spec_set_resource(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int rc = refuse_twice(value, "=,", err);

	for (const char *p = value; rc == 0; p++) {
		size_t len = strcspn(p, ","), name = strcspn(p, "=");

		if (name >= len)
			return err_set(err, -EINVAL,
				       "'%.*s' is not NAME=AMOUNT, as in fpga=1 or scratch=500G",
				       len < 64 ? (int)len : 64, p);
		rc = put_text(s, arena_printf(s->arena, "%.*s", (int)name, p),
			      arena_printf(s->arena, "%.*s", (int)(len - name - 1), p + name + 1),
			      false, err);
		p += len;
		if (!*p)
			break;
	}
	return rc;
}

/* One of a list: gpu:2, gpu:a100:2, fpga:1, fpga. */
static int put_gres(struct spec *s, const char *one, struct err *err)
{
	size_t len = strcspn(one, ":=");
	const char *name = arena_printf(s->arena, "%.*s", (int)len, one);
	const char *amount = one[len] ? one + len + 1 : "1";

	if (strcmp(name, "gpu") == 0)
		return spec_set_amount(s, &spec_amounts[SPEC_GPUS_PER_NODE], amount, err);
	return put_text(s, name, amount, true, err);
}

int spec_set_gres(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int rc = refuse_twice(value, ":=,", err);

	if (strcmp(value, "none") == 0)
		return 0;
	for (const char *p = value; rc == 0; p++) {
		size_t len = strcspn(p, ",");

		rc = put_gres(s, arena_printf(s->arena, "%.*s", (int)len, p), err);
		p += len;
		if (!*p)
			break;
	}
	return rc;
}

int spec_set_tmp(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	const char *text = value;

	/* a number without a unit is in MiB, as in Slurm */
	if (*value && strspn(value, "0123456789") == strlen(value))
		text = arena_printf(s->arena, "%sM", value);
	return put_text(s, "tmp", text, true, err);
}

static int refuse_split(const struct spec_resource *r, int64_t tasks, struct err *err)
{
	return err_set(err, -EINVAL,
		       "%s: %" PRId64 " of each node cannot be divided evenly among %" PRId64
		       " tasks; give --resource %s=N, of each task",
		       r->name, r->amount, tasks, r->name);
}

void spec_inherit_resources(struct spec *group, const struct spec *job)
{
	struct spec_shape *sh = &group->shape;

	for (size_t i = 0; i < job->shape.resource_count; i++)
		if (find(sh, job->shape.resources[i].name) == sh->resource_count &&
		    sh->resource_count < SPEC_RESOURCES_MAX)
			sh->resources[sh->resource_count++] = job->shape.resources[i];
}

int spec_change_resources(struct spec *s, struct err *err)
{
	for (size_t i = 0; i < s->shape.resource_count; i++) {
		const struct spec_resource *r = &s->shape.resources[i];

		if (r->per_node)
			return err_set(err, -EINVAL, "%s: give --resource, of each task", r->name);
		spec_add_resource(s, r->name, r->amount, r->size);
	}
	return 0;
}

int spec_add_resources(struct spec *s, int64_t tasks, struct err *err)
{
	for (size_t i = 0; i < s->shape.resource_count; i++) {
		const struct spec_resource *r = &s->shape.resources[i];
		int64_t amount = r->amount;

		if (r->per_node && !tasks)
			return err_set(
				err, -EINVAL,
				"%s is for each node, but the number of tasks on a node is not "
				"known, or not the same for all: give --resource %s=N (of each "
				"task), or add --nodes or --ntasks-per-node",
				r->name, r->name);
		if (r->per_node && !r->size && amount % tasks)
			return refuse_split(r, tasks, err);
		if (r->per_node)
			amount /= tasks;
		if (amount)
			spec_add_resource(s, r->name, amount, r->size);
	}
	return 0;
}

/* matlab:2, matlab=2 or matlab: of the job as a whole. */
static int put_license(struct spec *s, const char *one, Armada__Resource **list, size_t *count,
		       struct err *err)
{
	size_t len = strcspn(one, ":=");
	Armada__Resource *r = arena_alloc(s->arena, sizeof(*r));
	int rc;

	armada__resource__init(r);
	r->name = arena_printf(s->arena, "%.*s", (int)len, one);
	r->amount = 1;
	rc = resource_name_check(r->name, err);
	if (rc == 0 && one[len])
		rc = parse_int(one + len + 1, 0, INT64_C(1000000000), &r->amount, err);
	if (rc < 0)
		return err_prefix(err, rc, "'%.64s'", one);
	for (size_t i = 0; i < *count; i++)
		if (strcmp(list[i]->name, r->name) == 0)
			return err_set(err, -EINVAL, "%s is given twice", r->name);
	if (*count == SPEC_RESOURCES_MAX)
		return err_set(err, -EINVAL, "more than %d licenses", SPEC_RESOURCES_MAX);
	list[(*count)++] = r;
	return 0;
}

int spec_set_licenses(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	Armada__Resource **list = arena_alloc(s->arena, SPEC_RESOURCES_MAX * sizeof(*list));
	size_t count = 0;

	for (const char *p = value;; p++) {
		size_t len = strcspn(p, ",");
		int rc = put_license(s, arena_printf(s->arena, "%.*s", (int)len, p), list, &count,
				     err);

		if (rc < 0)
			return rc;
		p += len;
		if (!*p)
			break;
	}
	s->job.licenses = list;
	s->job.n_licenses = count;
	return 0;
}

/*
 * Options for the size of a job: the indices of an array, and amounts that have two options.
 *
 * Memory is given for each task or for each cpu, gpus for each task or for the whole job. A later
 * source replaces an earlier one, also with the other option; one source must not use both.
 */
#include "client/spec/size.h"

#include "client/spec/spec.h"
#include "util/indexlist.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

int spec_set_array(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	CLEANUP_FREE struct index_range *ranges = NULL;
	Armada__IndexRange **list;
	size_t count = 0;
	uint32_t throttle = 0;
	int rc = indexlist_parse(value, UINT32_MAX, &ranges, &count, &throttle, err);

	if (rc < 0)
		return rc;
	list = arena_zalloc(s->arena, count, sizeof(*list));
	for (size_t i = 0; i < count; i++) {
		list[i] = arena_alloc(s->arena, sizeof(**list));
		armada__index_range__init(list[i]);
		list[i]->first = ranges[i].first;
		list[i]->last = ranges[i].last;
		list[i]->step = ranges[i].step;
	}
	s->job.array = list;
	s->job.n_array = count;
	s->job.array_throttle = throttle;
	return 0;
}

/* A number without a unit is in MiB, as in Slurm. */
static int parse_memory(struct spec *s, const char *value, int64_t *ret_bytes, struct err *err)
{
	const char *text = value;
	int64_t bytes;
	int rc;

	if (*value && strspn(value, "0123456789") == strlen(value))
		text = arena_printf(s->arena, "%sM", value);
	rc = parse_size(text, &bytes, err);
	if (rc < 0)
		return rc;
	if (bytes <= 0)
		return err_set(err, -EINVAL, "'%s': must be more than 0, as in 500M or 4G", value);
	*ret_bytes = bytes;
	return 0;
}

#define EITHER(this_one, other_one, source, name, bytes)                                           \
	{                                                                                          \
		.amount = offsetof(struct spec, shape.this_one),                                   \
		.other = offsetof(struct spec, shape.other_one),                                   \
		.from = offsetof(struct spec, shape.source), .other_name = name, .in_bytes = bytes \
	}

const struct spec_exclusive spec_memory =
	EITHER(memory_bytes, memory_per_cpu_bytes, memory_from, "mem-per-cpu", true);
const struct spec_exclusive spec_memory_per_cpu =
	EITHER(memory_per_cpu_bytes, memory_bytes, memory_from, "memory", true);
const struct spec_exclusive spec_gpus =
	EITHER(gpus, gpus_per_task, gpus_from, "gpus-per-task", false);
const struct spec_exclusive spec_gpus_per_task =
	EITHER(gpus_per_task, gpus, gpus_from, "gpus", false);

int spec_set_either(void *target, const void *either, const char *value, struct err *err)
{
	const struct spec_exclusive *e = either;
	struct spec *s = target;
	int64_t *other = (int64_t *)((char *)s + e->other), n;
	enum spec_source *from = (enum spec_source *)((char *)s + e->from);
	int rc = e->in_bytes ? parse_memory(s, value, &n, err)
			     : parse_int(value, 1, SPEC_TASKS_MAX, &n, err);

	if (rc < 0)
		return rc;
	if (*other && *from == s->source)
		return err_set(err, -EINVAL, "cannot be given together with --%s", e->other_name);
	*(int64_t *)((char *)s + e->amount) = n;
	*other = 0;
	*from = s->source;
	return 0;
}

/*
 * Options for the size of a job: the indices of an array, nodes, and amounts with several options.
 *
 * Memory is given for each task, node, cpu or gpu; gpus for each task, each node or the whole job.
 * A later source replaces an earlier one, also with another option; one source must not use two.
 */
#include "client/spec/size.h"
#include "conf/selectors.h"

#include "client/spec/spec.h"
#include "util/indexlist.h"
#include "util/mem.h"
#include "util/names.h"
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

#define AMOUNT(field, source, option, bytes)                                                       \
	{                                                                                          \
		.amount = offsetof(struct spec, shape.field),                                      \
		.from = offsetof(struct spec, shape.source), .name = option, .in_bytes = bytes     \
	}

const struct spec_amount spec_amounts[SPEC_AMOUNTS] = {
	[SPEC_MEMORY] = AMOUNT(memory_bytes, memory_from, "memory", true),
	[SPEC_MEM] = AMOUNT(memory_per_node_bytes, memory_from, "mem", true),
	[SPEC_MEM_PER_CPU] = AMOUNT(memory_per_cpu_bytes, memory_from, "mem-per-cpu", true),
	[SPEC_MEM_PER_GPU] = AMOUNT(memory_per_gpu_bytes, memory_from, "mem-per-gpu", true),
	[SPEC_GPUS] = AMOUNT(gpus, gpus_from, "gpus", false),
	[SPEC_GPUS_PER_TASK] = AMOUNT(gpus_per_task, gpus_from, "gpus-per-task", false),
	[SPEC_GPUS_PER_NODE] = AMOUNT(gpus_per_node, gpus_from, "gpus-per-node", false),
};

static int64_t *amount_of(struct spec *s, const struct spec_amount *a)
{
	return (int64_t *)((char *)s + a->amount);
}

/* a100:2 is two gpus of the type a100. */
static int split_type(struct spec *s, const char **value, const char **ret_type, struct err *err)
{
	const char *colon = strchr(*value, ':');
	const char *type = arena_printf(s->arena, "%.*s", (int)(colon - *value), *value);
	struct selector_words *words;
	size_t count;

	if (!*type ||
	    selectors_parse(arena_printf(s->arena, "gpu=%s", type), s->arena, &words, &count,
			    NULL) < 0 ||
	    count != 1)
		return err_set(err, -EINVAL, "'%s': expected N or TYPE:N, as in a100:2", *value);
	*ret_type = type;
	*value = colon + 1;
	return 0;
}

/* Replaces the amounts of earlier sources. */
static int set_amount(struct spec *s, const struct spec_amount *a, int64_t n, struct err *err)
{
	enum spec_source *from = (enum spec_source *)((char *)s + a->from);

	for (size_t i = 0; i < SPEC_AMOUNTS; i++) {
		const struct spec_amount *other = &spec_amounts[i];

		if (other == a || other->from != a->from || !*amount_of(s, other))
			continue;
		if (*from == s->source)
			return err_set(err, -EINVAL, "cannot be given together with --%s",
				       other->name);
		*amount_of(s, other) = 0;
	}
	*amount_of(s, a) = n;
	*from = s->source;
	return 0;
}

int spec_set_amount(void *target, const void *amount, const char *value, struct err *err)
{
	const struct spec_amount *a = amount;
	struct spec *s = target;
	const char *type = NULL;
	int64_t n;
	int rc;

	if (!a->in_bytes && strchr(value, ':')) {
		rc = split_type(s, &value, &type, err);
		if (rc < 0)
			return rc;
	}
	rc = a->in_bytes ? parse_memory(s, value, &n, err)
			 : parse_int(value, 1, SPEC_TASKS_MAX, &n, err);
	if (rc == 0)
		rc = set_amount(s, a, n, err);
	if (rc < 0)
		return rc;
	if (!a->in_bytes)
		s->shape.gpu_type = type;
	return 0;
}

int spec_set_mem(void *target, const char *value, struct err *err)
{
	if (*value && strspn(value, "0") == strlen(value))
		return set_amount(target, &spec_amounts[SPEC_MEM], SPEC_WHOLE_MEMORY, err);
	return spec_set_amount(target, &spec_amounts[SPEC_MEM], value, err);
}

int spec_set_nodes(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	const char *dash = strchr(value, '-');
	int64_t least = 0, n;
	int rc;

	if (!dash || dash == value) {
		rc = parse_int(value, 1, SPEC_TASKS_MAX, &n, err);
	} else {
		rc = parse_int(arena_printf(s->arena, "%.*s", (int)(dash - value), value), 1,
			       SPEC_TASKS_MAX, &least, err);
		if (rc == 0)
			rc = parse_int(dash + 1, 1, SPEC_TASKS_MAX, &n, err);
		if (rc == 0 && least > n)
			return err_set(err, -EINVAL,
				       "'%s': the minimum is above the maximum; write MIN-MAX",
				       value);
	}
	if (rc < 0)
		return rc;
	s->shape.nodes = n;
	s->shape.nodes_min = least < n ? least : 0;
	return 0;
}

int spec_set_tasks_per_gpu(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t n;
	int rc = parse_int(value, 1, SPEC_TASKS_MAX, &n, err);

	if (rc < 0)
		return rc;
	if (n > 1)
		return err_set(err, -EINVAL,
			       "a gpu belongs to one task; start the %ld processes of a gpu in one "
			       "task, with --gpus-per-task=1",
			       n);
	s->shape.tasks_per_gpu = n;
	return 0;
}

int spec_set_exclusive(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	/* the words of ASUBMIT_EXCLUSIVE */
	static const char *const no[] = {"no", "false", "0"}, *const yes[] = {"", "yes", "true",
									      "1"};

	if (value && names_have(no, ARRAY_SIZE(no), value))
		return 0;
	if (value && names_have(yes, ARRAY_SIZE(yes), value))
		value = NULL;
	if (value && strcmp(value, "user") != 0)
		return err_set(err, -EINVAL,
			       "'%s' is not possible; --exclusive without a value allows no other "
			       "job on the nodes, and --exclusive=user only jobs of the same user",
			       value);
	s->job.exclusive = !value;
	s->job.exclusive_user = value != NULL;
	return 0;
}

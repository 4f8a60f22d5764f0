/*
 * The cpus and gpus of a task: its variables, its binding, and the devices that it may open. Input:
 * the place that the launcher assigned. Output: variables of the task, s->bound, and the limits for
 * the contain plugin.
 */
#include "armd/shepherd/place.h"

#include "armd/machine/counted.h"
#include "armd/shepherd/environment.h"
#include "armd/task/body.h"
#include "util/mem.h"

#include <ctype.h>
#include <string.h>

/* Variables that tell libraries which gpus to use; each takes a list of numbers. */
static const char *const gpu_names[] = {
	"CUDA_VISIBLE_DEVICES",
	"ROCR_VISIBLE_DEVICES",
	"GPU_DEVICE_ORDINAL",
	"ZE_AFFINITY_MASK",
};

static const char *text_of(const struct shepherd *s, const struct buf *text)
{
	return arena_strdup(s->arena, text->len ? (const char *)text->data : "");
}

/* A library that can open only the gpus of `all` counts them from 0. */
static const char *from_zero(const struct shepherd *s, const struct place *p,
			     const struct place *all)
{
	uint64_t seen[PLACE_GPUS / 64] = {0};
	CLEANUP_BUF struct buf list = {0};
	size_t count = 0;

	for (size_t g = 0; g < s->task->machine->gpu_count; g++) {
		if (place_has(p->gpus, g))
			place_add(seen, count);
		count += place_has(all->gpus, g);
	}
	place_commas(seen, PLACE_GPUS, &list);
	return text_of(s, &list);
}

/* ARMADA_FPGA_LIST for the resource fpga. */
static const char *variable_name(const struct shepherd *s, const char *resource, const char *end)
{
	char *name = arena_printf(s->arena, "ARMADA_%s_%s", resource, end);

	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
	return name;
}

static size_t add_counted(const struct shepherd *s, const struct place *p, size_t n,
			  struct gpu_variable ret_list[GPU_VARIABLES])
{
	const struct machine *m = s->task->machine;

	for (size_t i = 0; i < m->counted_count; i++) {
		CLEANUP_BUF struct buf numbers = {0}, files = {0};

		machine_counted_list(m, i, p, false, &numbers);
		machine_counted_list(m, i, p, true, &files);
		ret_list[n++] = (struct gpu_variable){variable_name(s, m->counted[i].name, "LIST"),
						      numbers.len ? text_of(s, &numbers) : NULL};
		ret_list[n++] = (struct gpu_variable){variable_name(s, m->counted[i].name, "FILES"),
						      files.len ? text_of(s, &files) : NULL};
	}
	return n;
}

/* A task without gpus gets empty lists; otherwise libraries would use the gpus of other tasks. */
size_t shepherd_place_gpus(const struct shepherd *s, const struct place *p, const struct place *all,
			   struct gpu_variable ret_list[GPU_VARIABLES])
{
	const struct machine *m = s->task->machine;
	CLEANUP_BUF struct buf list = {0};
	const char *text, *counted;
	size_t n = 0;

	if (!m->gpu_count)
		return add_counted(s, p, 0, ret_list);
	place_commas(p->gpus, m->gpu_count, &list);
	text = text_of(s, &list);
	counted = m->confined ? from_zero(s, p, all) : text;
	for (size_t i = 0; i < ARRAY_SIZE(gpu_names); i++)
		ret_list[n++] = (struct gpu_variable){gpu_names[i], counted};
	ret_list[n++] = (struct gpu_variable){"ARMADA_GPU_LIST", *text ? text : NULL};
	/* Armada numbers gpus by their bus address, so the library must do the same. */
	if (*text)
		ret_list[n++] = (struct gpu_variable){"CUDA_DEVICE_ORDER", "PCI_BUS_ID"};
	return add_counted(s, p, n, ret_list);
}

static void set_gpu_variables(struct shepherd *s)
{
	struct gpu_variable list[GPU_VARIABLES];
	size_t count = shepherd_place_gpus(s, s->task->place, s->task->place, list);

	for (size_t i = 0; i < count; i++)
		if (list[i].value)
			shepherd_environment_set(s, list[i].name, list[i].value);
}

/* The child, which has its environment already, reads the new values at the gate (armd/task/task.c). */
void shepherd_place_count_among(struct shepherd *s, const struct place *all)
{
	struct gpu_variable list[GPU_VARIABLES];
	CLEANUP_BUF struct buf late = {0};
	size_t count;

	if (!s->task->machine->confined)
		return;
	count = shepherd_place_gpus(s, s->task->place, all, list);
	for (size_t i = 0; i < count; i++) {
		if (!list[i].value)
			continue;
		shepherd_environment_replace(s, list[i].name, list[i].value);
		buf_addf(&late, "%s=%s", list[i].name, list[i].value);
		buf_addc(&late, '\0');
	}
	s->late_env = arena_memdup(s->arena, late.data, late.len);
	s->late_env_len = late.len;
}

/*
 * The job decides, else the site. Nothing binds where the cpus of the node are not its own, because two tasks
 * could then be bound to one cpu.
 */
static bool binds(const struct shepherd *s)
{
	const struct place *p = s->task->place;
	Armada__Bind how = s->body->bind;

	if (p->each_milli == 0 || s->task->machine->lacks_cpus || s->task->cpus_shared)
		return false;
	if (how != ARMADA__BIND__BIND_UNSET)
		return how != ARMADA__BIND__BIND_NONE;
	return s->task->cpus == CPUS_BIND && task_body_amount(s->body, "cpu") % 1000 == 0;
}

/* The cpus that a task of this place is bound to, in the numbers of the topology. */
static void bound_cpus(const struct shepherd *s, const struct place *p,
		       uint64_t ret_cpus[PLACE_CPUS / 64])
{
	static const enum place_level levels[] = {
		[ARMADA__BIND__BIND_CORES] = PLACE_CORE,
		[ARMADA__BIND__BIND_SOCKETS] = PLACE_SOCKET,
		[ARMADA__BIND__BIND_NUMA] = PLACE_NUMA,
	};
	Armada__Bind how = s->body->bind;

	memcpy(ret_cpus, p->cpus, sizeof(p->cpus));
	if (how == ARMADA__BIND__BIND_CORES || how == ARMADA__BIND__BIND_SOCKETS ||
	    how == ARMADA__BIND__BIND_NUMA)
		place_widen(&s->task->machine->topology, p, levels[how], ret_cpus);
}

void shepherd_place_cpus(const struct shepherd *s, const struct place *p,
			 uint64_t ret_cpus[PLACE_CPUS / 64])
{
	uint64_t cpus[PLACE_CPUS / 64];

	bound_cpus(s, p, cpus);
	machine_os_cpus(s->task->machine, cpus, ret_cpus);
}

/* Memory of other NUMA nodes is refused only to those who asked to be bound. */
static void list_bound(const struct shepherd *s, const struct place *p, const char **ret_cpus,
		       const char **ret_memory)
{
	uint64_t cpus[PLACE_CPUS / 64], nodes[PLACE_CPUS / 64];
	CLEANUP_BUF struct buf list = {0}, memory = {0};

	bound_cpus(s, p, cpus);
	place_memory(&s->task->machine->topology, cpus, nodes);
	place_list(nodes, PLACE_CPUS, &memory);
	shepherd_place_cpus(s, p, cpus);
	place_list(cpus, PLACE_CPUS, &list);
	*ret_cpus = text_of(s, &list);
	*ret_memory = s->body->bind == ARMADA__BIND__BIND_UNSET ? NULL : text_of(s, &memory);
}

static void bind(struct shepherd *s)
{
	const char *list, *ignored;

	shepherd_place_cpus(s, s->task->place, s->bound);
	s->is_bound = true;
	list_bound(s, s->task->place, &list, &ignored);
	shepherd_environment_set(s, "ARMADA_CPU_LIST", list);
}

/*
 * A task that is not bound sees all cpus of the machine, and libraries would start a thread for each. The
 * number that it asked for is a default of theirs.
 */
static void set_threads(struct shepherd *s)
{
	int64_t milli = task_body_amount(s->body, "cpu");

	if (s->body->bind == ARMADA__BIND__BIND_NONE || milli <= 0)
		return;
	shepherd_environment_default(s, "OMP_NUM_THREADS",
				     arena_printf(s->arena, "%lld",
						  (long long)((milli + 999) / 1000)));
}

int shepherd_place(struct shepherd *s)
{
	if (!s->task->machine || !s->task->place)
		return 0;
	if (binds(s))
		bind(s);
	else
		set_threads(s);
	set_gpu_variables(s);
	return 0;
}

static void allow_devices(struct shepherd *s, const struct place *p,
			  struct armada_contain_limits *limits)
{
	const struct machine *m = s->task->machine;
	size_t most = m->gpu_count + m->common_count + COUNTED_MAX * COUNTED_EACH;
	struct armada_device *list = arena_alloc(s->arena, most * sizeof(*list));

	limits->devices_known = true;
	limits->devices = list;
	for (size_t g = 0; g < m->gpu_count; g++)
		if (place_has(p->gpus, g))
			list[limits->device_count++] = m->gpus[g].device;
	for (size_t i = 0;
	     limits->device_count && i < m->common_count && task_body_amount(s->body, "gpu"); i++)
		list[limits->device_count++] = m->common[i];
	for (size_t i = 0; i < m->counted_count; i++)
		for (size_t n = 0; n < m->counted[i].file_count; n++)
			if (place_has(p->gpus, machine_counted_bit(i, n)))
				list[limits->device_count++] = m->counted[i].devices[n];
}

void shepherd_place_limits(struct shepherd *s, const struct place *p,
			   struct armada_contain_limits *limits)
{
	limits->cpu_milli = task_body_amount(s->body, "cpu");
	limits->memory_bytes = task_body_amount(s->body, "memory");
	limits->uid = s->body->uid;
	if (s->is_bound)
		list_bound(s, p, &limits->cpus, &limits->mems);
	limits->cpu_quota = s->task->cpus == CPUS_QUOTA;
	if (s->task->machine && p && machine_knows_devices(s->task->machine))
		allow_devices(s, p, limits);
}

/*
 * The cpus and gpus of a task: its variables, its binding, and the devices that it may open. Input:
 * the place that the launcher assigned. Output: variables of the task, s->bound, and the limits for
 * the contain plugin.
 */
#include "armd/shepherd/place.h"

#include "armd/shepherd/environment.h"
#include "armd/task/body.h"
#include "util/mem.h"

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

/* A library that can open only the task's gpus counts them from 0. */
static const char *from_zero(const struct shepherd *s)
{
	uint64_t seen[PLACE_GPUS / 64] = {0};
	CLEANUP_BUF struct buf list = {0};
	size_t count = 0;

	for (size_t g = 0; g < s->task->machine->gpu_count; g++)
		if (place_has(s->task->place->gpus, g))
			place_add(seen, count++);
	place_commas(seen, PLACE_GPUS, &list);
	return text_of(s, &list);
}

/* A task without gpus gets empty lists; otherwise libraries would use the gpus of other tasks. */
static void set_gpu_variables(struct shepherd *s)
{
	const struct machine *m = s->task->machine;
	CLEANUP_BUF struct buf list = {0};
	const char *text;

	if (!m->gpu_count)
		return;
	place_commas(s->task->place->gpus, m->gpu_count, &list);
	text = text_of(s, &list);
	for (size_t i = 0; i < ARRAY_SIZE(gpu_names); i++)
		shepherd_environment_set(s, gpu_names[i], m->confined ? from_zero(s) : text);
	if (!*text)
		return;
	shepherd_environment_set(s, "ARMADA_GPU_LIST", text);
	/* Armada numbers gpus by their bus address, so the library must do the same. */
	shepherd_environment_set(s, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
}

/*
 * True if mpirun may start processes of several tasks of the job in this one: the list of hosts has this node
 * more than once. They need the cpus of all these tasks.
 */
static bool runs_for_others(const struct shepherd *s)
{
	const char *line = (const char *)s->body->hosts.data, *end = line + s->body->hosts.len;
	size_t len = strlen(s->task->node_name), count = 0;

	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		count += (size_t)(end - line) > len && memcmp(line, s->task->node_name, len) == 0 &&
			 line[len] == ' ';
		line = newline ? newline + 1 : end;
	}
	return count > 1;
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
	return s->task->cpus == CPUS_BIND && task_body_amount(s->body, "cpu") % 1000 == 0 &&
	       !runs_for_others(s);
}

static void bind(struct shepherd *s)
{
	static const enum place_level levels[] = {
		[ARMADA__BIND__BIND_CORES] = PLACE_CORE,
		[ARMADA__BIND__BIND_SOCKETS] = PLACE_SOCKET,
		[ARMADA__BIND__BIND_NUMA] = PLACE_NUMA,
	};
	const struct place *p = s->task->place;
	Armada__Bind how = s->body->bind;
	uint64_t cpus[PLACE_CPUS / 64], nodes[PLACE_CPUS / 64];
	CLEANUP_BUF struct buf list = {0}, memory = {0};

	memcpy(cpus, p->cpus, sizeof(cpus));
	if (how == ARMADA__BIND__BIND_CORES || how == ARMADA__BIND__BIND_SOCKETS ||
	    how == ARMADA__BIND__BIND_NUMA)
		place_widen(&s->task->machine->topology, p, levels[how], cpus);
	place_memory(&s->task->machine->topology, cpus, nodes);
	machine_os_cpus(s->task->machine, cpus, s->bound);
	s->is_bound = true;
	place_list(s->bound, PLACE_CPUS, &list);
	place_list(nodes, PLACE_CPUS, &memory);
	s->cpu_list = text_of(s, &list);
	/* Memory of other NUMA nodes is refused only to those who asked to be bound. */
	s->memory_list = how == ARMADA__BIND__BIND_UNSET ? NULL : text_of(s, &memory);
	shepherd_environment_set(s, "ARMADA_CPU_LIST", s->cpu_list);
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

static void allow_devices(struct shepherd *s, struct armada_contain_limits *limits)
{
	const struct machine *m = s->task->machine;
	struct armada_device *list =
		arena_alloc(s->arena, (m->gpu_count + m->common_count + 1) * sizeof(*list));

	limits->devices_known = true;
	limits->devices = list;
	for (size_t g = 0; g < m->gpu_count; g++)
		if (place_has(s->task->place->gpus, g))
			list[limits->device_count++] = m->gpus[g].device;
	for (size_t i = 0;
	     limits->device_count && i < m->common_count && task_body_amount(s->body, "gpu"); i++)
		list[limits->device_count++] = m->common[i];
}

void shepherd_place_limits(struct shepherd *s, struct armada_contain_limits *limits)
{
	limits->cpu_milli = task_body_amount(s->body, "cpu");
	limits->memory_bytes = task_body_amount(s->body, "memory");
	limits->uid = s->body->uid;
	limits->cpus = s->cpu_list;
	limits->mems = s->memory_list;
	limits->cpu_quota = s->task->cpus == CPUS_QUOTA;
	if (s->task->machine && s->task->place && s->task->machine->devices_known)
		allow_devices(s, limits);
}

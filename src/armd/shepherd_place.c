/* What a task is told and allowed of the cpus and gpus that it has. */
#include "armd/shepherd_body.h"
#include "util/mem.h"

#include <string.h>

/* Variables by which libraries are told which gpus to use; each takes a list of numbers. */
static const char *const gpu_names[] = {
	"CUDA_VISIBLE_DEVICES",
	"ROCR_VISIBLE_DEVICES",
	"GPU_DEVICE_ORDINAL",
	"ZE_AFFINITY_MASK",
};

int64_t shepherd_resource(const Armada__TaskBody *b, const char *name)
{
	for (size_t i = 0; i < b->n_resources; i++)
		if (strcmp(b->resources[i]->name, name) == 0)
			return b->resources[i]->amount;
	return 0;
}

void shepherd_tell(struct shepherd *s, const char *name, const char *value)
{
	Armada__TaskBody *b = s->body;
	char **list = arena_alloc(s->arena, (b->n_task_env + 1) * sizeof(*list));

	if (b->n_task_env)
		memcpy(list, b->task_env, b->n_task_env * sizeof(*list));
	list[b->n_task_env] = arena_printf(s->arena, "%s=%s", name, value);
	b->task_env = list;
	b->n_task_env++;
}

void shepherd_suggest(struct shepherd *s, const char *name, const char *value)
{
	const char *p = (const char *)s->body->env.data, *end = p + s->body->env.len;
	size_t len = strlen(name);

	for (const char *nul; p < end && (nul = memchr(p, '\0', (size_t)(end - p))); p = nul + 1)
		if (strncmp(p, name, len) == 0 && p[len] == '=')
			return;
	shepherd_tell(s, name, value);
}

static const char *text_of(const struct shepherd *s, const struct buf *text)
{
	return arena_strdup(s->arena, text->len ? (const char *)text->data : "");
}

/* To a library that can open the task's gpus alone they are 0 and up. */
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

/* Who asked for none sees none, or it would use those of others. */
static void tell_gpus(struct shepherd *s)
{
	const struct machine *m = s->task->machine;
	CLEANUP_BUF struct buf list = {0};
	const char *text;

	if (!m->gpu_count)
		return;
	place_commas(s->task->place->gpus, m->gpu_count, &list);
	text = text_of(s, &list);
	for (size_t i = 0; i < ARRAY_SIZE(gpu_names); i++)
		shepherd_tell(s, gpu_names[i], m->confined ? from_zero(s) : text);
	if (!*text)
		return;
	shepherd_tell(s, "ARMADA_GPU_LIST", text);
	/* Their numbers are by place, and so must those of the library be. */
	shepherd_tell(s, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
}

static void bind(struct shepherd *s)
{
	static const enum place_level levels[] = {
		[ARMADA__BIND__BIND_SOCKETS] = PLACE_SOCKET,
		[ARMADA__BIND__BIND_NUMA] = PLACE_NUMA,
	};
	const struct place *p = s->task->place;
	uint64_t cpus[PLACE_CPUS / 64], nodes[PLACE_CPUS / 64];
	CLEANUP_BUF struct buf list = {0}, memory = {0};

	if (s->body->bind == ARMADA__BIND__BIND_NONE || p->each_milli == 0)
		return;
	memcpy(cpus, p->cpus, sizeof(cpus));
	if (s->body->bind == ARMADA__BIND__BIND_SOCKETS || s->body->bind == ARMADA__BIND__BIND_NUMA)
		place_widen(&s->task->machine->topology, p, levels[s->body->bind], cpus);
	place_memory(&s->task->machine->topology, cpus, nodes);
	machine_real(s->task->machine, cpus, s->bound);
	s->is_bound = true;
	place_list(s->bound, PLACE_CPUS, &list);
	place_list(nodes, PLACE_CPUS, &memory);
	s->cpu_list = text_of(s, &list);
	s->memory_list = text_of(s, &memory);
	shepherd_tell(s, "ARMADA_CPU_LIST", s->cpu_list);
}

int shepherd_place(struct shepherd *s)
{
	if (!s->task->machine || !s->task->place)
		return 0;
	bind(s);
	tell_gpus(s);
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
	     limits->device_count && i < m->common_count && shepherd_resource(s->body, "gpu"); i++)
		list[limits->device_count++] = m->common[i];
}

void shepherd_limit(struct shepherd *s, struct armada_contain_limits *limits)
{
	limits->cpu_milli = shepherd_resource(s->body, "cpu");
	limits->memory_bytes = shepherd_resource(s->body, "memory");
	limits->uid = s->body->uid;
	limits->cpus = s->cpu_list;
	limits->mems = s->memory_list;
	if (s->task->machine && s->task->place && s->task->machine->devices_known)
		allow_devices(s, limits);
}

/*
 * Reads the cpus, the memory and the topology of the machine through hwloc. Input: the declared
 * amounts. Output: struct machine, with the topology for placement (agent/place.h).
 *
 * If fewer cpus are declared than exist, the first ones in hwloc's order are used, which are near
 * each other. If more are declared, all cpus are numbers, and each stands for one of the cpus that
 * exist.
 */
#include "armd/machine/machine.h"

#include "armd/machine/counted.h"
#include "armd/machine/gpus.h"

#include "util/mem.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* The kernel's figure, for a machine without /sys, where hwloc finds no memory. */
static int64_t memory_of_kernel(void)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 ? (int64_t)info.totalram * info.mem_unit : 0;
}

static uint16_t number_of(hwloc_obj_t o, unsigned otherwise)
{
	unsigned n = o ? o->logical_index : otherwise;

	return n < PLACE_CPUS ? (uint16_t)n : PLACE_CPUS - 1;
}

static unsigned numa_of(hwloc_obj_t o)
{
	int n = o->nodeset ? hwloc_bitmap_first(o->nodeset) : -1;

	return n < 0 || n >= PLACE_CPUS ? 0 : (unsigned)n;
}

static struct place_cpu describe(hwloc_topology_t topology, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
	hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, pu);
	hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, pu);
	unsigned numa = numa_of(pu);
	struct place_cpu c = {.number = (uint16_t)pu->os_index};

	c.domain[PLACE_CORE] = number_of(core, pu->logical_index);
	c.domain[PLACE_CACHE] = number_of(cache, numa);
	c.domain[PLACE_NUMA] = (uint16_t)numa;
	c.domain[PLACE_SOCKET] = number_of(socket, 0);
	return c;
}

static int by_number(const void *a, const void *b)
{
	return ((const struct place_cpu *)a)->number - ((const struct place_cpu *)b)->number;
}

/*
 * hwloc lists the cpus that the control group of armd allows. The affinity of root's armd is no
 * restriction, because its tasks do not inherit it. Tasks of another user's armd do.
 */
static hwloc_bitmap_t usable_cpus(hwloc_topology_t topology)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (!set || geteuid() == 0 || hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) < 0 ||
	    !hwloc_bitmap_intersects(set, hwloc_topology_get_topology_cpuset(topology))) {
		hwloc_bitmap_free(set);
		return hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology));
	}
	hwloc_bitmap_and(set, set, hwloc_topology_get_topology_cpuset(topology));
	return set;
}

/* Take the first usable cpus in hwloc's order, which puts near cpus next to each other. */
static void take_cpus(struct machine *m, hwloc_topology_t topology, hwloc_const_bitmap_t usable,
		      size_t want)
{
	hwloc_obj_t pu = NULL;

	m->cpus = xcalloc(want + 1, sizeof(*m->cpus));
	while (m->topology.cpu_count < want &&
	       (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
		if (pu->os_index >= PLACE_CPUS || !hwloc_bitmap_isset(usable, pu->os_index))
			continue;
		m->cpus[m->topology.cpu_count++] = describe(topology, pu);
		m->real[pu->os_index] = (uint16_t)pu->os_index;
	}
	qsort(m->cpus, m->topology.cpu_count, sizeof(*m->cpus), by_number);
}

/* More cpus than exist: numbers, each of which stands for one of the existing cpus. */
static void make_up_cpus(struct machine *m, size_t want)
{
	size_t found = m->topology.cpu_count;
	struct place_cpu *cpus = xcalloc(want + 1, sizeof(*cpus));

	for (size_t i = 0; i < want; i++) {
		cpus[i].number = (uint16_t)i;
		cpus[i].domain[PLACE_CORE] = (uint16_t)i;
		m->real[i] = found ? m->cpus[i % found].number : (uint16_t)i;
	}
	free(m->cpus);
	m->cpus = cpus;
	m->topology.cpu_count = want;
	m->lacks_cpus = true;
}

/* Read from the kernel. hwloc would read the same file, and load libraries that keep memory. */
static int numa_of_bus(const char *root, const char *bus)
{
	CLEANUP_FREE char *path = xasprintf("%s/sys/bus/pci/devices/%s/numa_node", root, bus);
	CLEANUP_FILE FILE *f = bus[0] ? fopen(path, "re") : NULL;
	int numa = PLACE_NOWHERE;

	if (f && fscanf(f, "%d", &numa) != 1)
		numa = PLACE_NOWHERE;
	return numa < PLACE_CPUS ? numa : PLACE_NOWHERE;
}

/* The NUMA node and socket of each gpu, if one of the node's cpus is there. */
static void place_gpus(struct machine *m, const char *root)
{
	for (size_t g = 0; g < m->gpu_count; g++) {
		int numa = numa_of_bus(root, m->gpus[g].bus);

		m->places[g] = (struct place_gpu){PLACE_NOWHERE, PLACE_NOWHERE};
		for (size_t i = 0; numa >= 0 && i < m->topology.cpu_count; i++)
			if (m->cpus[i].domain[PLACE_NUMA] == numa)
				m->places[g] = (struct place_gpu){
					(int16_t)numa, (int16_t)m->cpus[i].domain[PLACE_SOCKET]};
	}
}

static void take_all(struct machine *m, hwloc_topology_t topology)
{
	hwloc_bitmap_t usable = usable_cpus(topology);
	int found = usable ? hwloc_bitmap_weight(usable) : 0;
	size_t want = (size_t)((m->cpu_milli + 999) / 1000);

	m->found_cpus = found > 0 ? (size_t)found : 0;
	if (!m->cpu_milli) {
		m->cpu_milli = (int64_t)m->found_cpus * 1000;
		want = m->found_cpus;
	}
	if (want > PLACE_CPUS)
		want = PLACE_CPUS;
	if (!m->memory_bytes)
		m->memory_bytes = (int64_t)hwloc_get_root_obj(topology)->total_memory;
	if (usable)
		take_cpus(m, topology, usable, want);
	if (m->topology.cpu_count < want)
		make_up_cpus(m, want);
	hwloc_bitmap_free(usable);
}

static int load(struct machine *m, struct err *err)
{
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology) < 0)
		return err_sys(err, -errno, "cannot read the topology of this machine");
	if (hwloc_topology_load(topology) == 0)
		take_all(m, topology);
	hwloc_topology_destroy(topology);
	if (m->memory_bytes <= 0)
		m->memory_bytes = memory_of_kernel();
	if (m->cpu_milli <= 0 || m->memory_bytes <= 0)
		return err_set(
			err, -EIO,
			"cannot detect the cpus and memory of this machine; declare --cpus and "
			"--memory");
	return 0;
}

int machine_read(const struct machine_declared *d, struct machine *ret_machine, struct err *err)
{
	struct machine *m = ret_machine;
	int rc;

	*m = (struct machine){.cpu_milli = d->cpu_milli, .memory_bytes = d->memory_bytes};
	rc = machine_find_gpus(m, d, err);
	m->places = xcalloc(m->gpu_count + 1, sizeof(*m->places));
	if (rc == 0)
		rc = load(m, err);
	if (rc == 0)
		place_gpus(m, d->root ? d->root : "");
	m->topology.cpus = m->cpus;
	m->topology.gpus = m->places;
	m->topology.gpu_count = m->gpu_count;
	return rc;
}

void machine_free(struct machine *m)
{
	free(m->cpus);
	free(m->places);
	free(m->gpus);
	free(m->common);
	machine_free_counted(m);
	*m = (struct machine){.cpu_milli = 0};
}

void machine_os_cpus(const struct machine *m, const uint64_t cpus[PLACE_CPUS / 64],
		     uint64_t ret_real[PLACE_CPUS / 64])
{
	memset(ret_real, 0, PLACE_CPUS / 8);
	for (size_t i = 0; i < PLACE_CPUS; i++)
		if (place_has(cpus, i))
			place_add(ret_real, m->real[i]);
}

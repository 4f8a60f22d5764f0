#include "armd/inventory.h"

#include "config.h"

#include "util/mem.h"

#include <errno.h>
#include <hwloc.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>

/* What the kernel says where /sys, and so hwloc's picture of memory, is missing. */
static int64_t memory_of_kernel(void)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 ? (int64_t)info.totalram * info.mem_unit : 0;
}

/* Cpus (hardware threads) and memory that this process may use. */
static int detect(int64_t *ret_cpu_milli, int64_t *ret_memory_bytes, struct err *err)
{
	hwloc_topology_t topology;
	int cpus = 0;

	if (hwloc_topology_init(&topology) < 0)
		return err_sys(err, -errno, "cannot make a picture of this machine");
	if (hwloc_topology_load(topology) == 0) {
		cpus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
		*ret_cpu_milli = (int64_t)cpus * 1000;
		*ret_memory_bytes = (int64_t)hwloc_get_root_obj(topology)->total_memory;
	}
	hwloc_topology_destroy(topology);
	if (*ret_memory_bytes <= 0)
		*ret_memory_bytes = memory_of_kernel();
	if (cpus <= 0 || *ret_memory_bytes <= 0)
		return err_set(err, -EIO,
			       "this machine's cpus and memory are not found; declare --cpus and "
			       "--memory");
	return 0;
}

static void add_resource(Armada__RegisterNode *m, const char *name, int64_t amount,
			 struct arena *arena)
{
	Armada__Resource *r = arena_alloc(arena, sizeof(*r));

	armada__resource__init(r);
	r->name = arena_strdup(arena, name);
	r->amount = amount;
	m->resources[m->n_resources++] = r;
}

static void add_label(Armada__RegisterNode *m, const char *text, struct arena *arena)
{
	size_t key_len = strcspn(text, "=");
	Armada__Label *l = NULL;

	for (size_t i = 0; i < m->n_labels && !l; i++)
		if (strlen(m->labels[i]->key) == key_len &&
		    memcmp(m->labels[i]->key, text, key_len) == 0)
			l = m->labels[i];
	if (!l) {
		l = arena_alloc(arena, sizeof(*l));
		armada__label__init(l);
		l->key = arena_printf(arena, "%.*s", (int)key_len, text);
		m->labels[m->n_labels++] = l;
	}
	l->value = arena_strdup(arena, text[key_len] ? text + key_len + 1 : "");
}

static int64_t clock_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

int inventory_describe(const struct inventory_declared *d, struct arena *arena,
		       Armada__RegisterNode **ret_describe, struct err *err)
{
	int64_t cpu_milli = d->cpu_milli, memory_bytes = d->memory_bytes;
	Armada__RegisterNode *m;

	if (!cpu_milli || !memory_bytes) {
		int rc = detect(&cpu_milli, &memory_bytes, err);

		if (rc < 0)
			return rc;
	}
	m = arena_alloc(arena, sizeof(*m));
	armada__register_node__init(m);
	m->name = arena_strdup(arena, d->node);
	m->release = (char *)PACKAGE_VERSION;
	m->address = arena_strdup(arena, d->address);
	m->boot_us = clock_us(CLOCK_REALTIME) - clock_us(CLOCK_BOOTTIME);
	m->resources = arena_zalloc(arena, 3, sizeof(*m->resources));
	add_resource(m, "cpu", d->cpu_milli ? d->cpu_milli : cpu_milli, arena);
	add_resource(m, "memory", d->memory_bytes ? d->memory_bytes : memory_bytes, arena);
	if (d->gpus > 0)
		add_resource(m, "gpu", d->gpus, arena);
	m->labels = arena_zalloc(arena, d->label_count + 1, sizeof(*m->labels));
	for (size_t i = 0; i < d->label_count; i++)
		add_label(m, d->labels[i], arena);
	*ret_describe = m;
	return 0;
}

void inventory_own_address(char ret_address[INVENTORY_ADDRESS])
{
	struct ifaddrs *list = NULL;
	bool found = false;

	snprintf(ret_address, INVENTORY_ADDRESS, "127.0.0.1");
	if (getifaddrs(&list) < 0)
		return;
	for (const struct ifaddrs *i = list; i && !found; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && i->ifa_flags & IFF_UP &&
		    !(i->ifa_flags & IFF_LOOPBACK))
			found = getnameinfo(i->ifa_addr, sizeof(struct sockaddr_in), ret_address,
					    INVENTORY_ADDRESS, NULL, 0, NI_NUMERICHOST) == 0;
	if (!found)
		snprintf(ret_address, INVENTORY_ADDRESS, "127.0.0.1");
	freeifaddrs(list);
}

void inventory_sample(int64_t *ret_free_bytes, double *ret_load)
{
	FILE *f = fopen("/proc/meminfo", "re");
	double load[1] = {0};
	char line[128];
	int64_t kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1)
			break;
	if (f)
		fclose(f);
	*ret_free_bytes = kib * 1024;
	*ret_load = getloadavg(load, 1) == 1 ? load[0] : 0;
}

/*
 * Makes the registration of the node, and samples memory and load. Input: the declaration of the
 * node, /etc/os-release, /proc. Output: a RegisterNode message in an arena.
 */
#include "armd/machine/inventory.h"

#include "config.h"

#include "conf/quantity.h"
#include "conf/taint.h"
#include "util/clock.h"
#include "util/mem.h"

#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

enum { OWN_LABELS = 3 };

static void add_resource(Armada__RegisterNode *m, const char *name, int64_t amount,
			 struct arena *arena)
{
	Armada__Resource *r = arena_alloc(arena, sizeof(*r));

	armada__resource__init(r);
	r->name = arena_strdup(arena, name);
	r->amount = amount;
	m->resources[m->n_resources++] = r;
}

/* A declared text, which was checked before. */
static void add_offer(Armada__RegisterNode *m, const char *text, struct arena *arena)
{
	struct offer o;

	if (offer_parse(text, &o, NULL) < 0)
		return;
	for (size_t i = 0; i < m->n_resources; i++)
		if (strcmp(m->resources[i]->name, o.name) == 0) {
			m->resources[i]->amount = o.amount;
			m->resources[i]->size = o.size;
			return;
		}
	add_resource(m, o.name, o.amount, arena);
	m->resources[m->n_resources - 1]->size = o.size;
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

/* ID and VERSION_ID of os-release, as in "debian-12"; empty if unknown. */
static void read_os(char ret_os[128])
{
	CLEANUP_FILE FILE *f = fopen("/etc/os-release", "re");
	char line[256], id[48] = "", version[48] = "";

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "ID=%*[\"']%47[^\"'\n]", id);
		sscanf(line, "ID=%47[^\"'\n]", id);
		sscanf(line, "VERSION_ID=%*[\"']%47[^\"'\n]", version);
		sscanf(line, "VERSION_ID=%47[^\"'\n]", version);
	}
	snprintf(ret_os, 128, "%s%s%s", id, id[0] && version[0] ? "-" : "", version);
}

/*
 * Labels that every node has unless the administrator overrides them. Many nodes have the same values.
 * A label with a different value on each node would give each node a class of its own in the
 * scheduler, which would be slow.
 */
static void add_own_labels(Armada__RegisterNode *m, struct arena *arena)
{
	struct utsname name;
	char os[128];

	if (uname(&name) == 0)
		add_label(m, arena_printf(arena, "arch=%s", name.machine), arena);
	read_os(os);
	if (os[0])
		add_label(m, arena_printf(arena, "os=%s", os), arena);
}

static void add_taint(Armada__RegisterNode *m, const char *text, struct arena *arena)
{
	Armada__Taint *t = arena_alloc(arena, sizeof(*t));
	struct taint_words w;

	if (taint_parse(text, &w, NULL) < 0)
		return; /* checked when it was parsed */
	armada__taint__init(t);
	t->key = arena_strdup(arena, w.key);
	t->value = arena_strdup(arena, w.value);
	t->effect = arena_strdup(arena, w.effect);
	m->taints[m->n_taints++] = t;
}

#define DETECTED(name)
#define DECLARED(name)                    m->name = arena_strdup(arena, n->name ? n->name : "");
#define REGISTER(member, registered, ...) registered

void inventory_describe(const struct inventory_declared *d, struct arena *arena,
			Armada__RegisterNode **ret_describe)
{
	const struct conf_node *n = &d->node;
	Armada__RegisterNode *m;

	m = arena_alloc(arena, sizeof(*m));
	armada__register_node__init(m);
	m->name = arena_strdup(arena, n->name);
	m->release = (char *)PACKAGE_VERSION;
	m->can_reboot = d->can_reboot;
	m->can_suspend = d->can_suspend;
	m->containment = arena_strdup(arena, d->containment ? d->containment : "");
	m->not_limited = arena_strdup(arena, d->not_limited ? d->not_limited : "");
	m->cpu_containment = arena_strdup(arena, d->cpu_containment ? d->cpu_containment : "");
	NODE_TABLE(REGISTER)
	m->boot_us = clock_us(CLOCK_REALTIME) - clock_us(CLOCK_BOOTTIME);
	m->resources = arena_zalloc(arena, 3 + n->resource_count, sizeof(*m->resources));
	add_resource(m, "cpu", n->cpu_milli, arena);
	add_resource(m, "memory", n->memory_bytes, arena);
	if (n->gpus > 0)
		add_resource(m, "gpu", n->gpus, arena);
	for (size_t i = 0; i < n->resource_count; i++)
		add_offer(m, n->resources[i], arena);
	m->labels = arena_zalloc(arena, n->label_count + OWN_LABELS, sizeof(*m->labels));
	add_own_labels(m, arena);
	if (d->gpu_type && *d->gpu_type)
		add_label(m, arena_printf(arena, "gpu=%s", d->gpu_type), arena);
	for (size_t i = 0; i < n->label_count; i++)
		add_label(m, n->labels[i], arena);
	m->taints = arena_zalloc(arena, n->taint_count + 1, sizeof(*m->taints));
	for (size_t i = 0; i < n->taint_count; i++)
		add_taint(m, n->taints[i], arena);
	*ret_describe = m;
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
	CLEANUP_FILE FILE *f = fopen("/proc/meminfo", "re");
	double load[1] = {0};
	char line[128];
	int64_t kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1)
			break;
	*ret_free_bytes = kib * 1024;
	*ret_load = getloadavg(load, 1) == 1 ? load[0] : 0;
}

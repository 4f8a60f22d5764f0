/*
 * Reads the cluster of a scenario.
 *
 * Input: the document. Output: resources, nodes, classes and queues. Cpu, memory and gpu are always
 * resources; others are those that nodes declare. Without classes, the scenario has those of its
 * configuration (site.h).
 */
#include "asim/rounds/cluster.h"
#include "asim/rounds/limits.h"
#include "asim/rounds/site.h"
#include "asim/rounds/unknown.h"
#include "conf/classes.h"
#include "conf/tables.h"
#include "util/mem.h"

#include <string.h>

static const char *node_name(const struct scenario *sc, size_t i)
{
	return sc->nodes[i].name;
}

static const char *queue_name(const struct scenario *sc, size_t i)
{
	return sc->queues[i].name;
}

static const char *class_name(const struct scenario *sc, size_t i)
{
	return sc->classes[i].name;
}

static void unknown_class(struct reader *r, const struct at *at, const char *name)
{
	unknown_fail(r, at, "priority class", name, class_name, r->sc->class_count);
}

static bool add_resource(struct scenario *sc, const char *name)
{
	for (size_t i = 0; i < sc->resource_count; i++)
		if (strcmp(sc->resources[i], name) == 0)
			return true;
	if (sc->resource_count == SCHED_RESOURCES)
		return false;
	sc->resources[sc->resource_count++] = name;
	return true;
}

/* Those of the configuration, which begin with cpu, memory and gpu, and those that nodes declare. */
static void read_resources(struct reader *r, const struct at *nodes)
{
	struct at node = {0};

	for (size_t i = 0; i < resource_count(); i++)
		add_resource(r->sc, resource_name(i));
	while (doc_next(&r->doc, nodes, &node)) {
		struct at at = doc_get(&node, "resources"), item = {0};

		while (doc_next(&r->doc, &at, &item))
			if (!add_resource(r->sc, reader_keep(r, item.key)))
				doc_fail(&r->doc, &item, "more than %d kinds of resource",
					 SCHED_RESOURCES);
	}
}

static void read_reserved(struct reader *r, const struct at *queues, size_t resource)
{
	struct scenario *sc = r->sc;
	size_t n = sc->limits.kept_count + doc_members(&r->doc, queues, "amounts");
	struct sched_kept *list = arena_zalloc(r->arena, n + 1, sizeof(*list));
	struct at item = {0};

	if (sc->limits.kept_count)
		memcpy(list, sc->limits.kept, sc->limits.kept_count * sizeof(*list));
	while (doc_next(&r->doc, queues, &item))
		list[sc->limits.kept_count++] =
			(struct sched_kept){reader_keep(r, item.key), resource,
					    doc_int(&r->doc, &item, 0, 1000000000, 0)};
	sc->limits.kept = list;
}

/* {"matlab": 20}, or {"matlab": {"total": 20, "queues": {"cfd": 5}}} */
static void read_floating(struct reader *r, const struct at *root)
{
	static const char *const keys[] = {"total", "queues", NULL};
	struct scenario *sc = r->sc;
	struct at list = doc_get(root, "floating"), item = {0};

	doc_members(&r->doc, &list, "totals");
	while (doc_next(&r->doc, &list, &item)) {
		struct at total = doc_get(&item, "total"), queues = doc_get(&item, "queues");
		bool group = total.value || queues.value;
		size_t i = 0;

		if (!add_resource(sc, reader_keep(r, item.key)))
			doc_fail(&r->doc, &item, "more than %d kinds of resource", SCHED_RESOURCES);
		while (i + 1 < sc->resource_count && strcmp(sc->resources[i], item.key) != 0)
			i++;
		if (group)
			doc_object(&r->doc, &item, keys);
		sc->floats |= UINT32_C(1) << i;
		sc->floating[i] =
			doc_int(&r->doc, group ? &total : &item, 0, INT64_C(1000000000), 0);
		if (queues.value)
			read_reserved(r, &queues, i);
	}
}

void cluster_read_totals(struct reader *r, const struct at *at, int64_t **ret)
{
	struct scenario *sc = r->sc;
	struct at item = {0};

	*ret = NULL;
	if (!at->value)
		return;
	*ret = arena_memdup(r->arena, sc->floating, sizeof(sc->floating));
	doc_members(&r->doc, at, "totals");
	while (doc_next(&r->doc, at, &item)) {
		size_t i = cluster_find_resource(r, &item);

		if (!(sc->floats >> i & 1))
			doc_fail(&r->doc, &item, "it is not floating");
		(*ret)[i] = doc_int(&r->doc, &item, 0, INT64_C(1000000000), 0);
	}
}

size_t cluster_find_resource(struct reader *r, const struct at *at)
{
	struct scenario *sc = r->sc;

	for (size_t i = 0; i < sc->resource_count; i++)
		if (strcmp(sc->resources[i], at->key) == 0)
			return i;
	doc_fail(&r->doc, at, "no node has such a resource");
	return 0;
}

void cluster_read_amounts(struct reader *r, const struct at *at, int64_t *ret_row)
{
	struct at item = {0};

	if (!at->value && !r->doc.bad)
		doc_fail(&r->doc, at, "what it needs must be said here: {\"cpu\": 1, ...}");
	doc_members(&r->doc, at, "quantities");
	while (doc_next(&r->doc, at, &item)) {
		size_t i = cluster_find_resource(r, &item);

		ret_row[i] = doc_quantity(&r->doc, &item, item.key);
	}
}

void cluster_read_fraction(struct reader *r, const struct at *at, struct sched_fraction *ret)
{
	struct at item = {0};

	*ret = (struct sched_fraction){0};
	doc_members(&r->doc, at, "fractions");
	while (doc_next(&r->doc, at, &item)) {
		size_t i = cluster_find_resource(r, &item);

		ret->limited |= UINT32_C(1) << i;
		ret->of[i] = doc_number(&r->doc, &item, 0, 1, 0);
	}
}

static void read_labels(struct reader *r, const struct at *at, struct scenario_node *n)
{
	struct at item = {0};

	n->labels =
		arena_zalloc(r->arena, doc_members(&r->doc, at, "texts") + 1, sizeof(*n->labels));
	while (doc_next(&r->doc, at, &item))
		n->labels[n->label_count++] = (struct sched_label){
			reader_keep(r, item.key), reader_keep(r, doc_text(&r->doc, &item, ""))};
}

static void read_taints(struct reader *r, const struct at *at, struct scenario_node *n)
{
	static const char *const keys[] = {"key", "value", "effect", NULL};
	static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
	size_t count = doc_array(&r->doc, at);

	n->taints = arena_zalloc(r->arena, count + 1, sizeof(*n->taints));
	for (size_t i = 0; i < count; i++) {
		struct at item = doc_item(at, i), key = doc_get(&item, "key"),
			  value = doc_get(&item, "value"), effect = doc_get(&item, "effect");
		const char *e = doc_text(&r->doc, &effect, effects[0]);
		bool known = false;

		doc_object(&r->doc, &item, keys);
		for (size_t k = 0; k < ARRAY_SIZE(effects); k++)
			known = known || strcmp(effects[k], e) == 0;
		if (!known)
			doc_fail(&r->doc, &effect,
				 "%s: NoSchedule, PreferNoSchedule or NoExecute is needed here", e);
		n->taints[n->taint_count++] =
			(struct sched_taint){reader_keep(r, doc_name(&r->doc, &key)),
					     reader_keep(r, doc_text(&r->doc, &value, "")),
					     reader_keep(r, e)};
	}
}

static bool same_node(const void *arg, uint32_t i, const void *what)
{
	return strcmp(((const struct scenario *)arg)->nodes[i].name, what) == 0;
}

static void add_node(struct reader *r, const struct at *at, const struct scenario_node *n)
{
	struct scenario *sc = r->sc;
	uint32_t hash = hash_text(n->name);

	if (map_find(&r->nodes, hash, same_node, sc, n->name) != NIL) {
		doc_fail(&r->doc, at, "there are two nodes %s", n->name);
		return;
	}
	sc->nodes[sc->node_count] = *n;
	map_add(&r->nodes, hash, (uint32_t)sc->node_count++);
}

static int64_t node_times(struct reader *r, const struct at *node)
{
	struct at count = doc_get(node, "count");

	return doc_int(&r->doc, &count, 1, 1000000, 1);
}

static void read_node(struct reader *r, const struct at *at)
{
	static const char *const keys[] = {"name",   "type",     "resources", "labels",
					   "taints", "cordoned", "count",     NULL};
	struct at name = doc_get(at, "name"), resources = doc_get(at, "resources"),
		  labels = doc_get(at, "labels"), taints = doc_get(at, "taints"),
		  cordoned = doc_get(at, "cordoned"), type = doc_get(at, "type");
	int64_t count = node_times(r, at);
	struct scenario_node n = {0};
	const char *base;

	if (!doc_object(&r->doc, at, keys))
		return;
	base = reader_keep(r, doc_name(&r->doc, &name));
	doc_text(&r->doc, &type, "");
	cluster_read_amounts(r, &resources, n.total);
	read_labels(r, &labels, &n);
	read_taints(r, &taints, &n);
	n.cordoned = doc_bool(&r->doc, &cordoned, false);
	for (int64_t i = 0; i < count && !r->doc.bad; i++) {
		n.name = count == 1 ? base : arena_printf(r->arena, "%s-%lld", base, (long long)i);
		add_node(r, &name, &n);
	}
}

static void read_nodes(struct reader *r, const struct at *nodes)
{
	struct at item = {0};
	size_t all = 0;

	doc_array(&r->doc, nodes);
	while (doc_next(&r->doc, nodes, &item))
		all += json_is_object(item.value) ? (size_t)node_times(r, &item) : 1;
	if (all > 1000000)
		doc_fail(&r->doc, nodes, "%zu nodes: a million is possible", all);
	r->sc->nodes = arena_zalloc(r->arena, r->doc.bad ? 1 : all + 1, sizeof(*r->sc->nodes));
	while (doc_next(&r->doc, nodes, &item))
		read_node(r, &item);
}

/* The flags of a class, with those that the entry does not set. */
static void read_flags(struct reader *r, const struct at *at, struct conf_class *class)
{
	const struct {
		const char *key;
		bool *flag;
	} flags[] = {{"preemptible", &class->preemptible},
		     {"fair_share_preemptible", &class->fair_share_preemptible},
		     {"urgency_preemptible", &class->urgency_preemptible}};
	CLEANUP_FREE bool *set = xcalloc(conf_lists[0].count, sizeof(*set));
	struct err err = {""};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct at flag = doc_get(at, flags[i].key);

		*flags[i].flag = doc_bool(&r->doc, &flag, *flags[i].flag);
		for (size_t k = 0; k < conf_lists[0].count; k++)
			if (strcmp(conf_lists[0].rows[k].opt.name, flags[i].key) == 0)
				set[k] = flag.value != NULL;
	}
	if (conf_settle_class(class, set, &err) < 0)
		doc_fail(&r->doc, at, "%s", err.text);
}

static void read_class(struct reader *r, const struct at *at, struct scenario_class *c)
{
	static const char *const keys[] = {"name",
					   "priority",
					   "preemptible",
					   "fair_share_preemptible",
					   "urgency_preemptible",
					   "max_fraction_per_queue",
					   NULL};
	struct at name = doc_get(at, "name"), priority = doc_get(at, "priority"),
		  limit = doc_get(at, "max_fraction_per_queue");
	struct conf_class class = conf_class_default();

	if (!doc_object(&r->doc, at, keys))
		return;
	c->name = class.name = reader_keep(r, doc_name(&r->doc, &name));
	for (struct scenario_class *o = r->sc->classes; o < c && !r->doc.bad; o++)
		if (strcmp(o->name, c->name) == 0)
			doc_fail(&r->doc, &name, "there are two classes %s", c->name);
	c->priority = doc_int(&r->doc, &priority, INT32_MIN, INT32_MAX, class.priority);
	read_flags(r, at, &class);
	c->fair_share_preemptible = class.fair_share_preemptible;
	c->urgency_preemptible = class.urgency_preemptible;
	cluster_read_fraction(r, &limit, &c->limit);
}

/* The class of jobs that name none: as in armada.conf, or the first of the document's own. */
static uint32_t default_class(const struct reader *r)
{
	for (uint32_t i = 0; i < r->sc->class_count; i++)
		if (strcmp(r->sc->classes[i].name, r->sc->conf->scheduler.default_class) == 0)
			return i;
	return 0;
}

static void read_classes(struct reader *r, const struct at *root)
{
	struct at list = doc_get(root, "priority_classes");
	struct at def = doc_get(root, "default_priority_class"), item = {0};
	size_t n = doc_array(&r->doc, &list);

	if (n)
		r->sc->classes = arena_zalloc(r->arena, n, sizeof(*r->sc->classes));
	else
		site_classes(r);
	while (doc_next(&r->doc, &list, &item))
		read_class(r, &item, &r->sc->classes[r->sc->class_count++]);
	if (r->doc.bad)
		return;
	r->default_class = default_class(r);
	if (def.value)
		r->default_class = cluster_find_class(r, &def);
}

static bool same_queue(const void *arg, uint32_t i, const void *what)
{
	return strcmp(((const struct scenario *)arg)->queues[i].name, what) == 0;
}

static void read_class_limits(struct reader *r, const struct at *at, struct scenario_queue *q)
{
	size_t n = doc_members(&r->doc, at, "classes, each with its fractions,");
	struct at item = {0};

	q->class_limits = arena_zalloc(r->arena, n + 1, sizeof(*q->class_limits));
	while (doc_next(&r->doc, at, &item)) {
		struct sched_class_limit *l = &q->class_limits[q->class_limit_count++];

		for (size_t i = 0; i < r->sc->class_count; i++)
			if (strcmp(r->sc->classes[i].name, item.key) == 0)
				l->class_name = r->sc->classes[i].name;
		if (!l->class_name)
			unknown_class(r, &item, item.key);
		cluster_read_fraction(r, &item, &l->limit);
	}
}

static void read_queue(struct reader *r, const struct at *at)
{
	static const char *const keys[] = {
		"name",          "priority_factor",  "cordoned",           "limits",
		"class_limits",  "max_running",      "max_cpus",           "max_memory",
		"max_gpus",      "user_max_running", "user_max_cpus",      "user_max_memory",
		"user_max_gpus", "max_resources",    "user_max_resources", NULL};
	struct scenario_queue *q = &r->sc->queues[r->sc->queue_count];
	struct at name = doc_get(at, "name"), factor = doc_get(at, keys[1]),
		  cordoned = doc_get(at, "cordoned"), limit = doc_get(at, "limits"),
		  class_limits = doc_get(at, "class_limits");
	uint32_t hash;

	if (!doc_object(&r->doc, at, keys))
		return;
	q->name = reader_keep(r, doc_name(&r->doc, &name));
	q->factor = doc_number(&r->doc, &factor, 1e-9, 1e9, site_factor_default());
	q->cordoned = doc_bool(&r->doc, &cordoned, false);
	cluster_read_fraction(r, &limit, &q->limit);
	read_class_limits(r, &class_limits, q);
	limits_read_quota(r, at, false, &q->quota);
	limits_read_quota(r, at, true, &q->user_quota);
	hash = hash_text(q->name);
	if (r->sc->sited && site_has_queue(r, q->name))
		doc_fail(&r->doc, &name, "queue %s is declared in %s; a scenario may add others",
			 q->name, r->sc->conf->file);
	else if (map_find(&r->queues, hash, same_queue, r->sc, q->name) != NIL)
		doc_fail(&r->doc, &name, "there are two queues %s", q->name);
	else
		map_add(&r->queues, hash, (uint32_t)r->sc->queue_count++);
}

static void read_queues(struct reader *r, const struct at *root)
{
	struct at list = doc_get(root, "queues"), item = {0};
	size_t n = doc_array(&r->doc, &list) + r->sc->conf->queue_count;

	r->sc->queues = arena_zalloc(r->arena, n + 1, sizeof(*r->sc->queues));
	site_queues(r);
	while (doc_next(&r->doc, &list, &item))
		read_queue(r, &item);
}

void cluster_read(struct reader *r, const struct at *root)
{
	struct at nodes = doc_get(root, "nodes");

	read_resources(r, &nodes);
	read_floating(r, root);
	read_nodes(r, &nodes);
	read_classes(r, root);
	read_queues(r, root);
}

uint32_t cluster_find_node(struct reader *r, const struct at *at)
{
	const char *name = doc_name(&r->doc, at);
	uint32_t i = map_find(&r->nodes, hash_text(name), same_node, r->sc, name);

	if (i == NIL)
		unknown_fail(r, at, "node", name, node_name, r->sc->node_count);
	return i == NIL ? 0 : i;
}

uint32_t cluster_find_queue(struct reader *r, const struct at *at)
{
	const char *name = doc_name(&r->doc, at);
	uint32_t i = map_find(&r->queues, hash_text(name), same_queue, r->sc, name);

	if (i == NIL)
		unknown_fail(r, at, "queue", name, queue_name, r->sc->queue_count);
	return i == NIL ? 0 : i;
}

uint32_t cluster_find_class(struct reader *r, const struct at *at)
{
	const char *name = at->value ? doc_name(&r->doc, at) : NULL;

	if (!name)
		return r->default_class;
	for (uint32_t i = 0; i < r->sc->class_count; i++)
		if (strcmp(r->sc->classes[i].name, name) == 0)
			return i;
	unknown_class(r, at, name);
	return 0;
}

/*
 * Groups of nodes, and the columns of their listings.
 *
 * A group begins with a node row: that of its first node, with the names, the tasks and the amounts of
 * all its nodes. So the columns of nodes also print groups, and the columns here refer to them by name.
 *
 * Each node is counted once: allocated (it is up and has tasks), idle (it is up and has none), or other
 * (it starts no task now: it is drained, down, unknown, or not connected).
 */
#include "cmd/listing/node_groups.h"

#include "cmd/listing/node_rows.h"
#include "cmd/listing/resources.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Amounts of resources by name, in the arena. */
struct amounts {
	Armada__Resource **list;
	size_t count, room;
};

struct node_group {
	Armada__NodeRow row;
	uint32_t nodes, busy, idle, other;
	struct amounts total, allocated, free; /* free: of the nodes that start tasks */
	const Armada__NodeRow *first;
};

#define GROUP(row) ((const struct node_group *)(row))

/* ---- making groups ---- */

struct keyed {
	const Armada__NodeRow *node;
	const char *key;
	size_t at; /* in the list of nodes */
};

static const char *label_of(const Armada__NodeRow *n, const char *key)
{
	for (size_t i = 0; i < n->n_labels; i++)
		if (strcmp(n->labels[i]->key, key) == 0)
			return n->labels[i]->value;
	return "";
}

/* The texts of these columns, each with its end. */
static void add_columns(const Armada__NodeRow *n, const char *const *names, struct buf *out)
{
	for (size_t i = 0; names[i]; i++) {
		column_text(listing_column(&node_listing, names[i]), n, out);
		buf_addc(out, '\n');
	}
}

static const char *key_of(enum node_key key, const Armada__NodeRow *n, struct arena *arena)
{
	static const char *const columns[][8] = {
		[NODE_KEY_EQUAL] = {"state", "total", "labels", "taints", "reason", "not_limited",
				    "cpus_weaker", NULL},
		[NODE_KEY_SIZE] = {"total", NULL},
		[NODE_KEY_REASON] = {"state", "connected", "reason", "reason_by", NULL},
	};
	CLEANUP_BUF struct buf text = {0};

	add_columns(n, columns[key], &text);
	if (key == NODE_KEY_SIZE)
		buf_addstr(&text, label_of(n, "gpu"));
	if (key == NODE_KEY_REASON)
		buf_addf(&text, "%" PRId64, n->reason_us);
	return arena_printf(arena, "%.*s", (int)text.len, (const char *)text.data);
}

static int by_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static int by_first(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

/* Adds a list, times `sign`. */
static void add_amounts(struct amounts *to, Armada__Resource *const *from, size_t count, int sign,
			struct arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < to->count && strcmp(to->list[at]->name, from[i]->name) != 0)
			at++;
		if (at == to->count) {
			to->list = arena_grow(arena, to->list, &to->room, at, sizeof(*to->list));
			to->list[at] = arena_memdup(arena, from[i], sizeof(*from[i]));
			to->list[at]->amount = 0;
			to->count++;
		}
		to->list[at]->amount += sign * from[i]->amount;
	}
}

static bool starts_tasks(const Armada__NodeRow *n)
{
	return n->state == ARMADA__NODE_STATE__NODE_UP && !n->reason[0];
}

static void add_node(struct node_group *g, const Armada__NodeRow *n, struct arena *arena)
{
	add_amounts(&g->total, n->total, n->n_total, 1, arena);
	add_amounts(&g->allocated, n->allocated, n->n_allocated, 1, arena);
	g->nodes++;
	g->row.tasks += n->tasks;
	if (!starts_tasks(n)) {
		g->other++;
		return;
	}
	g->busy += n->tasks > 0;
	g->idle += n->tasks == 0;
	add_amounts(&g->free, n->total, n->n_total, 1, arena);
	add_amounts(&g->free, n->allocated, n->n_allocated, -1, arena);
}

static void *make_group(const struct keyed *nodes, size_t count, struct arena *arena)
{
	struct node_group *g = arena_zalloc(arena, 1, sizeof(*g));
	const char **names = arena_zalloc(arena, count, sizeof(*names));
	CLEANUP_BUF struct buf list = {0};

	g->first = nodes[0].node;
	g->row = *nodes[0].node;
	g->row.tasks = 0;
	for (size_t i = 0; i < count; i++) {
		names[i] = nodes[i].node->name;
		add_node(g, nodes[i].node, arena);
	}
	g->row.total = g->total.list;
	g->row.n_total = g->total.count;
	g->row.allocated = g->allocated.list;
	g->row.n_allocated = g->allocated.count;
	hostlist_compress(names, count, &list);
	g->row.name = arena_printf(arena, "%.*s", (int)list.len, (const char *)list.data);
	return g;
}

const void **node_groups_make(enum node_key key, const void *const *nodes, size_t count,
			      struct arena *arena, size_t *ret_count)
{
	struct keyed *all = arena_zalloc(arena, count + 1, sizeof(*all));
	struct keyed *groups = arena_zalloc(arena, count + 1, sizeof(*groups));
	const void **rows = arena_zalloc(arena, count + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		all[i] = (struct keyed){nodes[i], key_of(key, nodes[i], arena), i};
	qsort(all, count, sizeof(*all), by_key);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && strcmp(all[i].key, all[next].key) == 0;)
			next++;
		groups[n] = all[i];
		groups[n++].node = make_group(all + i, next - i, arena);
	}
	qsort(groups, n, sizeof(*groups), by_first);
	for (size_t i = 0; i < n; i++)
		rows[i] = groups[i].node;
	*ret_count = n;
	return rows;
}

/* ---- columns ---- */

/* A column of nodes, which prints the row of the group. */
static void as_node(const void *row, const void *name, struct buf *out)
{
	column_text(listing_column(&node_listing, name), row, out);
}

static json_t *as_node_json(const void *row, const void *name)
{
	return column_json(listing_column(&node_listing, name), row);
}

static const char *state_colour(const void *row)
{
	return listing_column(&node_listing, "state")->colour(row);
}

static int64_t each(const void *row, const void *name)
{
	const Armada__NodeRow *n = GROUP(row)->first;

	return resources_amount(n->total, n->n_total, name);
}

static void each_text(const void *row, const void *name, struct buf *out)
{
	char text[32];

	resources_format(name, false, each(row, name), text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *each_json(const void *row, const void *name)
{
	return json_integer(each(row, name));
}

/* "4" or "a100:4", as in asubmit --gpus */
static void gpus_text(const void *row, const void *name, struct buf *out)
{
	const char *type = label_of(GROUP(row)->first, "gpu");

	if (*type && each(row, name))
		buf_addf(out, "%s:", type);
	each_text(row, name, out);
}

static void gpu_type(const void *row, struct buf *out)
{
	buf_addstr(out, label_of(GROUP(row)->first, "gpu"));
}

/* "40/18/2/60": allocated, idle, other and total. */
static void node_states(const void *row, struct buf *out)
{
	const struct node_group *g = GROUP(row);

	buf_addf(out, "%" PRIu32 "/%" PRIu32 "/%" PRIu32 "/%" PRIu32, g->busy, g->idle, g->other,
		 g->nodes);
}

static void resource_states(const void *row, const void *name, struct buf *out)
{
	const struct node_group *g = GROUP(row);
	int64_t amounts[] = {
		resources_amount(g->row.allocated, g->row.n_allocated, name),
		resources_amount(g->free.list, g->free.count, name),
		0,
		resources_amount(g->row.total, g->row.n_total, name),
	};

	amounts[2] = amounts[3] - amounts[0] - amounts[1];
	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++) {
		char text[32];

		resources_format(name, false, amounts[i], text, sizeof(text));
		buf_addf(out, "%s%s", i ? "/" : "", text);
	}
}

static void free_text(const void *row, struct buf *out)
{
	resources_add(GROUP(row)->free.list, GROUP(row)->free.count, ",", out);
}

static json_t *free_json(const void *row)
{
	return resources_json(GROUP(row)->free.list, GROUP(row)->free.count);
}

/* clang-format off */
#define AS_NODE(name) CELL_CUSTOM(as_node, as_node_json, name)
#define NODELIST {"nodelist", "NODELIST", 'N', false, false, AS_NODE("name"), NULL, "Names of the nodes"}
#define NODES {"nodes", "NODES", 'D', true, false, CELL_INT(struct node_group, nodes), NULL, "Number of nodes"}
#define STATE {"state", "STATE", 'T', false, false, AS_NODE("state"), state_colour, "State"}
#define TASKS {"tasks", "TASKS", 0, true, false, CELL_INT(struct node_group, row.tasks), NULL, "Number of tasks that run there"}

static const struct column group_columns[] = {
	NODELIST, NODES, STATE, TASKS,
	{"cpus", "CPUS", 'C', true, false, AS_NODE("cpus"), NULL, "Cpus of all its nodes: allocated/total"},
	{"memory", "MEMORY", 'm', true, false, AS_NODE("memory"), NULL, "Memory of all its nodes: allocated/total"},
	{"gpus", "GPUS", 'G', true, false, AS_NODE("gpus"), NULL, "Gpus of all its nodes: allocated/total"},
	{"total", "TOTAL", 0, false, true, AS_NODE("total"), NULL, "Total of every resource"},
	{"allocated", "ALLOCATED", 0, false, true, AS_NODE("allocated"), NULL, "Allocated amount of every resource"},
	{"labels", "LABELS", 'f', false, true, AS_NODE("labels"), NULL, "Labels"},
	{"taints", "TAINTS", 0, false, true, AS_NODE("taints"), NULL, "Taints"},
	{"reason", "REASON", 'E', false, true, AS_NODE("reason"), NULL, "Why the nodes are not up"},
	{"not_limited", "NOT_LIMITED", 0, false, false, AS_NODE("not_limited"), NULL, "What is not limited there although the site wants it"},
	{"cpus_weaker", "CPUS_WEAKER", 0, false, true, AS_NODE("cpus_weaker"), NULL, "How tasks get their cpus there, if not as cpu_containment says"},
};

static const struct column summary_columns[] = {
	{"cpus", "CPUS", 'c', true, false, CELL_CUSTOM(each_text, each_json, "cpu"), NULL, "Cpus of each node; millicores in JSON"},
	{"memory", "MEMORY", 'm', true, false, CELL_CUSTOM(each_text, each_json, "memory"), NULL, "Memory of each node; bytes in JSON"},
	{"gpus", "GPUS", 'G', true, false, CELL_CUSTOM(gpus_text, each_json, "gpu"), NULL, "Gpus of each node, with the type from the label gpu"},
	{"gpu_type", "GPU_TYPE", 0, false, false, CELL(gpu_type, NULL), NULL, "The label gpu of the nodes"},
	NODES,
	{"allocated", "ALLOCATED", 0, true, false, CELL_INT(struct node_group, busy), NULL, "Number of nodes that have tasks and start more"},
	{"idle", "IDLE", 0, true, false, CELL_INT(struct node_group, idle), NULL, "Number of nodes that have no tasks and start some"},
	{"other", "OTHER", 0, true, false, CELL_INT(struct node_group, other), NULL, "Number of nodes that start no tasks: drained, down, unknown, not connected"},
	{"states", "NODES(A/I/O/T)", 'F', true, false, CELL(node_states, NULL), NULL, "Nodes: allocated/idle/other/total"},
	{"cpu_states", "CPUS(A/I/O/T)", 'C', true, false, CELL_CUSTOM(resource_states, NULL, "cpu"), NULL, "Cpus: allocated/idle/other/total; other are free cpus of nodes that start no tasks"},
	{"memory_states", "MEMORY(A/I/O/T)", 0, true, false, CELL_CUSTOM(resource_states, NULL, "memory"), NULL, "Memory, in the same way"},
	{"gpu_states", "GPUS(A/I/O/T)", 0, true, false, CELL_CUSTOM(resource_states, NULL, "gpu"), NULL, "Gpus, in the same way"},
	TASKS,
	{"total_of_all", "TOTAL", 0, false, true, AS_NODE("total"), NULL, "Total of every resource"},
	{"allocated_of_all", "USED", 0, false, true, AS_NODE("allocated"), NULL, "Allocated amount of every resource"},
	{"idle_of_all", "UNUSED", 0, false, true, CELL(free_text, free_json), NULL, "What nodes that start tasks have free of every resource"},
	NODELIST,
};

static const struct column reason_columns[] = {
	NODELIST, NODES, STATE,
	{"silent", "SILENT", 0, true, false, AS_NODE("silent"), NULL, "How long the first of these nodes has not been heard of, if they are not connected; seconds in JSON"},
	{"reason_by", "BY", 'u', false, false, AS_NODE("reason_by"), NULL, "User, daemon or check that set the reason"},
	{"reason_time", "SINCE", 'H', false, false, AS_NODE("reason_time"), NULL, "When the reason was set; microseconds since 1970 in JSON"},
	{"reason", "REASON", 'E', false, false, AS_NODE("reason"), NULL, "Why the nodes are not up"},
};
/* clang-format on */

static const char *const aliases[] = {"nodelist name", NULL};
const struct listing node_group_listing = LISTING(
	"groups",
	"nodelist,nodes,state,tasks,cpus,memory,gpus,labels,taints?,reason,not_limited?,cpus_weaker?",
	group_columns, .wraps = "nodelist", .aliases = aliases);
const struct listing node_summary_listing =
	LISTING("summary", "cpus,memory,gpus,states,cpu_states,gpu_states,nodelist",
		summary_columns, .wraps = "nodelist", .aliases = aliases);
const struct listing node_reason_listing =
	LISTING("reasons", "nodelist,state,silent?,reason_by,reason_time,reason", reason_columns,
		.wraps = "nodelist,reason", .aliases = aliases);

/*
 * Several nodes in one row: which nodes share a row, the sums, and the counts of allocated, idle and
 * other nodes.
 */
#include "cmd/listing/node_groups.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 1000 };

static Armada__NodeRow nodes[NODES];
static Armada__Resource cpus[NODES], used[NODES], *total_of[NODES], *used_of[NODES];
static char names[NODES][16];
static const void *list[NODES];

/* Nodes with 64 cpus; every third one has a task of 16. */
static void make_nodes(void)
{
	for (int i = 0; i < NODES; i++) {
		Armada__NodeRow *n = &nodes[i];

		armada__node_row__init(n);
		armada__resource__init(&cpus[i]);
		armada__resource__init(&used[i]);
		cpus[i].name = used[i].name = (char *)"cpu";
		cpus[i].amount = 64000;
		total_of[i] = &cpus[i];
		used_of[i] = &used[i];
		n->total = &total_of[i];
		n->allocated = &used_of[i];
		n->n_total = n->n_allocated = 1;
		snprintf(names[i], sizeof(names[i]), "cn%04d", i + 1);
		n->name = names[i];
		n->state = ARMADA__NODE_STATE__NODE_UP;
		if (i % 3 == 0) {
			n->tasks = 1;
			used[i].amount = 16000;
		}
		list[i] = n;
	}
}

static struct arena *arena;

/* The rows, each as the columns of `format`, and a line feed. */
static const char *rows(enum node_key key, const struct listing *l, const char *const *format)
{
	const void **groups;
	CLEANUP_BUF struct buf text = {0};
	const char *result;
	size_t n;

	groups = node_groups_make(key, list, NODES, arena, &n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; format[k]; k++) {
			buf_addstr(&text, k ? " " : "");
			column_text(listing_column(l, format[k]), groups[i], &text);
		}
		buf_addc(&text, '\n');
	}
	result = arena_printf(arena, "%.*s", (int)text.len, (char *)text.data);
	return result;
}

static void test_equal(void)
{
	static const char *const format[] = {"nodelist", "nodes",  "state", "tasks",
					     "cpus",     "reason", NULL};

	is_str(rows(NODE_KEY_EQUAL, &node_group_listing, format),
	       "cn[0001-1000] 1000 up 334 5344/64000 \n",
	       "a thousand equal nodes are one row, however busy they are");
	nodes[6].state = ARMADA__NODE_STATE__NODE_DRAINED;
	nodes[6].reason = (char *)"new disks";
	nodes[7].reason = (char *)"has no connection";
	cpus[8].amount = 128000;
	is_str(rows(NODE_KEY_EQUAL, &node_group_listing, format),
	       "cn[0001-0006,0010-1000] 997 up 333 5328/63808 \n"
	       "cn0007 1 drained 1 16/64 new disks\n"
	       "cn0008 1 up 0 0/64 has no connection\n"
	       "cn0009 1 up 0 0/128 \n",
	       "nodes with another state, reason or size have rows of their own, in the order of names");
}

static void test_summary(void)
{
	static const char *const format[] = {"cpus", "states", "cpu_states", "nodelist", NULL};

	is_str(rows(NODE_KEY_SIZE, &node_summary_listing, format),
	       "64 333/664/2/999 5344/58480/112/63936 cn[0001-0008,0010-1000]\n"
	       "128 0/1/0/1 0/128/0/128 cn0009\n",
	       "a row for each size; other cpus are the free ones of nodes that start no tasks");
}

static void test_reasons(void)
{
	static const char *const format[] = {"nodelist", "state", "reason_by", "reason", NULL};

	for (int i = 500; i < NODES; i++) {
		nodes[i].state = ARMADA__NODE_STATE__NODE_DRAINED;
		nodes[i].reason = (char *)"water";
		nodes[i].reason_by = (char *)"root";
		nodes[i].reason_us = i < 900 ? 1 : 2;
	}
	has_str(rows(NODE_KEY_REASON, &node_reason_listing, format),
		"\ncn[0501-0900] drained root water\ncn[0901-1000] drained root water\n",
		"nodes share a row if they have the same reason, author and time");
}

int main(void)
{
	arena = arena_new(0);
	make_nodes();
	test_equal();
	test_summary();
	test_reasons();
	arena_free(arena);
	return done();
}

#include "core/tables.h"
#include "util/mem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct node *core_find_node(const struct core *c, const char *name)
{
	struct node *n;

	HASH_FIND_STR(c->nodes, name, n);
	return n;
}

struct node *node_by_conn(const struct core *c, uint64_t conn)
{
	for (struct node *n = c->nodes; n; n = n->hh.next)
		if (n->conn == conn)
			return n;
	return NULL;
}

static void copy_id(uint8_t to[16], const ProtobufCBinaryData *from)
{
	memset(to, 0, 16);
	memcpy(to, from->data, from->len < 16 ? from->len : 16);
}

struct node *node_set(struct core *c, const Armada__NodeSet *set)
{
	struct node *n = core_find_node(c, set->name);

	if (!n) {
		n = xcalloc(1, sizeof(*n));
		n->name = xstrdup(set->name);
		n->state = ARMADA__NODE_STATE__NODE_DOWN;
		n->set_arena = arena_new(0);
		LIST_INIT(&n->tasks);
		HASH_ADD_KEYPTR(hh, c->nodes, n->name, strlen(n->name), n);
	}
	copy_id(n->node_id, &set->node_id);
	copy_id(n->spool_id, &set->spool_id);
	snprintf(n->boot_id, sizeof(n->boot_id), "%s", set->boot_id);
	buf_clear(&n->set_packed);
	msg_pack(set, &n->set_packed);
	arena_clear(n->set_arena);
	n->set = msg_unpack_own(&armada__node_set__descriptor, n->set_packed.data,
				n->set_packed.len, n->set_arena);
	assert(n->set);
	resources_of(c, n->set->resources, n->set->n_resources, &n->total);
	return n;
}

void node_drop(struct core *c, struct node *n)
{
	assert(LIST_EMPTY(&n->tasks));
	HASH_DEL(c->nodes, n);
	arena_free(n->set_arena);
	buf_done(&n->set_packed);
	free(n->name);
	free(n->reason);
	free(n->reason_by);
	free(n->extension_reason);
	free(n->extension_by);
	free(n->reboot_reason);
	free(n->reboot_by);
	free(n->reboot_was);
	free(n);
}

int resource_index(const struct core *c, const char *name)
{
	for (size_t i = 0; i < c->resource_count; i++)
		if (strcmp(c->resource_names[i], name) == 0)
			return i;
	return -1;
}

void resources_of(struct core *c, Armada__Resource *const *list, size_t n, struct resources *ret)
{
	*ret = (struct resources){0};
	for (size_t i = 0; i < n; i++) {
		int r = resource_index(c, list[i]->name);

		if (r >= 0)
			ret->amount[r] += list[i]->amount;
	}
}

void spec_task_request(struct core *c, const Armada__JobSpec *spec, struct resources *ret)
{
	assert(spec->n_groups);
	resources_of(c, spec->groups[0]->resources, spec->groups[0]->n_resources, ret);
}

static void add_task(const struct task *t, struct resources *sum)
{
	for (size_t r = 0; r < CORE_RESOURCES; r++)
		sum->amount[r] += task_request(t)->amount[r];
}

void node_used(const struct node *n, struct resources *ret)
{
	struct task *t;

	*ret = (struct resources){0};
	LIST_FOREACH (t, &n->tasks, on_node)
		if (t->state != TASK_ENDED && !t->element->promised)
			add_task(t, ret);
}

void node_lasting(const struct node *n, struct resources *ret)
{
	struct task *t;

	*ret = (struct resources){0};
	LIST_FOREACH (t, &n->tasks, on_node)
		if (t->state != TASK_ENDED && !t->element->yields)
			add_task(t, ret);
}

#include "core/state/write.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct node *node_find(const struct state *state, const char *name)
{
	struct node *n;

	HASH_FIND_STR(state->nodes, name, n);
	return n;
}

static void copy_id(uint8_t to[16], const ProtobufCBinaryData *from)
{
	memset(to, 0, 16);
	memcpy(to, from->data, from->len < 16 ? from->len : 16);
}

struct node *node_set(struct state *state, const Armada__NodeSet *set)
{
	struct node *n = node_find(state, set->name);

	if (!n) {
		n = xcalloc(1, sizeof(*n));
		n->name = xstrdup(set->name);
		n->state = ARMADA__NODE_STATE__NODE_DOWN;
		n->set_arena = arena_new(0);
		LIST_INIT(&n->tasks);
		n->slot = slot_take(&state->node_places);
		HASH_ADD_KEYPTR(hh, state->nodes, n->name, strlen(n->name), n);
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
	resources_of(n->set->resources, n->set->n_resources, &n->total);
	return n;
}

void node_drop(struct state *state, struct node *n)
{
	assert(LIST_EMPTY(&n->tasks));
	HASH_DEL(state->nodes, n);
	slot_give_back(&state->node_places, n->slot);
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

void node_used(const struct node *n, struct resources *ret)
{
	struct task *t;

	*ret = (struct resources){0};
	LIST_FOREACH (t, &n->tasks, on_node)
		if (t->state != TASK_ENDED && !t->element->lease_pending)
			resources_add(ret, task_request(t), 1);
}

void node_lasting(const struct node *n, struct resources *ret)
{
	struct task *t;

	*ret = (struct resources){0};
	LIST_FOREACH (t, &n->tasks, on_node)
		if (t->state != TASK_ENDED && !t->element->yields && !t->leaving)
			resources_add(ret, task_request(t), 1);
}

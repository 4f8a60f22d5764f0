#include "core/view/no_such.h"

#include "util/mem.h"
#include "util/nearest.h"
#include "util/utf8.h"

#include <string.h>

enum { SHOWN = 255 };

static const char *sentence(const struct txn *txn, const char *noun, const char *name,
			    const char *near, const char *where)
{
	/* a name of a message may be long; it is not cut within a character */
	int len = (int)utf8_whole(name, strnlen(name, SHOWN));

	if (near)
		return arena_printf(txn->arena, "%s '%.*s' does not exist; did you mean '%s'?",
				    noun, len, name, near);
	return arena_printf(txn->arena, "%s '%.*s' does not exist (%s)", noun, len, name, where);
}

const char *no_such_queue(const struct txn *txn, const char *name)
{
	size_t n = HASH_COUNT(txn->state->queues), i = 0;
	CLEANUP_FREE const char **names = xcalloc(n + 1, sizeof(*names));

	for (const struct queue *q = txn->state->queues; q; q = q->hh.next)
		names[i++] = q->name;
	return sentence(txn, "queue", name, nearest_word(name, names, n),
			"actl queue list shows the existing queues");
}

static const char *no_such_registered(const struct txn *txn, const char *name)
{
	size_t n = HASH_COUNT(txn->state->nodes), i = 0;
	CLEANUP_FREE const char **names = xcalloc(n + 1, sizeof(*names));

	for (const struct node *node = txn->state->nodes; node; node = node->hh.next)
		names[i++] = node->name;
	return sentence(txn, "node", name, nearest_word(name, names, n),
			"anode lists the existing nodes");
}

const char *no_such_node(const struct txn *txn, const char *name)
{
	for (size_t i = 0; i < txn->policy->node_count; i++)
		if (strcmp(txn->policy->nodes[i].name, name) == 0)
			return arena_printf(
				txn->arena,
				"node '%s' is declared in armada.conf, but its armd has "
				"never registered",
				name);
	return no_such_registered(txn, name);
}

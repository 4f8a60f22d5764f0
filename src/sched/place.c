#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

/* What the node was before the round, once. */
static void save(struct sched *s, uint32_t node)
{
	struct node *n = &s->nodes[node];

	if (n->saved != NIL)
		return;
	GROW(s->saved, s->saved_cap, s->saved_count + 1);
	GROW(s->saved_free, s->saved_free_cap, (s->saved_count + 1) * s->dims);
	memcpy(s->saved_free + s->saved_count * s->dims, node_free(s, node),
	       s->dims * sizeof(int64_t));
	n->saved = (uint32_t)s->saved_count;
	s->saved[s->saved_count++] = (struct saved){node, n->tasks, n->exclusive};
}

void place_restore(struct sched *s)
{
	for (size_t i = 0; i < s->saved_count; i++) {
		uint32_t node = s->saved[i].node;

		node_unindex(s, node);
		memcpy(node_free(s, node), s->saved_free + i * s->dims, s->dims * sizeof(int64_t));
		s->nodes[node].tasks = s->saved[i].tasks;
		s->nodes[node].exclusive = s->saved[i].exclusive;
		s->nodes[node].saved = NIL;
		node_reindex(s, node);
	}
	s->saved_count = 0;
}

static void give(struct sched *s, uint32_t node, uint32_t key)
{
	save(s, node);
	node_use(s, node, key, 1);
	GROW(s->journal, s->journal_cap, s->journal_count + 1);
	s->journal[s->journal_count++] = node;
}

static void undo(struct sched *s, uint32_t key)
{
	while (s->journal_count)
		node_use(s, s->journal[--s->journal_count], key, -1);
}

/*
 * Nodes for the members, each on its own: nothing changes the order of the others, so one walk
 * through the index finds what one search for each member would.
 */
static uint32_t place_apart(struct sched *s, uint32_t key, const struct index_ask *ask)
{
	struct constraint *c = s->keys[key].constraint;
	struct index_cursor cursor = {0};
	uint32_t want = s->keys[key].members, found = 0;

	while (found < want) {
		uint32_t node = index_next(s, &s->index, ask, &cursor);

		if (node == NIL)
			break;
		if (!constraint_lists(s, c, node))
			continue;
		GROW(s->journal, s->journal_cap, s->journal_count + 1);
		s->journal[s->journal_count++] = node;
		found++;
	}
	s->journal_count = 0;
	for (uint32_t i = 0; i < found; i++)
		give(s, s->journal[i], key);
	return found;
}

static uint32_t place_one_by_one(struct sched *s, uint32_t key, const struct index_ask *ask)
{
	struct constraint *c = s->keys[key].constraint;
	uint32_t want = s->keys[key].members, found = 0;

	for (; found < want; found++) {
		struct index_cursor cursor = {0};
		uint32_t node;

		do
			node = index_next(s, &s->index, ask, &cursor);
		while (node != NIL && !constraint_lists(s, c, node));
		if (node == NIL)
			break;
		give(s, node, key);
	}
	return found;
}

/* All members or none; how many found room. The nodes are in the journal. */
static uint32_t try_nodes(struct sched *s, uint32_t key, const struct index_ask *ask)
{
	uint32_t found;

	s->journal_count = 0;
	found = s->keys[key].distinct ? place_apart(s, key, ask) : place_one_by_one(s, key, ask);
	if (found < s->keys[key].members)
		undo(s, key);
	return found;
}

static const char *label_of(const struct kind *k, const char *key)
{
	for (size_t i = 0; i < k->label_count; i++)
		if (strcmp(k->labels[i].key, key) == 0)
			return k->labels[i].value;
	return NULL;
}

static bool takes_kind(const struct key *k, uint32_t kind)
{
	if (k->kind_set)
		return k->kind_set[kind / 64] >> (kind % 64) & 1;
	return k->kinds >> (kind % 63) & 1;
}

/* The least value of the label after this one among the kinds of node that will do. */
static const char *next_value(const struct sched *s, const struct key *k, const char *label,
			      const char *after)
{
	const char *best = NULL;

	for (uint32_t i = 0; i < s->kind_count; i++) {
		const char *v = takes_kind(k, i) ? label_of(&s->kinds[i], label) : NULL;

		if (v && (!after || strcmp(v, after) > 0) && (!best || strcmp(v, best) < 0))
			best = v;
	}
	return best;
}

/* All members on nodes with one value of the label; values in byte order, the first that works. */
static uint32_t try_values(struct sched *s, uint32_t key, const struct index_ask *any)
{
	const char *label = s->keys[key].constraint->uniformity, *value = NULL;
	uint32_t most = 0, members = s->keys[key].members;
	size_t words = (s->kind_count + 63) / 64;
	CLEANUP_FREE uint64_t *set = xcalloc(words, sizeof(*set));

	while (most < members && (value = next_value(s, &s->keys[key], label, value))) {
		struct index_ask ask = *any;
		uint32_t found;

		memset(set, 0, words * sizeof(*set));
		ask.kind_set = set;
		ask.kinds = 0;
		for (uint32_t i = 0; i < s->kind_count; i++) {
			const char *v = label_of(&s->kinds[i], label);

			if (!v || strcmp(v, value) != 0 || !takes_kind(&s->keys[key], i))
				continue;
			set[i / 64] |= UINT64_C(1) << (i % 64);
			ask.kinds |= UINT64_C(1) << (i % 63);
		}
		found = try_nodes(s, key, &ask);
		if (found > most)
			most = found;
	}
	return most;
}

bool place_gang(struct sched *s, uint32_t key, uint32_t *ret_found)
{
	struct key *k = &s->keys[key];
	struct index_ask ask;

	key_refresh(s, key);
	ask = (struct index_ask){.request = key_request(s, key),
				 .kinds = k->kinds,
				 .kind_set = k->kind_set,
				 .idle = k->exclusive};
	s->work.gangs++;
	if (k->constraint && *k->constraint->uniformity)
		*ret_found = try_values(s, key, &ask);
	else
		*ret_found = try_nodes(s, key, &ask);
	return *ret_found == k->members;
}

bool place_fits(struct sched *s, uint32_t key, uint32_t node)
{
	const struct node *n = &s->nodes[node];
	const int64_t *request = key_request(s, key), *have = node_free(s, node);

	if (!n->present || !n->schedulable || n->exclusive || (s->keys[key].exclusive && n->tasks))
		return false;
	for (size_t r = 0; r < s->dims; r++)
		if (have[r] < request[r])
			return false;
	key_refresh(s, key);
	return takes_kind(&s->keys[key], n->kind) &&
	       constraint_lists(s, s->keys[key].constraint, node);
}

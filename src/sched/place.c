#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

/* What the node was before the round, once. */
void place_save(struct sched *s, uint32_t node)
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

static void note(struct sched *s, const struct step *step)
{
	GROW(s->journal, s->journal_cap, s->journal_count + 1);
	s->journal[s->journal_count++] = *step;
}

static void seat(struct sched *s, uint32_t node)
{
	GROW(s->members, s->member_cap, s->member_count + 1);
	s->members[s->member_count++] = node;
}

/* What the attempt is about. */
struct attempt {
	uint32_t key;
	bool displace;
	/* All nodes must share the value of a label, which these kinds have; NULL: no matter. */
	const struct label_value *value;
	size_t kinds;
	uint64_t *set;   /* room for those kinds */
	uint32_t urgent; /* members placed in room that is to be made */
};

static void give(struct sched *s, struct attempt *a, uint32_t node, uint32_t part)
{
	uint32_t cutoff = key_cutoff(s, a->key, part);

	place_save(s, node);
	level_save(s, node);
	node_use(s, node, part, cutoff, 1);
	reserve_take(s, node, part, 1);
	select_use(s, s->row_in_hand, node, part, 1);
	note(s, &(struct step){.what = node, .key = part, .cutoff = cutoff});
	seat(s, node);
	if (s->keys[a->key].distinct)
		s->nodes[node].mark = s->mark;
}

void displace_actor(struct sched *s, uint32_t actor, int sign)
{
	struct actor *a = &s->actors[actor];

	for (uint32_t i = 0; i < a->count; i++) {
		if (actor_node(a, i) == NIL)
			continue;
		place_save(s, actor_node(a, i));
		node_use_free(s, actor_node(a, i), key_part_of(s, a->key, i), sign);
		select_use(s, a->row, actor_node(a, i), key_part_of(s, a->key, i), sign);
	}
	a->state = sign < 0 ? ACTOR_OUT : ACTOR_EVICTED;
	s->evicted_count += (size_t)sign;
	if (sign < 0)
		note(s, &(struct step){.what = actor, .victim = true});
}

void place_undo(struct sched *s)
{
	while (s->journal_count) {
		struct step *step = &s->journal[--s->journal_count];

		if (step->victim) {
			displace_actor(s, step->what, 1);
			continue;
		}
		node_use(s, step->what, step->key, step->cutoff, -1);
		reserve_take(s, step->what, step->key, -1);
		select_use(s, s->row_in_hand, step->what, step->key, -1);
		s->nodes[step->what].mark = 0;
	}
	s->member_count = 0;
}

/* Tasks that the attempt displaces for certain, and one for each that it will. */
static uint32_t displaced(const struct sched *s, const struct attempt *a)
{
	uint32_t n = a->urgent;

	for (size_t i = 0; i < s->journal_count; i++)
		if (s->journal[i].victim)
			n += actor_running(&s->actors[s->journal[i].what]);
	return n;
}

static void make_ask(struct sched *s, struct attempt *a, uint32_t part, struct index_ask *ret)
{
	const struct kinds_taken *kinds = key_kinds(s, part);

	*ret = (struct index_ask){.request = key_request(s, part),
				  .kinds = kinds->bits,
				  .kind_set = kinds->set,
				  .idle = s->keys[part].exclusive};
	if (!a->value)
		return;
	memset(a->set, 0, (s->kind_count + 63) / 64 * sizeof(*a->set));
	ret->kind_set = a->set;
	ret->kinds = 0;
	for (size_t i = 0; i < a->kinds; i++) {
		uint32_t kind = a->value[i].kind;

		if (!kinds_take(kinds, kind))
			continue;
		a->set[kind / 64] |= UINT64_C(1) << (kind % 64);
		ret->kinds |= UINT64_C(1) << (kind % 63);
	}
}

/*
 * Free nodes for the members of a part, each on its own: nothing changes the order of the others,
 * so one walk through the index finds what one search for each member would.
 */
static uint32_t seat_apart(struct sched *s, struct attempt *a, uint32_t part,
			   const struct index_ask *ask)
{
	struct constraint *c = s->keys[part].constraint;
	struct index_cursor cursor = {0};
	/* A plugin that scores is asked for each. */
	uint32_t want = s->select->score ? 0 : s->keys[part].members, found = 0;
	size_t first = s->member_count;

	while (found < want) {
		uint32_t node = index_next(s, &s->index, ask, &cursor);

		if (node == NIL)
			break;
		if (s->nodes[node].mark == s->mark || !constraint_lists(s, c, node) ||
		    reserve_refuses(s, node, part))
			continue;
		seat(s, node);
		found++;
	}
	s->member_count = first;
	for (uint32_t i = 0; i < found; i++)
		give(s, a, s->members[first + i], part);
	return found;
}

static uint32_t free_node(struct sched *s, const struct attempt *a, uint32_t part,
			  const struct index_ask *ask)
{
	uint32_t mark = s->keys[a->key].distinct ? s->mark : NIL, node;
	struct constraint *c = s->keys[part].constraint;
	struct index_cursor cursor = {0};

	if (s->select->score)
		return select_node(s, part, ask, mark);
	do
		node = index_next(s, &s->index, ask, &cursor);
	while (node != NIL && (s->nodes[node].mark == mark || !constraint_lists(s, c, node) ||
			       reserve_refuses(s, node, part)));
	return node;
}

/* A node for one member: with room, or else by displacing others. */
static uint32_t find_node(struct sched *s, struct attempt *a, uint32_t part,
			  const struct index_ask *ask)
{
	uint32_t mark = s->keys[a->key].distinct ? s->mark : NIL;
	uint32_t node = free_node(s, a, part, ask), top = s->class_level[s->keys[part].class];

	if (node != NIL || !a->displace || ask->idle || !level_any(s, top, ask, part, mark))
		return node;
	node = displace_fair(s, part, ask, mark);
	if (node != NIL || !s->preempt_traits.urgency)
		return node;
	node = displace_urgent(s, part, ask, mark);
	a->urgent += node != NIL;
	return node;
}

static uint32_t seat_part(struct sched *s, struct attempt *a, uint32_t part)
{
	uint32_t want = s->keys[part].members, found = 0;
	struct index_ask ask;

	make_ask(s, a, part, &ask);
	if (s->keys[a->key].distinct)
		found = seat_apart(s, a, part, &ask);
	for (; found < want; found++) {
		uint32_t node = find_node(s, a, part, &ask);

		if (node == NIL)
			break;
		give(s, a, node, part);
	}
	return found;
}

static bool enough(const struct sched *s, uint32_t key, uint32_t found)
{
	const struct key *k = &s->keys[key];

	return found == k->members ||
	       (s->partial_gangs && k->min_members && found >= k->min_members);
}

/* Nodes for the members, as many as there are; how many. What was done stays. */
static uint32_t try_nodes(struct sched *s, struct attempt *a)
{
	uint32_t n, found = 0;
	const uint32_t *parts = key_parts(s, &a->key, &n);

	s->journal_count = s->member_count = 0;
	s->mark++;
	a->urgent = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t want = s->keys[parts[i]].members, got = seat_part(s, a, parts[i]);

		found += got;
		if (got < want && !s->partial_gangs)
			break;
		for (; got < want; got++)
			seat(s, NIL);
	}
	return found;
}

/* Is there a kind of node with the value that will do? */
static bool any_will_do(struct sched *s, const struct attempt *a)
{
	const struct kinds_taken *kinds = key_kinds(s, a->key);

	for (size_t i = 0; i < a->kinds; i++)
		if (s->keys[a->key].part_count || kinds_take(kinds, a->value[i].kind))
			return true;
	return false;
}

/*
 * All members on nodes with one value of the label: where the fewest are displaced, then where
 * most members fit, then the first value in byte order.
 */
static uint32_t try_values(struct sched *s, struct attempt *a)
{
	const struct key *k = &s->keys[a->key];
	const struct label_values *values = values_of(s, k->constraint->uniformity);
	CLEANUP_FREE uint64_t *set = xcalloc((s->kind_count + 63) / 64, sizeof(*set));
	uint32_t most = 0, best_found = 0, best_cost = 0;
	struct attempt best = {.kinds = 0};

	a->set = set;
	for (size_t at = 0; at < values->count; at += a->kinds) {
		uint32_t found, cost;

		a->value = &values->list[at];
		a->kinds = values_end(values, at) - at;
		if (!any_will_do(s, a))
			continue;
		found = try_nodes(s, a);
		cost = displaced(s, a);
		if (found == k->members && !cost)
			return found;
		place_undo(s);
		if (found > most)
			most = found;
		if (!enough(s, a->key, found) ||
		    (best.kinds &&
		     (cost > best_cost || (cost == best_cost && found <= best_found))))
			continue;
		best = *a;
		best_cost = cost;
		best_found = found;
	}
	if (!best.kinds)
		return most;
	a->value = best.value;
	a->kinds = best.kinds;
	return try_nodes(s, a);
}

bool place_gang(struct sched *s, uint32_t key, uint32_t *ret_found)
{
	const struct constraint *c = s->keys[key].constraint;
	struct attempt a = {.key = key, .displace = s->level_count > 0};

	s->work.gangs++;
	*ret_found = c && *c->uniformity ? try_values(s, &a) : try_nodes(s, &a);
	if (enough(s, key, *ret_found))
		return true;
	place_undo(s);
	return false;
}

static bool part_fits(struct sched *s, uint32_t key, uint32_t node)
{
	const struct node *n = &s->nodes[node];
	const int64_t *request = key_request(s, key), *have = node_free(s, node);

	if (!n->present || !n->schedulable || n->exclusive || (s->keys[key].exclusive && n->tasks))
		return false;
	for (size_t r = 0; r < s->dims; r++)
		if (have[r] < request[r])
			return false;
	return kinds_take(key_kinds(s, key), n->kind) &&
	       constraint_lists(s, s->keys[key].constraint, node);
}

bool place_fits(struct sched *s, uint32_t key, uint32_t node)
{
	uint32_t n;
	const uint32_t *parts = key_parts(s, &key, &n);

	for (uint32_t i = 0; i < n; i++)
		if (part_fits(s, parts[i], node))
			return true;
	return false;
}

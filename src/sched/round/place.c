/*
 * Gang placement: nodes for all members of a gang or for none, with displacement where it is
 * allowed.
 *
 * Input: a shape, which is one or more parts of like members. Output: the nodes in
 * s->placing.members, or nothing changed.
 *
 * Members are placed one by one (find_node), part by part. If the parts have minima of their own, the
 * members of all minima come first, and then the others. Each takes the first free node of the index.
 * If there is none, level_search checks whether any node has room at the level of the class, and if so
 * the member displaces others (displace.h). The choice is greedy: members placed before are not moved.
 * So gangs of unlike members may miss a placement that exists.
 *
 * A gang whose members share the value of a label is tried with each value, each time from the same
 * state (try_values, is_better). A value that fits all members without displacement ends the search.
 *
 * All changes go to a journal. place_undo reverts it, so a gang that fails leaves no trace.
 */
#include "sched/round/place.h"
#include "sched/round/level_search.h"
#include "sched/round/state.h"
#include "util/mem.h"

#include <string.h>

static void note(struct sched *s, const struct placing_change *change)
{
	GROW(s->placing.journal, s->placing.journal_cap, s->placing.journal_count + 1);
	s->placing.journal[s->placing.journal_count++] = *change;
}

/* The list has this many members at least; new ones have no node. */
static void add_members(struct sched *s, uint32_t count)
{
	GROW(s->placing.members, s->placing.member_cap, count);
	while (s->placing.member_count < count)
		s->placing.members[s->placing.member_count++] = NIL;
}

/* The list grows with the members that have a node: a gang may have millions that none has room for. */
static void seat(struct sched *s, uint32_t member, uint32_t node)
{
	add_members(s, member + 1);
	s->placing.members[member] = node;
}

/* One try to place a gang. */
struct attempt {
	uint32_t shape;
	bool displace;
	/*
	 * All nodes must have this value of a label; `kinds` node classes have it. NULL: no such
	 * demand.
	 */
	const struct label_value *value;
	size_t kinds;
	uint64_t *set; /* scratch: a bit for each node class */
};

static void give(struct sched *s, struct attempt *a, uint32_t node, uint32_t part)
{
	struct model *m = &s->model;
	uint32_t cutoff = job_shape_cutoff(m, a->shape, part);

	node_backup_save(s, node);
	node_backup_levels(s, node);
	nodes_use(m, node, part, cutoff, 1);
	reservation_take(m, &s->reservation, node, part, 1);
	node_select_use(s, s->select.current_row, node, part, 1);
	note(s, &(struct placing_change){.index = node, .shape = part, .cutoff = cutoff});
	if (m->shapes.list[a->shape].distinct)
		m->nodes.list[node].mark = s->placing.mark;
}

/* The gang loses its nodes (-1), or gets them back (1). */
static void change_nodes(struct sched *s, struct running_gang *a, int sign)
{
	struct model *m = &s->model;

	for (uint32_t i = 0; i < a->count; i++)
		if (running_gang_node(a, i) != NIL)
			node_backup_save(s, running_gang_node(a, i));
	if (a->was == GANG_PLACED)
		running_gang_count_at_levels(s, a, sign);
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t node = running_gang_node(a, i), part = job_shape_part_of(m, a->shape, i);

		if (node == NIL)
			continue;
		nodes_use_free(m, node, part, sign);
		node_select_use(s, a->row, node, part, sign);
	}
}

void place_displace(struct sched *s, uint32_t gang, size_t place, bool urgency)
{
	struct running_gang *a = &s->gangs.list[gang];

	a->was = a->state;
	a->state = GANG_OUT;
	change_nodes(s, a, -1);
	note(s, &(struct placing_change){
			.index = gang, .victim = true, .urgency = urgency, .place = place});
}

static void undisplace(struct sched *s, uint32_t gang)
{
	struct running_gang *a = &s->gangs.list[gang];

	change_nodes(s, a, 1);
	a->state = a->was;
	a->was = GANG_OUT;
}

void place_undo(struct sched *s)
{
	struct model *m = &s->model;

	while (s->placing.journal_count) {
		struct placing_change *change = &s->placing.journal[--s->placing.journal_count];

		if (change->victim) {
			undisplace(s, change->index);
			continue;
		}
		nodes_use(m, change->index, change->shape, change->cutoff, -1);
		reservation_take(m, &s->reservation, change->index, change->shape, -1);
		node_select_use(s, s->select.current_row, change->index, change->shape, -1);
		m->nodes.list[change->index].mark = 0;
	}
	s->placing.member_count = 0;
	displace_undone(s);
}

/* What an attempt reaches, and whom it displaces. */
struct outcome {
	uint32_t found;     /* members placed */
	uint32_t displaced; /* tasks */
	size_t place;       /* in the list: of the most protected victim */
};

static struct outcome outcome_of(const struct sched *s, uint32_t found)
{
	struct outcome o = {.found = found};

	for (size_t i = 0; i < s->placing.journal_count; i++) {
		const struct placing_change *change = &s->placing.journal[i];

		if (!change->victim)
			continue;
		o.displaced += running_gang_members(&s->gangs.list[change->index]);
		if (change->place > o.place)
			o.place = change->place;
	}
	return o;
}

/*
 * The better one displaces nobody; then places more members; then its most protected victim is less
 * protected; then it displaces fewer tasks.
 */
static bool is_better(const struct outcome *a, const struct outcome *b)
{
	if (!a->displaced != !b->displaced)
		return !a->displaced;
	if (a->found != b->found)
		return a->found > b->found;
	if (a->place != b->place)
		return a->place < b->place;
	return a->displaced < b->displaced;
}

static void make_ask(struct model *m, struct attempt *a, uint32_t part, struct node_index_ask *ret)
{
	const struct node_class_set *kinds = job_shape_classes(m, part);

	*ret = (struct node_index_ask){.request = job_shape_request(m, part),
				       .kinds = kinds->bits,
				       .kind_set = kinds->set,
				       .shape = &m->shapes.list[part]};
	if (!a->value)
		return;
	memset(a->set, 0, (m->node_classes.count + 63) / 64 * sizeof(*a->set));
	ret->kind_set = a->set;
	ret->kinds = 0;
	for (size_t i = 0; i < a->kinds; i++) {
		uint32_t kind = a->value[i].kind;

		if (!node_class_set_has(kinds, kind))
			continue;
		a->set[kind / 64] |= UINT64_C(1) << (kind % 64);
		ret->kinds |= UINT64_C(1) << (kind % 63);
	}
}

/*
 * Free nodes for the members of a part, each on a node of its own. A placement does not change the
 * order of the other nodes, so one walk through the index finds the same nodes as one search for
 * each member.
 */
static uint32_t seat_apart(struct sched *s, struct attempt *a, uint32_t part,
			   const struct node_index_ask *ask, uint32_t want, uint32_t at)
{
	struct node_index_cursor cursor = {0};
	uint32_t found = 0;

	for (; found < want; found++) {
		uint32_t node = node_select_next(s, part, ask, s->placing.mark, &cursor);

		if (node == NIL)
			break;
		seat(s, at + found, node);
	}
	for (uint32_t i = 0; i < found; i++)
		give(s, a, s->placing.members[at + i], part);
	return found;
}

/* A node for one member: a node with free room, or else one on which others are displaced. */
static uint32_t find_node(struct sched *s, struct attempt *a, uint32_t part,
			  const struct node_index_ask *ask)
{
	struct model *m = &s->model;
	uint32_t mark = m->shapes.list[a->shape].distinct ? s->placing.mark : NIL;
	struct node_index_cursor cursor = {0};
	uint32_t node = m->policies.select->score ? node_select_best(s, part, ask, mark)
						  : node_select_next(s, part, ask, mark, &cursor);
	uint32_t top = m->levels.of_class[m->shapes.list[part].class];
	bool apart = ask->shape->exclusive || ask->shape->exclusive_user;

	if (node != NIL || !a->displace || (apart && !m->levels.scavenging) ||
	    (!apart && !level_search(m, &s->reservation, top, ask, part, mark)))
		return node;
	return displace_find_node(s, part, ask, mark);
}

/* Nodes for up to `want` members of the part, from member `at` of the gang on; returns how many. */
static uint32_t seat_part(struct sched *s, struct attempt *a, uint32_t part, uint32_t want,
			  uint32_t at)
{
	struct model *m = &s->model;
	uint32_t found = 0;
	struct node_index_ask ask;

	if (!want)
		return 0;
	make_ask(m, a, part, &ask);
	/* A plugin that scores is called for each member. */
	if (m->shapes.list[a->shape].distinct && !m->policies.select->score)
		found = seat_apart(s, a, part, &ask, want, at);
	for (; found < want; found++) {
		uint32_t node = find_node(s, a, part, &ask);

		if (node == NIL)
			break;
		seat(s, at + found, node);
		give(s, a, node, part);
	}
	return found;
}

static bool enough(const struct model *m, uint32_t shape, uint32_t found)
{
	const struct job_shape *k = &m->shapes.list[shape];

	return found == k->members ||
	       (m->partial_gangs && k->min_members && found >= k->min_members);
}

/* Nodes for the minimum of each part that has one; false: some have none. ret_found: how many have one. */
static bool seat_minima(struct sched *s, struct attempt *a, uint32_t *ret_found)
{
	struct model *m = &s->model;
	uint32_t n, at = 0;
	const uint32_t *parts = job_shape_parts(m, &a->shape, &n);

	*ret_found = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t least = job_shape_part_least(m, a->shape, parts[i]);
		uint32_t got = seat_part(s, a, parts[i], least, at);

		*ret_found += got;
		if (got < least)
			return false;
		at += m->shapes.list[parts[i]].members;
	}
	return true;
}

/* Nodes for as many members as possible; returns how many. The changes stay. */
static uint32_t try_nodes(struct sched *s, struct attempt *a)
{
	struct model *m = &s->model;
	uint32_t n, found, at = 0;
	const uint32_t *parts = job_shape_parts(m, &a->shape, &n);

	s->placing.journal_count = s->placing.member_count = 0;
	s->placing.mark++;
	if (!seat_minima(s, a, &found)) /* these are fewer than the minimum of the gang */
		return found;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t least = job_shape_part_least(m, a->shape, parts[i]);
		uint32_t want = m->shapes.list[parts[i]].members - least;
		uint32_t got = seat_part(s, a, parts[i], want, at + least);

		found += got;
		if (got < want && !m->partial_gangs)
			break;
		at += least + want;
		add_members(s, at);
	}
	return found;
}

/* Is a node class with the value allowed for the gang? */
static bool any_will_do(struct model *m, const struct attempt *a)
{
	const struct node_class_set *kinds = job_shape_classes(m, a->shape);

	for (size_t i = 0; i < a->kinds; i++)
		if (m->shapes.list[a->shape].part_count ||
		    node_class_set_has(kinds, a->value[i].kind))
			return true;
	return false;
}

/* All members on nodes with one value of the label: the best one, of equal ones the first. */
static uint32_t try_values(struct sched *s, struct attempt *a)
{
	struct model *m = &s->model;
	const struct job_shape *k = &m->shapes.list[a->shape];
	const struct label_values *values = label_values_of(m, k->constraint->uniformity);
	CLEANUP_FREE uint64_t *set = xcalloc((m->node_classes.count + 63) / 64, sizeof(*set));
	struct attempt best = {.kinds = 0};
	struct outcome best_outcome = {0};
	uint32_t most = 0;

	a->set = set;
	for (size_t at = 0; at < values->count; at += a->kinds) {
		struct outcome o;

		a->value = &values->list[at];
		a->kinds = label_values_end(values, at) - at;
		if (!any_will_do(m, a))
			continue;
		o = outcome_of(s, try_nodes(s, a));
		if (o.found == k->members && !o.displaced)
			return o.found;
		place_undo(s);
		if (o.found > most)
			most = o.found;
		if (!enough(m, a->shape, o.found) || (best.kinds && !is_better(&o, &best_outcome)))
			continue;
		best = *a;
		best_outcome = o;
	}
	if (!best.kinds)
		return most;
	a->value = best.value;
	a->kinds = best.kinds;
	return try_nodes(s, a);
}

bool place_gang(struct sched *s, uint32_t shape, uint32_t *ret_found)
{
	struct model *m = &s->model;
	const struct constraint *c = m->shapes.list[shape].constraint;
	struct attempt a = {.shape = shape,
			    .displace = m->levels.count > 0 && !m->shapes.list[shape].scavenge &&
					!s->placing.free_only};

	m->work.gangs++;
	victim_list_take(s, shape);
	*ret_found = c && *c->uniformity ? try_values(s, &a) : try_nodes(s, &a);
	if (enough(m, shape, *ret_found))
		return true;
	place_undo(s);
	return false;
}

static bool part_fits(struct model *m, uint32_t shape, uint32_t node)
{
	const struct node *n = &m->nodes.list[node];

	if (!n->present || !n->schedulable || !tenants_admit(&n->tenants, &m->shapes.list[shape]))
		return false;
	return amounts_cover(nodes_free(m, node), job_shape_request(m, shape), m->dims) &&
	       node_class_set_has(job_shape_classes(m, shape), n->kind) &&
	       constraint_lists(m, m->shapes.list[shape].constraint, node);
}

bool place_fits(struct model *m, uint32_t shape, uint32_t node)
{
	uint32_t n;
	const uint32_t *parts = job_shape_parts(m, &shape, &n);

	for (uint32_t i = 0; i < n; i++)
		if (part_fits(m, parts[i], node))
			return true;
	return false;
}

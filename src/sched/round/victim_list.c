/*
 * The list of gangs that the gang in hand may displace: a merge of the queues' tails.
 *
 * Input: the running gangs of each row in running order, those that the round evicted, and those
 * that it started. Output: the list, as far as it is asked for.
 *
 * The running gangs of a row stand in the order of their classes, the least urgent class last. So a
 * row is read backwards, level by level. A level whose classes urgency may displace is read from
 * the running gangs themselves, any other one from the evicted gangs of the row. Gangs that the
 * round started, and gangs whose members differ in class, stand in a small list of their own (odd).
 * The cost of a queue up to an entry depends only on the queue, so the rows are merged with a heap.
 *
 * The first entry of each row is kept from gang to gang, and found again when the row has changed.
 *
 * Caveat: classes of equal priority of which urgency may displace only some are read one by one.
 */
#include "sched/round/victim_list.h"
#include "sched/round/queue_rows.h"
#include "sched/round/state.h"
#include "util/bisect.h"
#include "util/heap.h"

#include <string.h>

/* A row with further entries. */
struct victim_entry {
	double cost; /* of the queue up to and with its next entry, divided by its weight */
	uint32_t level, row;
};

/* Where a row stands, and its next entry. */
struct victim_cursor {
	uint32_t gang; /* NIL: no further entry */
	uint32_t level;
	uint32_t run, odd; /* the gangs before this index, of the level and of the odd ones, remain */
	size_t evicted;    /* the same for the evicted gangs of the row */
	bool is_odd;       /* the next entry is an odd one */
};

static uint32_t *bounds(struct sched *s, uint32_t row)
{
	return s->victims.bounds + (size_t)row * (s->model.levels.count + 1);
}

static uint32_t *tails(struct sched *s, uint32_t row)
{
	return s->victims.tails + (size_t)row * (s->model.levels.count + 1);
}

static uint32_t class_level(const struct sched *s, uint32_t gang)
{
	return s->model.levels.of_class[s->model.shapes.list[s->gangs.list[gang].shape].class];
}

static uint32_t top_of(const struct sched *s, uint32_t gang)
{
	return s->model.shapes.list[s->gangs.list[gang].shape].top;
}

static struct running_order line_of(const struct running_gang *a)
{
	return (struct running_order){.job = a->job,
				      .element = a->element,
				      .start_us = a->fresh ? INT64_MAX : a->start_us};
}

/* Less than 0: a is more protected than b, of the same row. */
static int compare(const struct sched *s, uint32_t a, uint32_t b)
{
	struct running_order x = line_of(&s->gangs.list[a]), y = line_of(&s->gangs.list[b]);

	if (top_of(s, a) != top_of(s, b))
		return top_of(s, a) > top_of(s, b) ? -1 : 1;
	return running_list_compare(&s->model, &x, &y);
}

static void add_odd(struct round *r, uint32_t gang)
{
	struct sched *s = r->s;
	struct victim_odd *o = &s->victims.odd[s->gangs.list[gang].row];
	uint32_t at;

	o->list = arena_grow(r->arena, o->list, &o->cap, o->count, sizeof(*o->list));
	at = o->count && compare(s, gang, o->list[o->count - 1]) < 0
		     ? BISECT(0, o->count, i, compare(s, o->list[i], gang) < 0)
		     : o->count;
	memmove(o->list + at + 1, o->list + at, (o->count - at) * sizeof(*o->list));
	o->list[at] = gang;
	o->count++;
}

static void begin_lists(struct round *r)
{
	struct sched *s = r->s;
	size_t n = r->view.count + 1, levels = s->model.levels.count + 1;

	s->victims.lists = arena_zalloc(r->arena, levels, sizeof(*s->victims.lists));
	s->victims.bounds = arena_zalloc(r->arena, n * levels, sizeof(*s->victims.bounds));
	s->victims.tails = arena_zalloc(r->arena, n * levels, sizeof(*s->victims.tails));
	s->victims.version = arena_zalloc(r->arena, n, sizeof(*s->victims.version));
	s->victims.odd = arena_zalloc(r->arena, n, sizeof(*s->victims.odd));
}

void victim_list_begin(struct round *r)
{
	struct sched *s = r->s;
	const struct model *m = r->m;

	s->victims.hand = 0;
	begin_lists(r);
	s->victims.held = arena_memdup(r->arena, r->allocated,
				       (r->view.count * m->dims + 1) * sizeof(*r->allocated));
	for (uint32_t i = 0; m->levels.mixed && i < s->gangs.running; i++)
		if (class_level(s, i) != top_of(s, i))
			add_odd(r, i);
}

void victim_list_take(struct sched *s, uint32_t shape)
{
	s->victims.hand++;
	s->victims.shape = shape;
	s->victims.row = s->select.current_row;
}

/* --- the entries of one row ---------------------------------------------------------------- */

/* The running gangs of level l are those from bounds[l] up to tails[l]. */
static void find_bounds(struct sched *s, uint32_t row)
{
	uint32_t from = s->victims.row_at[row], end = s->victims.row_at[row + 1];
	uint32_t *lower = bounds(s, row), *upper = tails(s, row);

	lower[0] = end;
	for (uint32_t l = 1; l <= s->model.levels.count; l++) {
		upper[l] = lower[l - 1];
		lower[l] = BISECT(from, lower[l - 1], i, class_level(s, i) > l);
	}
	upper[0] = 1; /* they are found */
}

bool victim_list_is_urgency(const struct model *m, const struct running_gang *a, uint32_t level)
{
	return m->policies.preempt_traits.urgency && m->shapes.list[a->shape].urgent &&
	       m->shapes.list[a->shape].top < level;
}

static bool is_spared(const struct sched *s, const struct running_gang *a, uint32_t level)
{
	const struct model *m = &s->model;
	const struct job_shape *hand = &m->shapes.list[s->victims.shape];
	int64_t sum[SCHED_RESOURCES];
	struct armada_displacement in = {
		.queue = a->row,
		.class_priority = priority_level_priority(m, m->shapes.list[a->shape].top),
		.start_us = a->fresh ? s->current->in->now_us : a->start_us,
		.request = sum,
		.for_queue = s->victims.row,
		.for_class_priority = priority_level_priority(m, hand->top),
		.urgency = victim_list_is_urgency(m, a, level)};

	if (!m->policies.preempt->spares)
		return false;
	running_gang_sum(m, a, sum);
	return m->policies.preempt->spares(m->policies.preempt_handle, &in);
}

/* Could a member at the level displace the gang when the gang in hand was taken? */
static bool is_entry(const struct sched *s, uint32_t gang, uint32_t level)
{
	const struct running_gang *a = &s->gangs.list[gang];
	enum gang_state state = a->state == GANG_OUT ? a->was : a->state;

	if (state == GANG_OUT)
		return false;
	if (!(state == GANG_EVICTED && top_of(s, gang) <= level) &&
	    !victim_list_is_urgency(&s->model, a, level))
		return false;
	return !is_spared(s, a, level);
}

/* May urgency displace gangs of a class at this level for a member at the other one? */
static bool is_urgent_level(const struct model *m, uint32_t level, uint32_t member_level)
{
	return level < member_level && m->policies.preempt_traits.urgency &&
	       m->levels.urgent_levels >> (level % 64) & 1;
}

/* The evicted gangs of the row that are at the cursor's level or below are passed. */
static void pass_evicted(struct round *r, uint32_t row, struct victim_cursor *c)
{
	size_t from = r->evicted ? r->evicted_at[row] : 0;

	if (c->evicted > from)
		c->evicted = BISECT(from, c->evicted, i,
				    class_level(r->s, r->evicted[i]) > c->level);
}

/* The next entry of the cursor's level that is not odd; NIL: none. The cursor stands behind it. */
static uint32_t next_of_level(struct round *r, uint32_t row, uint32_t level, struct victim_cursor *c)
{
	struct sched *s = r->s;
	bool mixed = s->model.levels.mixed;

	if (is_urgent_level(&s->model, c->level, level)) {
		for (; c->run > bounds(s, row)[c->level]; c->run--)
			if (!(mixed && class_level(s, c->run - 1) != top_of(s, c->run - 1)) &&
			    is_entry(s, c->run - 1, level))
				return c->run - 1;
		return NIL;
	}
	for (; r->evicted && c->evicted > r->evicted_at[row]; c->evicted--) {
		uint32_t gang = r->evicted[c->evicted - 1];

		if (class_level(s, gang) != c->level)
			return NIL;
		if (!(mixed && c->level != top_of(s, gang)) && is_entry(s, gang, level))
			return gang;
	}
	return NIL;
}

static uint32_t next_plain(struct round *r, uint32_t row, uint32_t level, struct victim_cursor *c)
{
	for (; c->level <= level; c->level++) {
		uint32_t gang = next_of_level(r, row, level, c);

		if (gang != NIL)
			return gang;
		pass_evicted(r, row, c);
		if (c->level < level)
			c->run = tails(r->s, row)[c->level + 1];
	}
	return NIL;
}

static uint32_t next_odd(const struct sched *s, uint32_t row, uint32_t level, struct victim_cursor *c)
{
	const struct victim_odd *o = &s->victims.odd[row];

	for (; c->odd; c->odd--)
		if (is_entry(s, o->list[c->odd - 1], level))
			return o->list[c->odd - 1];
	return NIL;
}

/* Find the next entry of the row; the cursor stands behind it. */
static void find_next(struct round *r, uint32_t row, uint32_t level, struct victim_cursor *c)
{
	uint32_t plain = next_plain(r, row, level, c), odd = next_odd(r->s, row, level, c);

	c->is_odd = plain == NIL || (odd != NIL && compare(r->s, odd, plain) > 0);
	c->gang = c->is_odd ? odd : plain;
}

/* Pass the entry that the cursor has found. */
static void step(const struct sched *s, uint32_t level, struct victim_cursor *c)
{
	if (c->is_odd)
		c->odd--;
	else if (is_urgent_level(&s->model, c->level, level))
		c->run--;
	else
		c->evicted--;
}

static void find_first(struct round *r, uint32_t row, uint32_t level, struct victim_cursor *ret)
{
	struct sched *s = r->s;

	if (!tails(s, row)[0])
		find_bounds(s, row);
	*ret = (struct victim_cursor){.level = 1,
				      .run = tails(s, row)[1],
				      .odd = s->victims.odd[row].count,
				      .evicted = r->evicted ? r->evicted_end[row] : 0};
	find_next(r, row, level, ret);
}

/* --- the merge of the rows ----------------------------------------------------------------- */

static bool entry_before(const struct victim_entry *a, const struct victim_entry *b)
{
	if (a->level != b->level)
		return a->level < b->level;
	if (a->cost != b->cost)
		return a->cost > b->cost;
	return a->row > b->row;
}

static void make_arrays(struct round *r, struct victim_list *l)
{
	size_t n = r->view.count + 1;

	l->first = arena_alloc(r->arena, n * sizeof(*l->first));
	l->first_version = arena_alloc(r->arena, n * sizeof(*l->first_version));
	memset(l->first_version, 0xff, n * sizeof(*l->first_version));
	l->heap = arena_alloc(r->arena, n * sizeof(*l->heap));
	l->at = arena_alloc(r->arena, n * sizeof(*l->at));
	l->at_hand = arena_zalloc(r->arena, n, sizeof(*l->at_hand));
	l->left = arena_alloc(r->arena, n * r->m->dims * sizeof(*l->left));
	l->costs = arena_alloc(r->arena, n * sizeof(*l->costs));
}

/* What the row has running, with the gang in hand if it is of this row. */
static void copy_held(struct sched *s, uint32_t row, int64_t *ret)
{
	const struct model *m = &s->model;
	const int64_t *held = s->victims.held + (size_t)row * m->dims;

	for (size_t d = 0; d < m->dims; d++)
		ret[d] = row == s->victims.row
				 ? amounts_add(held[d], job_shape_sum(m, s->victims.shape)[d])
				 : held[d];
}

static double cost_of(struct round *r, uint32_t row, const int64_t *amounts)
{
	return queue_rows_cost(r, amounts) / r->weights[row];
}

static void make_list(struct round *r, struct victim_list *l, uint32_t level)
{
	struct sched *s = r->s;
	bool spares = r->m->policies.preempt->spares;
	int64_t held[SCHED_RESOURCES];

	if (!l->first)
		make_arrays(r, l);
	l->hand = s->victims.hand;
	l->count = l->heap_count = 0;
	for (uint32_t row = 0; row < r->view.count; row++) {
		bool own = row == s->victims.row;

		if (own || l->first_version[row] != s->victims.version[row]) {
			find_first(r, row, level, &l->first[row]);
			copy_held(s, row, held);
			l->costs[row] = cost_of(r, row, held);
			l->first_version[row] = s->victims.version[row] - (own || spares);
		}
		if (l->first[row].gang == NIL)
			continue;
		l->heap[l->heap_count++] = (struct victim_entry){
			.cost = l->costs[row], .level = top_of(s, l->first[row].gang), .row = row};
	}
	for (size_t i = l->heap_count / 2; i-- > 0;)
		HEAP_SINK(l->heap, l->heap_count, i, entry_before(x, y));
}

/* Add the first entry of the heap to the list. */
static void list_next(struct round *r, struct victim_list *l, uint32_t level)
{
	struct sched *s = r->s;
	uint32_t row = l->heap[0].row;
	struct victim_cursor *c = &l->at[row];
	int64_t *left = l->left + (size_t)row * r->m->dims, sum[SCHED_RESOURCES];

	if (l->at_hand[row] != l->hand) {
		l->at_hand[row] = l->hand;
		*c = l->first[row];
		copy_held(s, row, left);
	}
	l->gangs = arena_grow(r->arena, l->gangs, &l->cap, l->count, sizeof(*l->gangs));
	l->gangs[l->count++] = c->gang;
	running_gang_sum(r->m, &s->gangs.list[c->gang], sum);
	amounts_change(left, sum, -1, r->m->dims);
	step(s, level, c);
	find_next(r, row, level, c);
	if (c->gang == NIL)
		l->heap[0] = l->heap[--l->heap_count];
	else
		l->heap[0] = (struct victim_entry){
			.cost = cost_of(r, row, left), .level = top_of(s, c->gang), .row = row};
	HEAP_SINK(l->heap, l->heap_count, 0, entry_before(x, y));
}

uint32_t victim_list_at(struct sched *s, uint32_t level, size_t place)
{
	struct victim_list *l = &s->victims.lists[level];

	if (l->hand != s->victims.hand)
		make_list(s->current, l, level);
	while (place >= l->count && l->heap_count)
		list_next(s->current, l, level);
	return place < l->count ? l->gangs[place] : NIL;
}

/* --- changes ------------------------------------------------------------------------------- */

void victim_list_add(struct round *r, uint32_t gang)
{
	struct sched *s = r->s;
	const struct running_gang *a = &s->gangs.list[gang];
	int64_t sum[SCHED_RESOURCES];

	running_gang_sum(r->m, a, sum);
	amounts_change(s->victims.held + (size_t)a->row * r->m->dims, sum, 1, r->m->dims);
	s->victims.version[a->row]++;
	if (victim_list_is_urgency(r->m, a, r->m->levels.count))
		add_odd(r, gang);
}

void victim_list_put_back(struct round *r, uint32_t gang)
{
	struct sched *s = r->s;
	uint32_t row = s->gangs.list[gang].row;

	for (uint32_t l = 1; l <= r->m->levels.count; l++)
		if (s->victims.lists[l].first && s->victims.lists[l].first[row].gang == gang)
			s->victims.lists[l].first_version[row] = s->victims.version[row] - 1;
}

void victim_list_lose(struct round *r, uint32_t gang)
{
	struct sched *s = r->s;
	const struct running_gang *a = &s->gangs.list[gang];
	uint32_t *tail = tails(s, a->row) + class_level(s, gang),
		 *lower = bounds(s, a->row) + class_level(s, gang);
	int64_t sum[SCHED_RESOURCES];

	running_gang_sum(r->m, a, sum);
	amounts_change(s->victims.held + (size_t)a->row * r->m->dims, sum, -1, r->m->dims);
	s->victims.version[a->row]++;
	while (*tail > *lower && s->gangs.list[*tail - 1].state == GANG_OUT)
		--*tail;
	while (r->evicted && r->evicted_end[a->row] > r->evicted_at[a->row] &&
	       s->gangs.list[r->evicted[r->evicted_end[a->row] - 1]].state == GANG_OUT)
		r->evicted_end[a->row]--;
}

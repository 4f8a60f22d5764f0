/*
 * The list of gangs that the gang in hand may displace: a merge of the queues' tails.
 *
 * Input: the running gangs of each row in running order, those that the round evicted, and those
 * that it started. Output: the list, as far as it is asked for.
 *
 * The running gangs of a row stand in the order of their classes, the least urgent class last. So a
 * row is read backwards, level by level. A level whose classes urgency may displace is read from
 * the running gangs themselves, any other one from the evicted gangs of the row. Gangs that the
 * round started, gangs whose members differ in class, and extra tasks of running jobs stand in a list of
 * their own (odd). Extra tasks come first, whatever their class and queue.
 *
 * The cost of a queue up to an entry depends only on the queue, so the rows are merged with a heap.
 * This merge is kept from gang to gang, as far as it was needed. A row that has changed since then
 * leaves it, and so does, for one gang in hand, the row of that gang: these rows are merged with the
 * kept entries of the others, each time anew. When too many rows have changed, all are merged again.
 *
 * Caveat: classes of equal priority of which urgency may displace only some are read one by one.
 */
#include "sched/round/victim_list.h"
#include "sched/round/queue_rows.h"
#include "sched/round/state.h"
#include "util/bisect.h"
#include "util/heap.h"

#include <string.h>

enum { CHANGED_ROWS = 64 }; /* rows that are merged anew for each gang in hand, at most */

/* Where a row stands, and its next entry. */
struct victim_cursor {
	uint32_t gang; /* NIL: no further entry */
	uint32_t level;
	uint32_t run,
		odd;    /* the gangs before this index, of the level and of the odd ones, remain */
	size_t evicted; /* the same for the evicted gangs of the row */
	bool is_odd;    /* the next entry is an odd one */
	bool of_hand;   /* the tasks that the gang in hand spares are no entries */
};

/* The place of an entry in the order of all rows. */
struct victim_key {
	double cost; /* of the queue up to and with the entry, divided by its weight */
	uint32_t level, row;
	bool extra; /* an extra task of a running job: it comes first */
};

/* A row that is merged: its next entry, and what it holds less the entries before. */
struct victim_row {
	struct victim_cursor cursor;
	int64_t left[SCHED_RESOURCES];
};

/* An entry of the kept merge. */
struct victim_kept {
	struct victim_key key;
	struct victim victim;
};

/* All that is known of the list for members at one level. */
struct victim_source {
	uint32_t level;
	/* The merge of the rows that have not changed. */
	bool made;
	struct victim_kept *kept;
	size_t kept_count, kept_cap;
	struct victim_row *rows;
	struct victim_key *heap;
	size_t heap_count;
	bool *changed; /* by row */
	uint32_t changed_rows[CHANGED_ROWS + 1];
	size_t changed_count;
	/* The list for the gang in hand, as far as it is made: kept entries, and those of `own`. */
	uint32_t hand;
	struct victim *list;
	size_t count, cap, next_kept;
	struct victim_row own[CHANGED_ROWS + 1 + DISPLACED_CHAIN];
	struct victim_own {
		struct victim_key key;
		uint32_t at; /* in own */
	} own_heap[CHANGED_ROWS + 1 + DISPLACED_CHAIN];
	size_t own_count;
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

static bool is_extra(const struct sched *s, uint32_t gang)
{
	return s->model.jobs.list[s->gangs.list[gang].job].turn > 0;
}

/* Does the gang stand in the list of odd ones? Its members differ in class, or it is an extra task. */
static bool is_odd(const struct sched *s, uint32_t gang)
{
	return (s->model.levels.mixed && class_level(s, gang) != top_of(s, gang)) ||
	       (s->model.jobs.extras && is_extra(s, gang));
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

	if (is_extra(s, a) != is_extra(s, b))
		return is_extra(s, b) ? -1 : 1;
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

	s->victims.sources = arena_zalloc(r->arena, levels, sizeof(*s->victims.sources));
	s->victims.bounds = arena_zalloc(r->arena, n * levels, sizeof(*s->victims.bounds));
	s->victims.tails = arena_zalloc(r->arena, n * levels, sizeof(*s->victims.tails));
	s->victims.odd = arena_zalloc(r->arena, n, sizeof(*s->victims.odd));
}

void victim_list_begin(struct round *r)
{
	struct sched *s = r->s;
	const struct model *m = r->m;

	begin_lists(r);
	s->victims.held = arena_memdup(r->arena, r->allocated,
				       (r->view.count * m->dims + 1) * sizeof(*r->allocated));
	for (uint32_t i = 0; (m->levels.mixed || m->jobs.extras) && i < s->gangs.running; i++)
		if (is_odd(s, i))
			add_odd(r, i);
}

void victim_list_hand(struct sched *s, uint64_t job, uint32_t element, bool spares_all)
{
	const struct model *m = &s->model;
	uint32_t tasks[DISPLACED_CHAIN];

	s->victims.exempt_count = spares_all ? 0 : displaced_chain(m, job, element, tasks);
	for (size_t i = 0; i < s->victims.exempt_count; i++) {
		const struct subqueue *q = &m->subqueues.list[m->tasks.list[tasks[i]].subqueue];

		s->victims.exempt[i] =
			(struct victim_exempt){tasks[i], m->queues.list[q->queue].row};
	}
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
	const struct job_shape *k = &m->shapes.list[a->shape];

	return k->scavenge || (m->policies.preempt_traits.urgency && k->urgent && k->top < level);
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

	if (!m->policies.preempt->spares || m->shapes.list[a->shape].scavenge)
		return false;
	running_gang_sum(m, a, sum);
	return m->policies.preempt->spares(m->policies.preempt_handle, &in);
}

static bool is_exempt(const struct sched *s, uint32_t task)
{
	for (size_t i = 0; i < s->victims.exempt_count; i++)
		if (s->victims.exempt[i].task == task)
			return true;
	return false;
}

/* Could a member at the level displace the gang when the gang in hand was taken? */
static bool is_entry(const struct sched *s, uint32_t gang, uint32_t level, bool of_hand)
{
	const struct running_gang *a = &s->gangs.list[gang];
	enum gang_state state = a->state == GANG_OUT ? a->was : a->state;

	if (state == GANG_OUT)
		return false;
	if (!victim_list_is_urgency(&s->model, a, level)) {
		if (state != GANG_EVICTED || top_of(s, gang) > level)
			return false;
		if (of_hand && is_exempt(s, a->task))
			return false;
	}
	return !is_spared(s, a, level);
}

/* May urgency displace gangs of a class at this level for a member at the other one? */
static bool is_urgent_level(const struct model *m, uint32_t level, uint32_t member_level)
{
	if (m->levels.scavenging && level == 1)
		return true;
	return level < member_level && m->policies.preempt_traits.urgency &&
	       m->levels.urgent_levels >> (level % 64) & 1;
}

/* The evicted gangs of the row that are at the cursor's level or below are passed. */
static void pass_evicted(struct round *r, uint32_t row, struct victim_cursor *c)
{
	size_t from = r->evicted ? r->evicted_at[row] : 0;

	if (c->evicted > from)
		c->evicted =
			BISECT(from, c->evicted, i, class_level(r->s, r->evicted[i]) > c->level);
}

/* The next entry of the cursor's level that is not odd; NIL: none. The cursor stands behind it. */
static uint32_t next_of_level(struct round *r, uint32_t row, uint32_t level,
			      struct victim_cursor *c)
{
	struct sched *s = r->s;
	bool odd = s->model.levels.mixed || s->model.jobs.extras;

	if (is_urgent_level(&s->model, c->level, level)) {
		for (; c->run > bounds(s, row)[c->level]; c->run--)
			if (!(odd && is_odd(s, c->run - 1)) &&
			    is_entry(s, c->run - 1, level, c->of_hand))
				return c->run - 1;
		return NIL;
	}
	for (; r->evicted && c->evicted > r->evicted_at[row]; c->evicted--) {
		uint32_t gang = r->evicted[c->evicted - 1];

		if (class_level(s, gang) != c->level)
			return NIL;
		if (!(odd && is_odd(s, gang)) && is_entry(s, gang, level, c->of_hand))
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

static uint32_t next_odd(const struct sched *s, uint32_t row, uint32_t level,
			 struct victim_cursor *c)
{
	const struct victim_odd *o = &s->victims.odd[row];

	for (; c->odd; c->odd--)
		if (is_entry(s, o->list[c->odd - 1], level, c->of_hand))
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

static void find_first(struct round *r, uint32_t row, uint32_t level, bool of_hand,
		       struct victim_cursor *ret)
{
	struct sched *s = r->s;

	if (!tails(s, row)[0])
		find_bounds(s, row);
	*ret = (struct victim_cursor){.level = 1,
				      .of_hand = of_hand,
				      .run = tails(s, row)[1],
				      .odd = s->victims.odd[row].count,
				      .evicted = r->evicted ? r->evicted_end[row] : 0};
	find_next(r, row, level, ret);
}

/* --- the merge of the rows ----------------------------------------------------------------- */

static bool key_before(const struct victim_key *a, const struct victim_key *b)
{
	if (a->extra != b->extra)
		return a->extra;
	if (a->level != b->level)
		return a->level < b->level;
	if (a->cost != b->cost)
		return a->cost > b->cost;
	return a->row > b->row;
}

static struct victim_key key_of(struct round *r, uint32_t row, const struct victim_row *from)
{
	return (struct victim_key){.cost = queue_rows_cost(r, from->left) / r->weights[row],
				   .level = top_of(r->s, from->cursor.gang),
				   .row = row,
				   .extra = is_extra(r->s, from->cursor.gang)};
}

static struct victim victim_of(const struct sched *s, uint32_t gang)
{
	const struct running_gang *a = &s->gangs.list[gang];

	return (struct victim){gang, a->count == 1 ? a->one : VICTIM_SEVERAL};
}

/* Stand at the first entry of the row; false: it has none. */
static bool begin_row(struct round *r, const struct victim_source *l, uint32_t row, bool of_hand,
		      struct victim_row *ret)
{
	memcpy(ret->left, r->s->victims.held + (size_t)row * r->m->dims,
	       r->m->dims * sizeof(*ret->left));
	find_first(r, row, l->level, of_hand, &ret->cursor);
	return ret->cursor.gang != NIL;
}

/* Move to the next entry of the row; false: there is none. */
static bool advance_row(struct round *r, const struct victim_source *l, uint32_t row,
			struct victim_row *at)
{
	int64_t sum[SCHED_RESOURCES];

	running_gang_sum(r->m, &r->s->gangs.list[at->cursor.gang], sum);
	amounts_change(at->left, sum, -1, r->m->dims);
	step(r->s, l->level, &at->cursor);
	find_next(r, row, l->level, &at->cursor);
	return at->cursor.gang != NIL;
}

static struct victim_source *make_source(struct round *r, uint32_t level)
{
	struct victim_source *l = arena_zalloc(r->arena, 1, sizeof(*l));
	size_t n = r->view.count + 1;

	l->level = level;
	l->rows = arena_alloc(r->arena, n * sizeof(*l->rows));
	l->heap = arena_alloc(r->arena, n * sizeof(*l->heap));
	l->changed = arena_alloc(r->arena, n * sizeof(*l->changed));
	return l;
}

static void sink_row(struct victim_source *l, size_t at)
{
	HEAP_SINK(l->heap, l->heap_count, at, key_before(x, y));
}

/* Begin the merge of all rows anew. */
static void merge_again(struct round *r, struct victim_source *l)
{
	l->made = true;
	l->kept_count = l->heap_count = l->changed_count = 0;
	memset(l->changed, 0, r->view.count * sizeof(*l->changed));
	for (uint32_t row = 0; row < r->view.count; row++)
		if (begin_row(r, l, row, false, &l->rows[row]))
			l->heap[l->heap_count++] = key_of(r, row, &l->rows[row]);
	for (size_t i = l->heap_count / 2; i-- > 0;)
		sink_row(l, i);
}

/* Add an entry to the kept merge; false: there is none. */
static bool keep_next(struct round *r, struct victim_source *l)
{
	uint32_t row;

	while (l->heap_count && l->changed[l->heap[0].row]) {
		l->heap[0] = l->heap[--l->heap_count];
		sink_row(l, 0);
	}
	if (!l->heap_count)
		return false;
	row = l->heap[0].row;
	l->kept = arena_grow(r->arena, l->kept, &l->kept_cap, l->kept_count, sizeof(*l->kept));
	l->kept[l->kept_count++] = (struct victim_kept){
		.key = l->heap[0], .victim = victim_of(r->s, l->rows[row].cursor.gang)};
	if (advance_row(r, l, row, &l->rows[row]))
		l->heap[0] = key_of(r, row, &l->rows[row]);
	else
		l->heap[0] = l->heap[--l->heap_count];
	sink_row(l, 0);
	return true;
}

static void sink_own(struct victim_source *l, size_t at)
{
	HEAP_SINK(l->own_heap, l->own_count, at, key_before(&x->key, &y->key));
}

/* A row is merged anew for the gang in hand. */
static void add_own(struct round *r, struct victim_source *l, uint32_t row)
{
	const struct model *m = r->m;
	struct victim_row *own = &l->own[l->own_count];

	if (!begin_row(r, l, row, true, own))
		return;
	for (size_t d = 0; row == r->s->victims.row && d < m->dims; d++)
		own->left[d] = amounts_add(own->left[d], job_shape_sum(m, r->s->victims.shape)[d]);
	l->own_heap[l->own_count] =
		(struct victim_own){key_of(r, row, own), (uint32_t)l->own_count};
	l->own_count++;
}

/* Is the row merged anew for the gang in hand, though it has not changed? */
static bool is_of_hand(const struct sched *s, uint32_t row)
{
	for (size_t i = 0; i < s->victims.exempt_count; i++)
		if (s->victims.exempt[i].row == row)
			return true;
	return row == s->victims.row;
}

/* Is it the first exempt task of its row, and the row not that of the gang in hand? */
static bool is_first_of_row(const struct victims *v, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (v->exempt[i].row == v->exempt[at].row)
			return false;
	return v->exempt[at].row != v->row;
}

static void begin_list(struct round *r, struct victim_source *l)
{
	const struct victims *v = &r->s->victims;

	if (!l->made || l->changed_count > CHANGED_ROWS || r->m->policies.preempt->spares)
		merge_again(r, l);
	l->hand = v->hand;
	l->count = l->next_kept = l->own_count = 0;
	for (size_t i = 0; i < l->changed_count; i++)
		add_own(r, l, l->changed_rows[i]);
	if (!l->changed[v->row])
		add_own(r, l, v->row);
	for (size_t i = 0; i < v->exempt_count; i++)
		if (is_first_of_row(v, i) && !l->changed[v->exempt[i].row])
			add_own(r, l, v->exempt[i].row);
	for (size_t i = l->own_count / 2; i-- > 0;)
		sink_own(l, i);
}

/* The next kept entry for the gang in hand; NULL: none. */
static const struct victim_kept *next_kept(struct round *r, struct victim_source *l)
{
	for (;; l->next_kept++) {
		uint32_t row;

		if (l->next_kept == l->kept_count && !keep_next(r, l))
			return NULL;
		row = l->kept[l->next_kept].key.row;
		if (!is_of_hand(r->s, row) && !l->changed[row])
			return &l->kept[l->next_kept];
	}
}

static void list_victim(struct round *r, struct victim_source *l, struct victim victim)
{
	l->list = arena_grow(r->arena, l->list, &l->cap, l->count, sizeof(*l->list));
	l->list[l->count++] = victim;
}

/* Add the next gang to the list; false: there is none. */
static bool list_next(struct round *r, struct victim_source *l)
{
	const struct victim_kept *kept = next_kept(r, l);
	struct victim_own *top = &l->own_heap[0];
	struct victim_row *own;
	uint32_t row;

	if (kept && (!l->own_count || key_before(&kept->key, &top->key))) {
		list_victim(r, l, kept->victim);
		l->next_kept++;
		return true;
	}
	if (!l->own_count)
		return false;
	own = &l->own[top->at];
	row = top->key.row;
	list_victim(r, l, victim_of(r->s, own->cursor.gang));
	if (advance_row(r, l, row, own))
		top->key = key_of(r, row, own);
	else
		*top = l->own_heap[--l->own_count];
	sink_own(l, 0);
	return true;
}

const struct victim *victim_list_at(struct sched *s, uint32_t level, size_t place)
{
	struct victim_source *l = s->victims.sources[level];

	if (!l)
		l = s->victims.sources[level] = make_source(s->current, level);
	if (l->hand != s->victims.hand)
		begin_list(s->current, l);
	while (place >= l->count)
		if (!list_next(s->current, l))
			return NULL;
	return &l->list[place];
}

/* --- changes ------------------------------------------------------------------------------- */

static void change_row(struct victim_source *l, uint32_t row)
{
	if (!l->made || l->changed[row] || l->changed_count > CHANGED_ROWS)
		return;
	l->changed[row] = true;
	l->changed_rows[l->changed_count++] = row;
}

static void change_held(struct round *r, const struct running_gang *a, int sign)
{
	struct sched *s = r->s;
	int64_t sum[SCHED_RESOURCES];

	running_gang_sum(r->m, a, sum);
	amounts_change(s->victims.held + (size_t)a->row * r->m->dims, sum, sign, r->m->dims);
	for (uint32_t l = 1; l <= r->m->levels.count; l++)
		if (s->victims.sources[l])
			change_row(s->victims.sources[l], a->row);
}

void victim_list_add(struct round *r, uint32_t gang)
{
	const struct running_gang *a = &r->s->gangs.list[gang];

	change_held(r, a, 1);
	if (victim_list_is_urgency(r->m, a, r->m->levels.count))
		add_odd(r, gang);
}

/* Has the kept merge come to the evicted gang at the head of its row, or may it have? */
static bool has_reached(const struct round *r, const struct victim_source *l, uint32_t gang)
{
	uint32_t row = r->s->gangs.list[gang].row, level = class_level(r->s, gang);
	const struct victim_cursor *c = &l->rows[row].cursor;

	return is_odd(r->s, gang) || c->gang == gang || c->gang == NIL || c->level > level ||
	       (c->level == level && c->evicted <= r->evicted_at[row] + 1);
}

void victim_list_put_back(struct round *r, uint32_t gang)
{
	struct sched *s = r->s;

	for (uint32_t i = 1; i <= r->m->levels.count; i++) {
		struct victim_source *l = s->victims.sources[i];

		if (l && l->made && !victim_list_is_urgency(r->m, &s->gangs.list[gang], i) &&
		    has_reached(r, l, gang))
			change_row(l, s->gangs.list[gang].row);
	}
}

void victim_list_lose(struct round *r, uint32_t gang)
{
	struct sched *s = r->s;
	const struct running_gang *a = &s->gangs.list[gang];
	uint32_t *tail = tails(s, a->row) + class_level(s, gang),
		 *lower = bounds(s, a->row) + class_level(s, gang);

	change_held(r, a, -1);
	while (*tail > *lower && s->gangs.list[*tail - 1].state == GANG_OUT)
		--*tail;
	while (r->evicted && r->evicted_end[a->row] > r->evicted_at[a->row] &&
	       s->gangs.list[r->evicted[r->evicted_end[a->row] - 1]].state == GANG_OUT)
		r->evicted_end[a->row]--;
}

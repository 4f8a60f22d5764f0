#include "sched/round.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * When would a gang start at the latest, and where? Each node is followed through the ends of what
 * runs on it, as far as it can still matter. Of a gang whose members are alike the start is the
 * time at which the last one finds room: the ones that find it first are kept in a heap. Where they
 * are not, each part gives a bound, and from there on placing them is tried.
 */

#define NOW INT64_MIN /* before all ends: what there is room for already */

struct value {
	const char *text; /* of the uniformity label; NULL: no matter */
	struct slot {
		int64_t at_us;
		uint64_t members;
	} * heap; /* the latest on top */
	size_t count, cap;
	uint64_t members;
};

struct search {
	struct sched *s;
	struct arena *arena;
	uint32_t key, level;
	bool idle, distinct; /* a whole node for each; a node for each */
	struct value *values;
	uint32_t value_count;
	uint32_t *value_of; /* kinds; NIL: none. NULL: there is only one */
	uint8_t *absent;    /* tasks: enum actor_state. NULL: all are bound */
	struct end *fresh;  /* by node, and in it by time */
	uint32_t *fresh_from;
};

/* One node through time. */
struct course {
	int64_t room[SCHED_RESOURCES];
	uint32_t tasks, exclusive;
	const struct end *a, *a_end, *b, *b_end;
	uint32_t node, level;
};

static bool counts(const struct search *q, const struct course *c, const struct end *e)
{
	struct sched *s = q->s;
	uint8_t state = q->absent && e->task != NIL ? q->absent[e->task] : ACTOR_BOUND;

	if (!c->level)
		return state != ACTOR_OUT;
	return state == ACTOR_BOUND &&
	       (e->firm || s->class_level[s->keys[e->part].class] >= c->level);
}

static void course_begin(const struct search *q, uint32_t node, struct course *c)
{
	struct sched *s = q->s;
	const struct node *n = &s->nodes[node];
	const struct ends *e = &s->ends[node];

	*c = (struct course){.tasks = n->tasks,
			     .exclusive = n->exclusive,
			     .a = e->list,
			     .a_end = e->list + e->count,
			     .node = node,
			     .level = n->over ? 0 : q->level};
	if (q->fresh) {
		c->b = q->fresh + q->fresh_from[node];
		c->b_end = q->fresh + q->fresh_from[node + 1];
	}
	memcpy(c->room, c->level ? node_level(s, node, c->level) : node_free(s, node),
	       s->dims * sizeof(*c->room));
}

/* The next end; false: no more. */
static bool course_peek(const struct course *c, int64_t *ret_at_us)
{
	if (c->a == c->a_end && c->b == c->b_end)
		return false;
	if (c->a == c->a_end || (c->b != c->b_end && c->b->at_us < c->a->at_us))
		*ret_at_us = c->b->at_us;
	else
		*ret_at_us = c->a->at_us;
	return true;
}

static void course_step(const struct search *q, struct course *c)
{
	const struct end *e = c->a == c->a_end || (c->b != c->b_end && c->b->at_us < c->a->at_us)
				      ? c->b++
				      : c->a++;
	const int64_t *request = key_request(q->s, e->part);

	if (q->absent && e->task != NIL && q->absent[e->task] == ACTOR_OUT)
		return;
	c->tasks--;
	c->exclusive -= q->s->keys[e->part].exclusive;
	for (size_t d = 0; counts(q, c, e) && d < q->s->dims; d++)
		c->room[d] += request[d];
}

/* Members of the part that the room is enough for, up to so many. */
static uint64_t holds(const struct sched *s, const int64_t *room, uint32_t part, uint64_t most)
{
	const int64_t *request = key_request(s, part);

	for (size_t d = 0; d < s->dims; d++) {
		if (room[d] < request[d])
			return 0;
		if (most > 1 && request[d] > 0 && (uint64_t)(room[d] / request[d]) < most)
			most = (uint64_t)(room[d] / request[d]);
	}
	return most;
}

static uint64_t course_holds(const struct search *q, const struct course *c, uint32_t part,
			     uint64_t most)
{
	if (c->exclusive || (q->idle && c->tasks))
		return 0;
	return holds(q->s, c->room, part, q->idle || q->distinct ? 1 : most);
}

/* Which value the node stands for; NIL: members of the part may not be there. */
static uint32_t value_at(const struct search *q, uint32_t part, uint32_t node)
{
	struct sched *s = q->s;
	const struct node *n = &s->nodes[node];

	if (!n->present || !n->schedulable || !kinds_take(key_kinds(s, part), n->kind) ||
	    !constraint_lists(s, s->keys[part].constraint, node))
		return NIL;
	return q->value_of ? q->value_of[n->kind] : 0;
}

/* The earliest times at which there is room for so many members. */

static void sift_up(struct slot *h, size_t at)
{
	for (; at && h[(at - 1) / 2].at_us < h[at].at_us; at = (at - 1) / 2) {
		struct slot t = h[at];

		h[at] = h[(at - 1) / 2];
		h[(at - 1) / 2] = t;
	}
}

static void sift_down(struct slot *h, size_t count)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
		struct slot t = h[at];

		child += child + 1 < count && h[child + 1].at_us > h[child].at_us;
		if (h[child].at_us <= t.at_us)
			return;
		h[at] = h[child];
		h[child] = t;
	}
}

static void add_times(struct value *v, int64_t at_us, uint64_t members, uint64_t want)
{
	GROW(v->heap, v->cap, v->count + 1);
	v->heap[v->count] = (struct slot){at_us, members};
	sift_up(v->heap, v->count++);
	v->members += members;
	while (v->members - v->heap[0].members >= want) {
		v->members -= v->heap[0].members;
		v->heap[0] = v->heap[--v->count];
		sift_down(v->heap, v->count);
	}
}

/* Later than this is of no use. */
static int64_t latest(const struct value *v, uint64_t want)
{
	return v->members >= want ? v->heap[0].at_us : INT64_MAX;
}

static void follow(const struct search *q, uint32_t node, uint32_t part, uint64_t want)
{
	uint32_t value = value_at(q, part, node);
	struct value *v = &q->values[value == NIL ? 0 : value];
	struct course c;
	uint64_t had = 0, has;
	int64_t at_us = NOW;

	if (value == NIL || !holds(q->s, node_total(q->s, node), part, 1))
		return;
	course_begin(q, node, &c);
	for (;;) {
		q->s->work.probes++;
		has = course_holds(q, &c, part, want);
		if (has > had)
			add_times(v, at_us, has - had, want);
		had = has > had ? has : had;
		if (!course_peek(&c, &at_us) || at_us >= latest(v, want))
			return;
		course_step(q, &c);
	}
}

/* For each value: from when on is there room for so many members of the part? */
static void find_times(const struct search *q, uint32_t part, uint64_t want)
{
	for (uint32_t i = 0; i < q->value_count; i++)
		q->values[i].count = q->values[i].members = 0;
	for (uint32_t node = 0; want && node < q->s->node_count; node++)
		follow(q, node, part, want);
}

/* Where the members would be at that time. */

struct plan {
	int64_t *room;  /* of nodes; what is left */
	uint32_t *uses; /* of nodes: members */
	bool *usable;
	uint32_t *heap;
	size_t count;
};

/* May members of the gang be on this node, if it has the value? */
static bool candidate(const struct search *q, uint32_t value, uint32_t node)
{
	uint32_t n;
	const uint32_t *parts = key_parts(q->s, &q->key, &n);

	for (uint32_t i = 0; i < n; i++)
		if (value_at(q, parts[i], node) == value &&
		    holds(q->s, node_total(q->s, node), parts[i], 1))
			return true;
	return false;
}

static void plan_begin(const struct search *q, uint32_t value, int64_t at_us, struct plan *p)
{
	struct sched *s = q->s;

	memset(p->uses, 0, s->node_count * sizeof(*p->uses));
	for (uint32_t node = 0; node < s->node_count; node++) {
		struct course c;
		int64_t next;

		p->usable[node] = candidate(q, value, node);
		if (!p->usable[node])
			continue;
		course_begin(q, node, &c);
		while (course_peek(&c, &next) && next <= at_us)
			course_step(q, &c);
		p->usable[node] = !c.exclusive && !(q->idle && c.tasks);
		memcpy(p->room + node * s->dims, c.room, s->dims * sizeof(*p->room));
	}
}

static bool sooner(const struct sched *s, const struct plan *p, uint32_t a, uint32_t b)
{
	const int64_t *x = p->room + a * s->dims, *y = p->room + b * s->dims;

	for (size_t i = 0; i < s->dims; i++) {
		uint32_t r = s->sequence[i];

		if (x[r] != y[r])
			return x[r] < y[r];
	}
	return s->nodes[a].order < s->nodes[b].order;
}

static void plan_sink(const struct sched *s, struct plan *p, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < p->count; at = child) {
		uint32_t t = p->heap[at];

		child += child + 1 < p->count && sooner(s, p, p->heap[child + 1], p->heap[child]);
		if (!sooner(s, p, p->heap[child], t))
			return;
		p->heap[at] = p->heap[child];
		p->heap[child] = t;
	}
}

/* Nodes for so many members of the part, least room first; for how many there are. */
static uint64_t plan_part(const struct search *q, uint32_t value, uint32_t part, uint64_t want,
			  struct plan *p)
{
	struct sched *s = q->s;
	const int64_t *request = key_request(s, part);
	uint64_t found = 0;

	p->count = 0;
	for (uint32_t i = 0; i < s->node_count; i++)
		if (p->usable[i] && !((q->distinct || q->idle) && p->uses[i]) &&
		    holds(s, p->room + i * s->dims, part, 1) && value_at(q, part, i) == value)
			p->heap[p->count++] = i;
	for (size_t i = p->count / 2; i-- > 0;)
		plan_sink(s, p, i);
	while (p->count && found < want) {
		uint32_t node = p->heap[0];
		int64_t *room = p->room + node * s->dims;
		uint64_t n = holds(s, room, part, q->distinct || q->idle ? 1 : want - found);

		for (size_t d = 0; d < s->dims; d++)
			room[d] -= (int64_t)n * request[d];
		p->uses[node] += (uint32_t)n;
		found += n;
		p->heap[0] = p->heap[--p->count];
		plan_sink(s, p, 0);
	}
	return found;
}

/* How many members have to start at least. */
static uint64_t needed(const struct sched *s, uint32_t key)
{
	const struct key *k = &s->keys[key];

	return s->partial_gangs && k->min_members ? k->min_members : k->members;
}

static bool plan_all(const struct search *q, uint32_t value, int64_t at_us, struct plan *p)
{
	struct sched *s = q->s;
	uint64_t left = needed(s, q->key);
	uint32_t n;
	const uint32_t *parts = key_parts(s, &q->key, &n);

	plan_begin(q, value, at_us, p);
	for (uint32_t i = 0; i < n && left; i++) {
		uint64_t want = s->keys[parts[i]].members;

		left -= plan_part(q, value, parts[i], want < left ? want : left, p);
	}
	return !left;
}

/* Gangs whose members are not alike. */

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* All times from this one on at which something ends. */
static int64_t *list_times(const struct search *q, int64_t from_us, size_t *ret_count)
{
	struct sched *s = q->s;
	int64_t *t = arena_alloc(q->arena, (s->foreseen + s->fresh_count + 1) * sizeof(*t));
	size_t n = 0, kept = 0;

	for (uint32_t i = 0; i < s->node_count; i++)
		for (uint32_t e = 0; e < s->ends[i].count; e++)
			if (s->ends[i].list[e].at_us >= from_us)
				t[n++] = s->ends[i].list[e].at_us;
	for (size_t i = 0; i < s->fresh_count; i++)
		if (s->fresh[i].end.at_us >= from_us)
			t[n++] = s->fresh[i].end.at_us;
	qsort(t, n, sizeof(*t), compare_times);
	for (size_t i = 0; i < n; i++)
		if (!i || t[i] != t[i - 1])
			t[kept++] = t[i];
	*ret_count = kept;
	return t;
}

/* Not before each part would find room alone; INT64_MAX: never. */
static int64_t bound(const struct search *q, uint32_t value)
{
	int64_t from_us = NOW;
	uint32_t n;
	const uint32_t *parts = key_parts(q->s, &q->key, &n);

	for (uint32_t i = 0; i < n && needed(q->s, q->key) == q->s->keys[q->key].members; i++) {
		uint64_t want = q->s->keys[parts[i]].members;
		int64_t at_us;

		find_times(q, parts[i], want);
		at_us = latest(&q->values[value], want);
		if (at_us > from_us)
			from_us = at_us;
	}
	return from_us;
}

/* Halving: more room is taken to be no worse, so that it may be later than it could be. */
static int64_t try_times(const struct search *q, uint32_t value, struct plan *p)
{
	int64_t from_us = bound(q, value), *times;
	size_t lo = 0, hi, n;

	if (from_us == INT64_MAX)
		return INT64_MAX;
	if (plan_all(q, value, NOW, p))
		return NOW;
	times = list_times(q, from_us, &n);
	if (!n || !plan_all(q, value, times[n - 1], p))
		return INT64_MAX;
	for (hi = n - 1; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (plan_all(q, value, times[mid], p))
			hi = mid;
		else
			lo = mid + 1;
	}
	return times[hi];
}

/* Values of a uniformity label. */

static int compare_values(const void *a, const void *b)
{
	return strcmp(((const struct value *)a)->text, ((const struct value *)b)->text);
}

static const char *kind_value(const struct sched *s, uint32_t kind, const char *label)
{
	const struct kind *k = &s->kinds[kind];

	for (size_t i = 0; i < k->label_count; i++)
		if (strcmp(k->labels[i].key, label) == 0)
			return k->labels[i].value;
	return NULL;
}

static void list_values(struct search *q, const char *label)
{
	struct sched *s = q->s;
	size_t n = 0, kept = 0;

	q->values = arena_zalloc(q->arena, s->kind_count + 1, sizeof(*q->values));
	q->value_count = 1;
	if (!label)
		return;
	for (uint32_t i = 0; i < s->kind_count; i++) {
		q->values[n].text = kind_value(s, i, label);
		n += q->values[n].text != NULL;
	}
	qsort(q->values, n, sizeof(*q->values), compare_values);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(q->values[i].text, q->values[kept - 1].text) != 0)
			q->values[kept++].text = q->values[i].text;
	q->value_count = (uint32_t)kept;
	q->value_of = arena_alloc(q->arena, (s->kind_count + 1) * sizeof(*q->value_of));
	for (uint32_t i = 0; i < s->kind_count; i++) {
		struct value v = {.text = kind_value(s, i, label)}, *at = NULL;

		if (v.text)
			at = bsearch(&v, q->values, kept, sizeof(v), compare_values);
		q->value_of[i] = at ? (uint32_t)(at - q->values) : NIL;
	}
}

/* Who is not where the picture of the world has it. */
static void mark_absent(struct search *q)
{
	struct sched *s = q->s;

	if (!s->work.evicted)
		return;
	q->absent = arena_zalloc(q->arena, s->task_count + 1, sizeof(*q->absent));
	for (size_t i = 0; i < s->actors_running; i++)
		q->absent[s->actors[i].task] = (uint8_t)s->actors[i].state;
}

static int compare_ends(const void *a, const void *b)
{
	return compare_times(&((const struct end *)a)->at_us, &((const struct end *)b)->at_us);
}

/* What was started in this round, by node and time. */
static void sort_fresh(struct search *q)
{
	struct sched *s = q->s;
	uint32_t *at;

	if (!s->fresh_count)
		return;
	at = arena_zalloc(q->arena, s->node_count + 2, sizeof(*at));
	for (size_t i = 0; i < s->fresh_count; i++)
		at[s->fresh[i].node + 2]++;
	for (size_t i = 2; i < s->node_count + 2; i++)
		at[i] += at[i - 1];
	q->fresh = arena_alloc(q->arena, s->fresh_count * sizeof(*q->fresh));
	for (size_t i = 0; i < s->fresh_count; i++)
		q->fresh[at[s->fresh[i].node + 1]++] = s->fresh[i].end;
	for (size_t i = 0; i < s->node_count; i++)
		if (at[i + 1] - at[i] > 1)
			qsort(q->fresh + at[i], at[i + 1] - at[i], sizeof(*q->fresh), compare_ends);
	q->fresh_from = at;
}

/* The level that tells what the gang may have; those who want whole nodes displace nobody. */
static uint32_t level_of(const struct sched *s, uint32_t key)
{
	const struct key *k = &s->keys[key];

	return s->level_count && s->preempt_traits.urgency && !k->exclusive
		       ? s->class_level[k->class]
		       : 0;
}

static void plan_init(const struct search *q, struct plan *p)
{
	size_t n = q->s->node_count + 1;

	*p = (struct plan){.room = arena_alloc(q->arena, n * q->s->dims * sizeof(*p->room)),
			   .uses = arena_alloc(q->arena, n * sizeof(*p->uses)),
			   .usable = arena_alloc(q->arena, n),
			   .heap = arena_alloc(q->arena, n * sizeof(*p->heap))};
}

/* The earliest start, and of equals the first value. INT64_MAX: never; NOW: no end is needed. */
static int64_t find_start(struct search *q, uint32_t *ret_value, struct plan *p)
{
	struct sched *s = q->s;
	int64_t best = INT64_MAX;

	if (!s->keys[q->key].part_count)
		find_times(q, q->key, needed(s, q->key));
	for (uint32_t i = 0; i < q->value_count; i++) {
		int64_t at_us = s->keys[q->key].part_count
					? try_times(q, i, p)
					: latest(&q->values[i], needed(s, q->key));

		if (at_us >= best)
			continue;
		best = at_us;
		*ret_value = i;
	}
	return best;
}

static void keep(struct sched *s, const struct plan *p)
{
	struct reserve *v = &s->reserve;

	v->count = 0;
	for (uint32_t i = 0; i < s->node_count; i++) {
		if (!p->uses[i])
			continue;
		GROW(v->nodes, v->cap, v->count + 1);
		GROW(v->spare, v->spare_cap, (v->count + 1) * s->dims);
		memcpy(v->spare + v->count * s->dims, p->room + i * s->dims,
		       s->dims * sizeof(*v->spare));
		v->nodes[v->count++] = (struct reserved){i, p->uses[i]};
	}
}

/* From when on, and then the nodes are kept; INT64_MAX: it cannot be told. */
static int64_t search(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	const struct key *k = &s->keys[key];
	struct search q = {.s = s,
			   .arena = r->arena,
			   .key = key,
			   .level = level_of(s, key),
			   .idle = k->exclusive,
			   .distinct = k->distinct};
	struct plan p;
	uint32_t value = 0;
	int64_t start_us;

	if (!s->foreseen && !s->fresh_count)
		return INT64_MAX;
	list_values(&q,
		    k->constraint && *k->constraint->uniformity ? k->constraint->uniformity : NULL);
	mark_absent(&q);
	sort_fresh(&q);
	plan_init(&q, &p);
	start_us = find_start(&q, &value, &p);
	for (uint32_t i = 0; i < q.value_count; i++)
		free(q.values[i].heap);
	if (start_us == NOW || start_us == INT64_MAX || !plan_all(&q, value, start_us, &p))
		return INT64_MAX;
	keep(s, &p);
	return start_us;
}

void reserve_done(struct reserve *v)
{
	free(v->nodes);
	free(v->spare);
	free(v->found);
	free(v->found_nodes);
	free(v->found_spare);
}

static void remember(struct sched *s, uint32_t key, int64_t start_us)
{
	struct reserve *v = &s->reserve;
	size_t row = s->dims * sizeof(*v->spare);

	bool can = start_us != INT64_MAX;
	size_t at = 0;

	/* There is place for the nodes of one only. */
	while (at < v->found_count && !(can && v->found[at].can))
		at++;
	GROW(v->found, v->found_cap, v->found_count + 1);
	v->found[at] = (struct found){key, can};
	v->found_count += at == v->found_count;
	if (!can)
		return;
	GROW(v->found_nodes, v->found_nodes_cap, v->count);
	GROW(v->found_spare, v->found_spare_cap, v->count * s->dims);
	memcpy(v->found_nodes, v->nodes, v->count * sizeof(*v->nodes));
	memcpy(v->found_spare, v->spare, v->count * row);
	v->found_nodes_count = v->count;
	v->found_us = start_us;
}

static int64_t recall(struct sched *s)
{
	struct reserve *v = &s->reserve;

	v->count = v->found_nodes_count;
	GROW(v->nodes, v->cap, v->count);
	GROW(v->spare, v->spare_cap, v->count * s->dims);
	memcpy(v->nodes, v->found_nodes, v->count * sizeof(*v->nodes));
	memcpy(v->spare, v->found_spare, v->count * s->dims * sizeof(*v->spare));
	return v->found_us;
}

static int64_t search_or_recall(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	struct reserve *v = &s->reserve;
	int64_t start_us;

	if (r->result->decision_count || s->work.evicted)
		return search(r, key);
	if (v->found_at != s->changes)
		v->found_count = 0;
	v->found_at = s->changes;
	for (size_t i = 0; i < v->found_count; i++)
		if (v->found[i].key == key)
			return v->found[i].can ? recall(s) : INT64_MAX;
	start_us = search(r, key);
	remember(s, key, start_us);
	return start_us;
}

bool reserve_find(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	struct reserve *v = &s->reserve;
	int64_t start_us = search_or_recall(r, key);

	if (start_us == INT64_MAX)
		return false;
	v->key = key;
	v->level = level_of(s, key);
	v->whole = s->keys[key].exclusive;
	v->start_us = start_us > r->in->now_us ? start_us : r->in->now_us;
	for (size_t i = 0; i < v->count; i++)
		s->nodes[v->nodes[i].node].reserved = (uint32_t)i;
	return true;
}

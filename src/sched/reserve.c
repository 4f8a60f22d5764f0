#include "sched/forecast.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * When would a gang start at the latest, and where? What runs is followed to its ends, as far as they
 * can still matter; what was found stays known until something changes.
 */

/* The values of a uniformity label: what may start, starts on nodes with one of them. */
static void list_values(struct forecast *q, const char *label)
{
	struct sched *s = q->s;
	const struct label_values *all;
	uint32_t n = 0;

	q->values = arena_zalloc(q->arena, s->kind_count + 1, sizeof(*q->values));
	q->value_count = 1;
	if (!label)
		return;
	all = values_of(s, label);
	q->value_of = arena_alloc(q->arena, (s->kind_count + 1) * sizeof(*q->value_of));
	memset(q->value_of, 0xff, (s->kind_count + 1) * sizeof(*q->value_of));
	for (size_t at = 0, end; at < all->count; at = end, n++)
		for (end = values_end(all, at); at < end; at++)
			q->value_of[all->list[at].kind] = n;
	q->value_count = n;
}

/* Who is not where the picture of the world has it. */
static void mark_absent(struct forecast *q)
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
	int64_t x = ((const struct end *)a)->at_us, y = ((const struct end *)b)->at_us;

	return (x > y) - (x < y);
}

/* What was started in this round, by node and time. */
static void sort_fresh(struct forecast *q)
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
	struct forecast q = {.s = s,
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
	start_us = earliest_start(&q, &value, &p);
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

/*
 * The reservation: the latest start of a gang, and its nodes.
 *
 * Input: a shape and the state of the round. Output: the time, the nodes, and for each of them what
 * it has left then (`spare`). earliest_start.h finds the time, plan.h the nodes.
 *
 * A result from before the round decided anything is kept until the model changes, so an idle
 * saturated round costs nothing.
 */
#include "sched/backfill/reservation.h"
#include "sched/backfill/earliest_start.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/* The values of a uniformity label. All members start on nodes with one of them. */
static void list_values(struct forecast *q, const char *label)
{
	struct model *m = q->m;
	const struct label_values *all;
	uint32_t n = 0;

	q->values = arena_zalloc(q->arena, m->node_classes.count + 1, sizeof(*q->values));
	q->value_count = 1;
	if (!label)
		return;
	all = label_values_of(m, label);
	q->value_of = arena_alloc(q->arena, (m->node_classes.count + 1) * sizeof(*q->value_of));
	memset(q->value_of, 0xff, (m->node_classes.count + 1) * sizeof(*q->value_of));
	for (size_t at = 0, end; at < all->count; at = end, n++)
		for (end = label_values_end(all, at); at < end; at++)
			q->value_of[all->list[at].kind] = n;
	q->value_count = n;
}

static int compare_releases(const void *a, const void *b)
{
	int64_t x = ((const struct release_time *)a)->at_us,
		y = ((const struct release_time *)b)->at_us;

	return (x > y) - (x < y);
}

/* The tasks started in this round, by node and time. */
static void sort_fresh(struct forecast *q)
{
	const struct reservation *v = q->v;
	struct model *m = q->m;
	uint32_t *at;

	if (!v->fresh_count)
		return;
	at = arena_zalloc(q->arena, m->nodes.count + 2, sizeof(*at));
	for (size_t i = 0; i < v->fresh_count; i++)
		at[v->fresh[i].node + 2]++;
	for (size_t i = 2; i < m->nodes.count + 2; i++)
		at[i] += at[i - 1];
	q->fresh = arena_alloc(q->arena, v->fresh_count * sizeof(*q->fresh));
	for (size_t i = 0; i < v->fresh_count; i++)
		q->fresh[at[v->fresh[i].node + 1]++] = v->fresh[i].end;
	for (size_t i = 0; i < m->nodes.count; i++)
		if (at[i + 1] - at[i] > 1)
			qsort(q->fresh + at[i], at[i + 1] - at[i], sizeof(*q->fresh),
			      compare_releases);
	q->fresh_from = at;
}

/*
 * The level at which the gang finds room: that of its class if urgency preempts, else the first one above
 * those that scavenge; 0 for gangs that want whole nodes, which displace at most those.
 */
static uint32_t level_of(const struct model *m, uint32_t shape)
{
	const struct job_shape *k = &m->shapes.list[shape];

	if (!m->levels.count || k->exclusive || k->exclusive_user)
		return 0;
	if (m->policies.preempt_traits.urgency)
		return m->levels.of_class[k->class];
	return m->levels.scavenging ? 2 : 0;
}

/* whole: each member has its node alone. */
static void keep(const struct model *m, struct reserved *at, const struct plan *p, bool whole)
{
	at->count = 0;
	for (uint32_t i = 0; i < m->nodes.count; i++) {
		if (!p->uses[i])
			continue;
		GROW(at->nodes, at->cap, at->count + 1);
		GROW(at->spare, at->spare_cap, (at->count + 1) * m->dims);
		GROW(at->need, at->need_cap, (at->count + 1) * m->dims);
		memcpy(at->spare + at->count * m->dims, p->room + i * m->dims,
		       m->dims * sizeof(*at->spare));
		memcpy(at->need + at->count * m->dims,
		       whole ? nodes_total(m, i) : p->need + i * m->dims,
		       m->dims * sizeof(*at->need));
		at->nodes[at->count++] = (struct reserved_node){i, p->uses[i]};
	}
}

static void copy(const struct model *m, struct reserved *to, const struct reserved *from)
{
	to->count = from->count;
	GROW(to->nodes, to->cap, from->count);
	GROW(to->spare, to->spare_cap, from->count * m->dims);
	GROW(to->need, to->need_cap, from->count * m->dims);
	memcpy(to->nodes, from->nodes, from->count * sizeof(*to->nodes));
	memcpy(to->spare, from->spare, from->count * m->dims * sizeof(*to->spare));
	memcpy(to->need, from->need, from->count * m->dims * sizeof(*to->need));
}

/* The start; its nodes are then in v->at. INT64_MAX: unknown. */
static int64_t search(const struct reservation_search *in, uint32_t shape)
{
	struct model *m = in->m;
	const struct job_shape *k = &m->shapes.list[shape];
	struct forecast q = {.m = m,
			     .v = in->v,
			     .arena = in->arena,
			     .states = in->states,
			     .shape = shape,
			     .level = level_of(m, shape),
			     .idle = k->exclusive,
			     .distinct = k->distinct};
	struct plan p;
	uint32_t value = 0;
	int64_t start_us;

	if (!m->releases.count && !in->v->fresh_count)
		return INT64_MAX;
	list_values(&q,
		    k->constraint && *k->constraint->uniformity ? k->constraint->uniformity : NULL);
	sort_fresh(&q);
	plan_init(&q, &p);
	start_us = earliest_start(&q, &value, &p);
	for (uint32_t i = 0; i < q.value_count; i++)
		free(q.values[i].heap);
	if (start_us == NOW || start_us == INT64_MAX || !plan_all(&q, value, start_us, &p))
		return INT64_MAX;
	keep(m, &in->v->at, &p, k->exclusive);
	return start_us;
}

static void remember(const struct model *m, struct reservation *v, uint32_t shape, int64_t start_us)
{
	bool can = start_us != INT64_MAX;
	size_t at = 0;

	/* found_at has room for the nodes of one shape only. */
	while (at < v->found_count && !(can && v->found[at].can))
		at++;
	GROW(v->found, v->found_cap, v->found_count + 1);
	v->found[at] = (struct found){shape, can};
	v->found_count += at == v->found_count;
	if (!can)
		return;
	copy(m, &v->found_at, &v->at);
	v->found_us = start_us;
}

static int64_t recall(const struct model *m, struct reservation *v)
{
	copy(m, &v->at, &v->found_at);
	return v->found_us;
}

static int64_t search_or_recall(const struct reservation_search *in, uint32_t shape)
{
	struct model *m = in->m;
	struct reservation *v = in->v;
	int64_t start_us;

	if (!in->undecided)
		return search(in, shape);
	if (v->found_when != m->changes)
		v->found_count = 0;
	v->found_when = m->changes;
	for (size_t i = 0; i < v->found_count; i++)
		if (v->found[i].shape == shape)
			return v->found[i].can ? recall(m, v) : INT64_MAX;
	start_us = search(in, shape);
	remember(m, v, shape, start_us);
	return start_us;
}

bool reservation_find(const struct reservation_search *in, uint32_t shape)
{
	struct model *m = in->m;
	struct reservation *v = in->v;
	int64_t start_us = search_or_recall(in, shape);

	if (start_us == INT64_MAX)
		return false;
	v->shape = shape;
	v->level = level_of(m, shape);
	v->start_us = start_us > in->now_us ? start_us : in->now_us;
	for (size_t i = 0; i < v->at.count; i++)
		m->nodes.list[v->at.nodes[i].node].reserved = (uint32_t)i;
	return true;
}

/* Can members of the two never share a node? */
static bool is_apart(const struct job_shape *a, const struct job_shape *b)
{
	if (a->exclusive || b->exclusive)
		return true;
	return (a->exclusive_user || b->exclusive_user) && a->keeper != b->keeper;
}

bool reservation_lacks(const struct model *m, const struct reservation *v, uint32_t node,
		       uint32_t part)
{
	const int64_t *spare = v->at.spare + m->nodes.list[node].reserved * m->dims;

	return is_apart(&m->shapes.list[v->shape], &m->shapes.list[part]) ||
	       !amounts_cover(spare, job_shape_request(m, part), m->dims);
}

void reservation_take(const struct model *m, struct reservation *v, uint32_t node, uint32_t part,
		      int sign)
{
	if (v->binding && m->nodes.list[node].reserved != NIL)
		amounts_change(v->at.spare + m->nodes.list[node].reserved * m->dims,
			       job_shape_request(m, part), -sign, m->dims);
}

/*
 * Shapes that are known not to fit without a search.
 *
 * Input: shapes for which a search failed in this round. Output: whether a search for another shape
 * would fail, too. If no node had room for one member of a shape, no node has room for a shape that
 * asks for at least as much of each resource, on the same nodes or a part of them, in a class that
 * is not more urgent. This holds until a gang is displaced (blocked_shapes_forget): what is left
 * over of its room was not free for all classes before. For each constraint the smallest such shapes
 * are kept, at most 64.
 *
 * A keeper (model/keepers.h) may use nodes that others may not, so its shapes answer only for each other.
 *
 * Shapes with parts, exclusive shapes and shapes with a uniformity label are not added: they may
 * fail for another reason than resources.
 */
#include "sched/round/blocked_shapes.h"
#include "sched/round/round.h"

#include <string.h>

enum {
	SHAPES = 64, /* kept for one constraint */
	LISTS = 1024,
	WIDER = 16, /* number of lists of other constraints that are checked */
};

struct shape {
	int64_t request[SCHED_RESOURCES];
	uint32_t level, keeper;
};

/*
 * The smallest requests of one member that found no node, for one constraint. A hit moves one place
 * to the front.
 */
struct blocked_list {
	struct blocked_list *next;
	const struct constraint *constraint;
	const struct node_class_set *kinds;
	struct shape *shapes;
	uint32_t count;
	size_t cap;
};

/* Does b ask for at least as much as a, in a class that is not more urgent, and for no other user's nodes? */
static bool covers(const struct model *m, const int64_t *b, uint32_t level, uint32_t keeper,
		   const struct shape *a)
{
	return level <= a->level && keeper == a->keeper && amounts_cover(b, a->request, m->dims);
}

static bool any_covers(const struct model *m, struct blocked_list *l, uint32_t part)
{
	uint32_t level = m->levels.of_class[m->shapes.list[part].class];
	const int64_t *request = job_shape_request(m, part);

	for (uint32_t i = 0; i < l->count; i++) {
		struct shape hit = l->shapes[i];

		if (!covers(m, request, level, m->shapes.list[part].keeper, &l->shapes[i]))
			continue;
		if (i) {
			l->shapes[i] = l->shapes[i - 1];
			l->shapes[i - 1] = hit;
		}
		return true;
	}
	return false;
}

/* Are all nodes of this class set also open to the list's constraint? */
static bool is_wider(const struct blocked_list *l, const struct node_class_set *kinds)
{
	return !constraint_has_lists(l->constraint) && !l->kinds->set &&
	       !(kinds->bits & ~l->kinds->bits);
}

static struct blocked_list *own_list(const struct sched *s, const struct node_class_set *kinds)
{
	return kinds->blocked_stamp == s->blocked.stamp ? kinds->blocked : NULL;
}

static bool part_blocked(struct sched *s, uint32_t part)
{
	struct model *m = &s->model;
	const struct node_class_set *kinds = job_shape_classes(m, part);
	struct blocked_list *own = own_list(s, kinds), *l = s->blocked.lists;

	if (own && any_covers(m, own, part))
		return true;
	for (uint32_t i = 0; i < WIDER && l; i++, l = l->next)
		if (l != own && is_wider(l, kinds) && any_covers(m, l, part))
			return true;
	return false;
}

bool blocked_shapes_covers(struct sched *s, uint32_t shape)
{
	struct model *m = &s->model;
	uint32_t n;
	const uint32_t *parts = job_shape_parts(m, &shape, &n);

	/*
	 * If gangs may start with a part of their members, a blocked part may be left out. A less
	 * urgent part may get room that was freed for a more urgent one.
	 */
	for (uint32_t i = 0; i < n && (n == 1 || !m->partial_gangs); i++)
		if (m->levels.of_class[m->shapes.list[parts[i]].class] ==
			    m->shapes.list[shape].top &&
		    part_blocked(s, parts[i]))
			return true;
	return false;
}

static struct blocked_list *make_list(struct round *r, uint32_t shape)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct constraint *c = m->shapes.list[shape].constraint;
	struct node_class_set *kinds = c ? &c->kinds : &m->constraints.plain;
	struct blocked_list *l = own_list(s, kinds);

	if (l || s->blocked.count == LISTS)
		return l;
	l = arena_zalloc(r->arena, 1, sizeof(*l));
	l->constraint = c;
	l->kinds = kinds;
	l->next = s->blocked.lists;
	s->blocked.lists = kinds->blocked = l;
	kinds->blocked_stamp = s->blocked.stamp;
	s->blocked.count++;
	return l;
}

void blocked_shapes_add(struct round *r, uint32_t shape)
{
	struct model *m = r->m;
	const struct job_shape *k = &m->shapes.list[shape];
	struct shape new = {.level = m->levels.of_class[k->class], .keeper = k->keeper};
	struct blocked_list *l;
	uint32_t n = 0;

	/* These may lack room for another reason than the resources of one member. */
	if (k->part_count || k->exclusive || k->exclusive_user ||
	    (k->constraint && *k->constraint->uniformity))
		return;
	l = make_list(r, shape);
	if (!l)
		return;
	memcpy(new.request, job_shape_request(m, shape), m->dims * sizeof(*new.request));
	for (uint32_t i = 0; i < l->count; i++)
		if (!covers(m, l->shapes[i].request, l->shapes[i].level, l->shapes[i].keeper, &new))
			l->shapes[n++] = l->shapes[i];
	l->count = n;
	if (l->count == SHAPES)
		return;
	l->shapes = arena_grow(r->arena, l->shapes, &l->cap, l->count, sizeof(*l->shapes));
	l->shapes[l->count++] = new;
}

void blocked_shapes_forget(struct sched *s)
{
	s->blocked.stamp++;
	s->blocked.lists = NULL;
	s->blocked.count = 0;
}

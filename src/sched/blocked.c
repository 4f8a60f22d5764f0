#include "sched/round.h"

#include <string.h>

/*
 * What does not fit tells of others that they do not either: whoever asks for no less, on the same
 * nodes or on some of them, at no more urgent a class. In a round room for a class only shrinks:
 * what is displaced was room for those who may displace it before. So a shape that was searched for
 * in vain spares the search for all that it is smaller than.
 */

enum {
	SHAPES = 64, /* kept for one set of nodes */
	LISTS = 1024,
	WIDER = 16, /* sets of nodes looked at beside the key's own */
};

struct shape {
	int64_t request[SCHED_RESOURCES];
	uint32_t level;
};

/* The least of what one member did not fit with, for a constraint; the latest hit first. */
struct blocked_list {
	struct blocked_list *next;
	const struct constraint *constraint;
	const struct kinds_taken *kinds;
	struct shape *shapes;
	uint32_t count, cap;
};

/* Does b ask for no less than a, at no more urgent a class? */
static bool covers(const struct sched *s, const int64_t *b, uint32_t level, const struct shape *a)
{
	for (size_t r = 0; r < s->dims; r++)
		if (b[r] < a->request[r])
			return false;
	return level <= a->level;
}

static bool any_covers(const struct sched *s, struct blocked_list *l, uint32_t part)
{
	uint32_t level = s->class_level[s->keys[part].class];
	const int64_t *request = key_request(s, part);

	for (uint32_t i = 0; i < l->count; i++) {
		struct shape hit = l->shapes[i];

		if (!covers(s, request, level, &l->shapes[i]))
			continue;
		if (i) {
			l->shapes[i] = l->shapes[i - 1];
			l->shapes[i - 1] = hit;
		}
		return true;
	}
	return false;
}

static bool has_lists(const struct constraint *c)
{
	return constraint_has_lists(c);
}

/* May all nodes that the part may use also be used by those of the list? */
static bool is_wider(const struct blocked_list *l, const struct kinds_taken *kinds)
{
	return !has_lists(l->constraint) && !l->kinds->set && !(kinds->bits & ~l->kinds->bits);
}

static struct blocked_list *own_list(const struct sched *s, const struct kinds_taken *kinds)
{
	return kinds->blocked_round == s->rounds ? kinds->blocked : NULL;
}

static bool part_blocked(struct sched *s, uint32_t part)
{
	const struct kinds_taken *kinds = key_kinds(s, part);
	struct blocked_list *own = own_list(s, kinds), *l = s->blocked;

	if (own && any_covers(s, own, part))
		return true;
	for (uint32_t i = 0; i < WIDER && l; i++, l = l->next)
		if (l != own && is_wider(l, kinds) && any_covers(s, l, part))
			return true;
	return false;
}

bool blocked_known(struct sched *s, uint32_t key)
{
	uint32_t n;
	const uint32_t *parts = key_parts(s, &key, &n);

	/* Of several parts one may be left out where gangs may start with a part of them. */
	for (uint32_t i = 0; i < n && (n == 1 || !s->partial_gangs); i++)
		if (part_blocked(s, parts[i]))
			return true;
	return false;
}

static struct blocked_list *make_list(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	struct constraint *c = s->keys[key].constraint;
	struct kinds_taken *kinds = c ? &c->kinds : &s->plain;
	struct blocked_list *l = own_list(s, kinds);

	if (l || s->blocked_lists == LISTS)
		return l;
	l = arena_zalloc(r->arena, 1, sizeof(*l));
	l->constraint = c;
	l->kinds = kinds;
	l->next = s->blocked;
	s->blocked = kinds->blocked = l;
	kinds->blocked_round = s->rounds;
	s->blocked_lists++;
	return l;
}

static void widen(struct round *r, struct blocked_list *l)
{
	struct shape *had = l->shapes;

	l->cap = l->cap ? 2 * l->cap : 2;
	l->shapes = arena_alloc(r->arena, l->cap * sizeof(*l->shapes));
	if (had)
		memcpy(l->shapes, had, l->count * sizeof(*had));
}

void blocked_add(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	const struct key *k = &s->keys[key];
	struct shape new = {.level = s->class_level[k->class]};
	struct blocked_list *l;
	uint32_t n = 0;

	/* Room for those, if there is little of it, is not a matter of resources alone. */
	if (k->part_count || k->exclusive || (k->constraint && *k->constraint->uniformity))
		return;
	l = make_list(r, key);
	if (!l)
		return;
	memcpy(new.request, key_request(s, key), s->dims * sizeof(*new.request));
	for (uint32_t i = 0; i < l->count; i++)
		if (!covers(s, l->shapes[i].request, l->shapes[i].level, &new))
			l->shapes[n++] = l->shapes[i];
	l->count = n;
	if (l->count == SHAPES)
		return;
	if (l->count == l->cap)
		widen(r, l);
	l->shapes[l->count++] = new;
}

void blocked_begin(struct sched *s)
{
	s->blocked = NULL;
	s->blocked_lists = 0;
}

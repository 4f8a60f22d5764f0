#include "core/view/round_properties.h"

/* Differences below this are errors of floating point. */
static const double TINY = 1e-9;

static void find_lacking(const struct noted_round *n, struct round_properties *p)
{
	for (size_t i = 0; i < n->share_count; i++) {
		const struct sched_share *s = &n->shares[i];
		double due = s->capped < s->fair ? s->capped : s->fair, lacks = due - s->cost_after;

		if (lacks <= TINY)
			continue;
		p->queues[i].lacks = lacks;
		p->below++;
		p->lacks += lacks;
		if (lacks <= p->lacks_most)
			continue;
		p->lacks_most = lacks;
		p->lacking = i;
	}
}

/* The part of the demand of s that these resources, multiplied by a factor, can run: at most 1. */
static double part(const struct sched_share *s, const struct resources *has, double factor)
{
	double least = 1;

	for (size_t r = 0; r < CORE_RESOURCES; r++) {
		double of = s->demand[r] > 0
				    ? factor * (double)has->amount[r] / (double)s->demand[r]
				    : 1;

		least = of < least ? of : least;
	}
	return least;
}

static void compare(const struct noted_round *n, size_t i, size_t k, struct round_properties *p)
{
	const struct sched_share *s = &n->shares[i], *other = &n->shares[k];
	double has = part(s, &n->after[i], 1), would_have;

	if (other->weight <= 0)
		return;
	would_have = part(s, &n->after[k], s->weight / other->weight);
	p->pairs++;
	if (would_have <= has + TINY)
		return;
	p->envious++;
	if (would_have - has > p->queues[i].envy)
		p->queues[i].envy = would_have - has;
	if (p->envious > 1 && would_have - has <= p->would_have - p->has)
		return;
	p->envier = i;
	p->envied = k;
	p->has = has;
	p->would_have = would_have;
}

const struct round_properties *round_properties(struct noted_round *n)
{
	size_t count = n->share_count < COMPARED_QUEUES ? n->share_count : COMPARED_QUEUES;
	struct round_properties *p = n->properties;

	if (p)
		return p;
	p = arena_zalloc(n->arena, 1, sizeof(*p));
	p->queues = arena_zalloc(n->arena, n->share_count + 1, sizeof(*p->queues));
	find_lacking(n, p);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			if (i != k)
				compare(n, i, k, p);
	n->properties = p;
	return p;
}

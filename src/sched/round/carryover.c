#include "sched/round/carryover.h"
#include "sched/round/state.h"

/*
 * The state that a round passes on to the next: tokens, and the number that the fairness plugin
 * keeps for each queue.
 */
struct carryover {
	struct token_buckets buckets;
	double *queue_tokens, *memory;
};

struct carryover *carryover_keep(const struct sched *s, struct arena *a)
{
	const struct model *m = &s->model;
	struct carryover *l = arena_alloc(a, sizeof(*l));

	*l = (struct carryover){.buckets = s->buckets};
	l->queue_tokens = arena_alloc(a, (m->queues.count + 1) * sizeof(*l->queue_tokens));
	l->memory = arena_alloc(a, (m->queues.count + 1) * sizeof(*l->memory));
	for (size_t i = 0; i < m->queues.count; i++) {
		l->queue_tokens[i] = m->queues.list[i].tokens;
		l->memory[i] = m->queues.list[i].memory;
	}
	return l;
}

void carryover_restore(struct sched *s, const struct carryover *l)
{
	struct model *m = &s->model;

	s->buckets = l->buckets;
	for (size_t i = 0; i < m->queues.count; i++) {
		m->queues.list[i].tokens = l->queue_tokens[i];
		m->queues.list[i].memory = l->memory[i];
	}
}

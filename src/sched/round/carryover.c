#include "sched/round/carryover.h"
#include "sched/round/state.h"

/* What lasts from round to round: tokens, and what the fairness plugin remembers of queues. */
struct carryover {
	double tokens, preempt_tokens;
	int64_t filled_us;
	bool filled;
	double *queue_tokens, *memory;
};

struct carryover *carryover_keep(const struct sched *s, struct arena *a)
{
	const struct model *m = &s->model;
	struct carryover *l = arena_alloc(a, sizeof(*l));

	*l = (struct carryover){.tokens = s->buckets.start,
				.preempt_tokens = s->buckets.preempt,
				.filled_us = s->buckets.filled_us,
				.filled = s->buckets.filled};
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

	s->buckets.start = l->tokens;
	s->buckets.preempt = l->preempt_tokens;
	s->buckets.filled_us = l->filled_us;
	s->buckets.filled = l->filled;
	for (size_t i = 0; i < m->queues.count; i++) {
		m->queues.list[i].tokens = l->queue_tokens[i];
		m->queues.list[i].memory = l->memory[i];
	}
}

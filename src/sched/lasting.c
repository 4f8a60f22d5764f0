#include "sched/round.h"

/* What lasts from round to round: tokens, and what the fairness plugin remembers of queues. */
struct lasting {
	double tokens, preempt_tokens;
	int64_t filled_us;
	bool filled;
	double *queue_tokens, *memory;
};

struct lasting *lasting_keep(const struct sched *s, struct arena *a)
{
	struct lasting *l = arena_alloc(a, sizeof(*l));

	*l = (struct lasting){.tokens = s->tokens,
			      .preempt_tokens = s->preempt_tokens,
			      .filled_us = s->filled_us,
			      .filled = s->filled};
	l->queue_tokens = arena_alloc(a, (s->queue_count + 1) * sizeof(*l->queue_tokens));
	l->memory = arena_alloc(a, (s->queue_count + 1) * sizeof(*l->memory));
	for (size_t i = 0; i < s->queue_count; i++) {
		l->queue_tokens[i] = s->queues[i].tokens;
		l->memory[i] = s->queues[i].memory;
	}
	return l;
}

void lasting_restore(struct sched *s, const struct lasting *l)
{
	s->tokens = l->tokens;
	s->preempt_tokens = l->preempt_tokens;
	s->filled_us = l->filled_us;
	s->filled = l->filled;
	for (size_t i = 0; i < s->queue_count; i++) {
		s->queues[i].tokens = l->queue_tokens[i];
		s->queues[i].memory = l->memory[i];
	}
}

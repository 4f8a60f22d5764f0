/*
 * All that a sched holds: the model, and what rounds keep from one to the next. Of the latter only the
 * reservation that was found, the buckets of tokens and the number of rounds mean anything between two
 * rounds; the rest is memory that is used again.
 */
#pragma once

#include "sched/round/blocked_shapes.h"
#include "sched/round/carryover.h"
#include "sched/round/evict.h"
#include "sched/round/fair_preempt.h"
#include "sched/round/node_backup.h"
#include "sched/round/node_select.h"
#include "sched/round/place.h"
#include "sched/round/reason_emit.h"
#include "sched/round/running_gang.h"

#include <stddef.h>

/* Rows of a result, until their number is known; and heads as a plugin that picks is shown them. */
struct round_output {
	struct sched_decision *decisions;
	struct sched_reason *reasons;
	struct armada_order_head *heads;
	size_t decision_cap, reason_cap, heads_cap;
};

struct sched {
	struct model model; /* first: model_of() */
	struct reservation reservation;
	struct token_buckets buckets;
	uint32_t rounds;
	/* round */
	struct round *in_hand;
	struct node_backup backup;
	struct placing placing;
	struct running_gangs gangs;
	struct evicted evicted;
	struct fair_preempt walk;
	struct node_select select;
	struct blocked_shapes blocked;
	struct shape_reasons reasons;
	struct round_output output;
};
_Static_assert(offsetof(struct sched, model) == 0, "a sched begins with its model");

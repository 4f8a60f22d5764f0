/*
 * All state of a sched: the model, and what rounds keep. Only the reservation that was found, the
 * token buckets and the number of rounds carry information from one round to the next; the rest is
 * memory that is used again.
 */
#pragma once

#include "sched/round/blocked_shapes.h"
#include "sched/round/carryover.h"
#include "sched/round/displace.h"
#include "sched/round/evict.h"
#include "sched/round/node_backup.h"
#include "sched/round/node_select.h"
#include "sched/round/place.h"
#include "sched/round/reason_emit.h"
#include "sched/round/running_gang.h"
#include "sched/round/victim_list.h"

#include <stddef.h>

/* Growing lists of a result, and the heads for a plugin that picks. */
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
	/* Of the current round. */
	struct round *current;
	struct node_backup backup;
	struct placing placing;
	struct running_gangs gangs;
	struct evict_rows evict_rows;
	struct victims victims;
	struct displace_walk walk;
	struct node_select select;
	struct blocked_shapes blocked;
	struct shape_reasons reasons;
	struct round_output output;
};
_Static_assert(offsetof(struct sched, model) == 0, "a sched begins with its model");

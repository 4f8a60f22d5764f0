/*
 * One input that is being handled: the record it makes, and the effects that follow.
 *
 * The core begins one for each input, a handler decides and calls emit, and the core packs what came of
 * it. Whatever a handler allocates is in the arena and goes with the input. The state is const here:
 * only emit changes it, by an event that is in the record (core/state/fold.h). What is not durable is
 * noted in live.
 */
#pragma once

#include "core/txn/effect.h"
#include "core/txn/live.h"

#include <inttypes.h>

struct fold;

/* A spec as unpacked into the arena of an input: one listing asks for the same many times. */
struct opened_spec {
	const struct spec *spec; /* NULL: none */
	const Armada__JobSpec *message;
	uint8_t hash[HASH_SIZE]; /* another may have come to be where that one was */
};

/* What the caller of an input sees, as far as it was found out. */
struct sight {
	bool known, all;           /* whether it is all */
	const struct queue *queue; /* whose jobs were looked at last; NULL: none's */
	bool in_queue;             /* they are seen */
};

struct txn {
	const struct core_policy *policy;
	const struct state *state;
	struct live *live;
	struct fold *fold; /* the writer of the state: txn.c and emit.c alone */
	/* What must be done about an event just before it is applied, whoever emits it. */
	void (*before_event)(struct txn *txn, const Armada__Event *ev);

	const struct input *in;
	int64_t now_us; /* wall time of the record: never earlier than that of the last one */
	uint64_t seq;   /* of the record, if there will be one */
	struct arena *arena;
	Armada__Event **events;
	size_t event_count, event_cap;
	struct effect *effects;
	size_t effect_count, effect_cap;
	bool wants_round;
	bool unfinished; /* somebody is due whom this input did not come to */

	struct opened_spec *opened;
	struct sight sight;               /* core/view/rights.h */
	const Armada__JobSpec *looked_at; /* the last that could start, or NULL */
	int64_t looked_work;              /* core/admission/admit_budget.h */
};

void txn_init(struct txn *txn, const struct core_policy *policy);
void txn_done(struct txn *txn);
/* Forget the last input; the record of this one would be of this time. */
void txn_begin(struct txn *txn, int64_t wall_us);
/*
 * The record is complete, if there are events. Packs it; *ret_record lives until the next input, its
 * lists as long as the arena. False: nothing has changed.
 */
bool txn_end(struct txn *txn, Armada__Record *ret_record, struct buf *ret_packed);
void txn_restore(struct txn *txn, uint64_t epoch);
void txn_set_cluster(struct txn *txn, const uint8_t cluster_id[16]);

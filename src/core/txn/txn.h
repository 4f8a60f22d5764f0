/*
 * The transaction of one input: the record that it makes, and the effects that follow.
 *
 * The core begins a transaction for each input. A handler decides and calls emit_event(), which
 * applies each event at once: later code in the same input already reads the changed state. At the
 * end the core packs the events into one record. A handler allocates in the arena, which is cleared
 * at the next input. The state is const here: only emit_event() changes it, by an event that is in
 * the record (core/state/fold.h). Volatile data is in live.
 *
 * There is no rollback. So a handler checks everything that could refuse the request before its
 * first event. A record is durable as a whole or not at all, so the events of one input are never
 * separated.
 */
#pragma once

#include "core/txn/effect.h"
#include "core/txn/live.h"

#include <inttypes.h>

struct fold;

/*
 * The spec that was last unpacked into the arena of an input: a listing needs the same one many
 * times.
 */
struct opened_spec {
	const struct spec *spec; /* NULL: none */
	const Armada__JobSpec *message;
	uint8_t hash[HASH_SIZE]; /* another spec may be at the same address now */
};

/* The jobs that the caller of an input may see, as far as determined. */
struct sight {
	bool known, all;           /* known: all is determined; all: every job */
	const struct queue *queue; /* the queue checked last; NULL: none */
	bool in_queue;             /* its jobs are seen */
};

/* A job event of this input. */
struct derived {
	Armada__JobEvent *event;
	bool array;
	bool after; /* of the job set that the job is in after the event */
	const char *queue, *job_set;
	uint64_t number;
	uint8_t *body; /* packed, without what is in armada_history_event */
	size_t len;
};

struct txn {
	const struct core_policy *policy;
	const struct state *state;
	struct live *live;
	struct fold *fold; /* writes the state; only for txn.c and emit.c */
	/*
	 * Called just before an event is applied, for every emitted event; may emit events before
	 * it.
	 */
	void (*before_event)(struct txn *txn, const Armada__Event *ev);

	const struct input *in;
	int64_t now_us;   /* wall time of the record: never before that of the last record */
	int64_t clock_us; /* what the wall clock shows: for display, and for times that must pass */
	uint64_t seq;     /* sequence of the record, if the input makes one */
	struct arena *arena;
	Armada__Event **events;
	size_t event_count, event_cap;
	struct effect *effects;
	size_t effect_count, effect_cap;
	uint64_t for_job; /* while a round's preemption is carried out: for whom; 0: for nobody */
	uint32_t for_element;
	bool wants_round;
	bool unfinished; /* jobs are due that this input did not handle */

	/* core/txn/job_events.h: of this input, and the first of the event that is applied */
	struct derived *derived;
	size_t derived_count, derived_cap, derived_from;
	const char *by; /* the user whose request is handled; NULL: another input */

	struct opened_spec *opened;
	struct sight sight;               /* core/view/rights.h */
	const Armada__JobSpec *looked_at; /* last spec that passed all checks; NULL: none */
	int64_t looked_work;              /* core/admission/admit_budget.h */
};

void txn_init(struct txn *txn, const struct core_policy *policy);
void txn_done(struct txn *txn);
/* Forget the last input. wall_us is the time of the next record. */
void txn_begin(struct txn *txn, int64_t wall_us);
/*
 * The record is complete, if there are events. Pack it. *ret_record is valid until the next input,
 * and its lists as long as the arena. False: nothing has changed.
 */
bool txn_end(struct txn *txn, Armada__Record *ret_record, struct buf *ret_packed);
void txn_restore(struct txn *txn, uint64_t epoch);
void txn_set_cluster(struct txn *txn, const uint8_t cluster_id[16]);

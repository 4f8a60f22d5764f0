/*
 * The transaction of one input: begin, end, and the packed record.
 */
#include "core/txn/txn.h"

#include "core/state/fold.h"
#include "core/state/snapshot.h"
#include "util/mem.h"

void txn_init(struct txn *txn, const struct core_policy *policy)
{
	*txn = (struct txn){.policy = policy};
	txn->fold = fold_new();
	txn->state = txn->fold->state;
	txn->live = live_new();
	txn->arena = arena_new(0);
	txn->opened = xcalloc(1, sizeof(*txn->opened));
}

void txn_done(struct txn *txn)
{
	live_free(txn->live);
	fold_free(txn->fold);
	free(txn->events);
	free(txn->effects);
	free(txn->derived);
	free(txn->opened);
	arena_free(txn->arena);
}

void txn_begin(struct txn *txn, int64_t wall_us)
{
	int64_t last_us = txn->state->last_wall_us;

	arena_clear(txn->arena);
	txn->opened->spec = NULL;
	txn->looked_at = NULL;
	txn->looked_work = 0;
	txn->sight = (struct sight){.known = false};
	txn->event_count = 0;
	txn->effect_count = 0;
	txn->derived_count = txn->derived_from = 0;
	txn->by = NULL;
	txn->wants_round = txn->unfinished = false;
	txn->now_us = wall_us > last_us ? wall_us : last_us;
	/* 0 stands for "the same" in a record */
	txn->clock_us = wall_us > 0 ? wall_us : txn->now_us;
	txn->seq = txn->state->seq + 1;
}

bool txn_end(struct txn *txn, Armada__Record *ret_record, struct buf *ret_packed)
{
	if (!txn->event_count)
		return false;
	armada__record__init(ret_record);
	ret_record->version = RECORD_VERSION;
	ret_record->seq = txn->seq;
	ret_record->wall_us = txn->now_us;
	ret_record->clock_us = txn->clock_us < txn->now_us ? txn->clock_us : 0;
	ret_record->epoch = txn->state->epoch;
	ret_record->events = txn->events;
	ret_record->n_events = txn->event_count;
	buf_clear(ret_packed);
	msg_pack(ret_record, ret_packed);
	fold_end(txn->fold);
	return true;
}

void txn_restore(struct txn *txn, uint64_t epoch)
{
	fold_set_epoch(txn->fold, epoch);
}

void txn_set_cluster(struct txn *txn, const uint8_t cluster_id[16])
{
	fold_set_cluster(txn->fold, cluster_id);
}

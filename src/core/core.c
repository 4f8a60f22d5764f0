/*
 * The core: one input in, one record and its effects out.
 *
 * Input: struct input from the shell, or at the start the chunks of a snapshot and the records of
 * the log. Output: struct output. core_input() begins the transaction, calls the handler of the
 * kind of input, then handles dependencies that are due, and packs the record. Caveats: a replay
 * makes only history effects and answers; nothing is decided. The output is borrowed until the next
 * input. An output without a record may leave before pending records if its one effect names the
 * record that it needs.
 */
#include "core/core.h"

#include "core/check.h"
#include "core/inputs.h"
#include "core/lifecycle/dependency_resolve.h"
#include "core/lifecycle/elastic.h"
#include "core/lifecycle/copies.h"
#include "core/lifecycle/floating.h"
#include "core/lifecycle/node_fence.h"
#include "core/lifecycle/restart_pause.h"
#include "core/reconfigure.h"
#include "core/request/request.h"
#include "core/state/snapshot.h"
#include "core/txn/emit.h"
#include "core/txn/job_events.h"
#include "core/txn/output_reads.h"
#include "core/txn/rate_limit.h"
#include "core/view/round_report.h"
#include "util/mem.h"

#include <assert.h>

struct core {
	struct txn txn;
	Armada__Record record; /* of the last input */
	struct buf packed;     /* the same record, packed */
};

struct core *core_new(const struct core_policy *policy)
{
	struct core *c = xcalloc(1, sizeof(*c));

	txn_init(&c->txn, policy);
	c->txn.before_event = dependency_resolve_event;
	return c;
}

void core_free(struct core *c)
{
	if (!c)
		return;
	rate_limits_free(&c->txn);
	round_report_free(&c->txn);
	output_reads_free(c->txn.live);
	txn_done(&c->txn);
	buf_done(&c->packed);
	free(c);
}

uint64_t core_seq(const struct core *c)
{
	return c->txn.state->seq;
}

uint64_t core_epoch(const struct core *c)
{
	return c->txn.state->epoch;
}

bool core_keeps_old_classes(const struct core *c)
{
	return c->txn.state->epoch && !c->txn.state->class_defaults;
}

const uint8_t *core_cluster_id(const struct core *c)
{
	return c->txn.state->cluster_id;
}

void core_set_cluster(struct core *c, const uint8_t cluster_id[16])
{
	assert(!c->txn.live->begun);
	txn_set_cluster(&c->txn, cluster_id);
}

const struct state *core_state(const struct core *c)
{
	return c->txn.state;
}

bool core_idle(const struct core *c)
{
	return c->txn.state->job_live == 0;
}

int core_check(struct core *c, struct err *err)
{
	return core_state_check(&c->txn, err);
}

void core_snapshot(const struct core *c, void (*on_chunk)(void *arg, const void *data, size_t len),
		   void *arg)
{
	state_snapshot(c->txn.state, on_chunk, arg);
}

void core_hold_blobs(const struct core *c, struct arena *arena)
{
	for (const struct blob *b = c->txn.state->blobs; b; b = b->hh.next)
		arena_hold(arena, b->bytes);
}

void core_snapshot_shared(const struct core *c,
			  void (*on_chunk)(void *arg, const void *data, size_t len,
					   struct shared *tail),
			  void *arg)
{
	state_snapshot_shared(c->txn.state, on_chunk, arg);
}

void core_hash(const struct core *c, uint8_t ret_hash[32])
{
	state_hash(c->txn.state, ret_hash);
}

void core_each_record(const struct core *c,
		      void (*on_record)(void *arg, const Armada__Record *record), void *arg)
{
	state_each_record(c->txn.state, on_record, arg);
}

int core_restore(struct core *c, const void *chunk, size_t len, struct err *err)
{
	struct txn *txn = &c->txn;
	Armada__Record *r;
	int rc;

	txn_begin(txn, 0);
	r = msg_unpack_own(&armada__record__descriptor, chunk, len, txn->arena);
	if (!r)
		return err_set(err, -EINVAL, "a chunk of the snapshot is not a record");
	txn_restore(txn, r->epoch);
	rc = txn_replay(txn, r, err);
	return rc < 0 ? err_prefix(err, rc, "snapshot") : 0;
}

int core_replay(struct core *c, const void *record, size_t len, struct output *ret_output,
		struct err *err)
{
	struct txn *txn = &c->txn;
	uint64_t seq = txn->state->seq;
	Armada__Record *r;
	int rc;

	txn_begin(txn, 0);
	r = msg_unpack_own(&armada__record__descriptor, record, len, txn->arena);
	if (!r)
		return err_set(err, -EINVAL, "the data after record %" PRIu64 " is not a record",
			       seq);
	if (seq && r->seq != seq + 1)
		return err_set(err, -EINVAL, "record %" PRIu64 " follows record %" PRIu64, r->seq,
			       seq);
	rc = txn_replay(txn, r, err);
	if (rc < 0)
		return rc;
	*ret_output = (struct output){
		.effects = txn->effects,
		.effect_count = txn->effect_count,
		.seq = txn->state->seq,
	};
	return 0;
}

static void finish_output(struct core *c, struct output *out)
{
	struct txn *txn = &c->txn;
	bool changed;

	job_events_finish(txn);
	changed = txn_end(txn, &c->record, &c->packed);

	*out = (struct output){
		.effects = txn->effects,
		.effect_count = txn->effect_count,
		.wants_round = txn->wants_round,
		.unfinished = txn->unfinished,
		.seq = txn->state->seq,
	};
	if (!changed) {
		out->needs = txn->effect_count == 1 ? txn->effects[0].needs : 0;
		return;
	}
	out->record = c->packed.data;
	out->record_len = c->packed.len;
	out->decoded = &c->record;
}

void core_view(struct core *c, const struct input *in, struct output *ret_output)
{
	struct txn *txn = &c->txn;

	assert(in->kind == INPUT_MESSAGE &&
	       (msg_only_reads(in->type) || msg_before_acting(in->type)));
	if (!txn->live->release) {
		txn->live->release = xstrdup(in->release);
		txn->live->started_us = in->wall_us;
	}
	txn_begin(txn, in->wall_us);
	txn->in = in;
	route_message(txn);
	txn->in = NULL;
	finish_output(c, ret_output);
	assert(!ret_output->record);
}

void core_input(struct core *c, const struct input *in, struct output *ret_output)
{
	static void (*const handlers[])(struct txn *) = {
		[INPUT_BEGIN] = input_begin,         [INPUT_MESSAGE] = route_message,
		[INPUT_CLOSED] = input_closed,       [INPUT_TICK] = input_tick,
		[INPUT_DECISIONS] = input_decisions, [INPUT_POLICY] = input_policy,
		[INPUT_EXPLAINED] = input_explained, [INPUT_FENCED] = node_fence_input,
		[INPUT_TRIED] = input_tried,         [INPUT_FLOATING] = floating_input,
		[INPUT_COPIES] = copies_input,
	};
	struct txn *txn = &c->txn;

	assert(in->kind < ARRAY_SIZE(handlers) && handlers[in->kind]);
	assert(txn->live->begun || in->kind == INPUT_BEGIN);
	txn_begin(txn, in->wall_us);
	txn->in = in;
	handlers[in->kind](txn);
	dependency_resolve_due(txn);
	restart_pause_due(txn);
	elastic_tell(txn);
	txn->in = NULL;
	finish_output(c, ret_output);
}

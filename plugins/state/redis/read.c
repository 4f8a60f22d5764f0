/*
 * Reading the log: a replay from a snapshot, and following it as it grows.
 *
 * Only acknowledged records are given to a standby: others may vanish with the primary. What was given is
 * remembered with its hash, so a log that has other records there is noticed.
 */
#include "../sqlite/chain.h"
#include "../sqlite/crc32c.h"
#include "../sqlite/error.h"
#include "../sqlite/le.h"
#include "lead.h"
#include "link.h"
#include "stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 32, POLL_MS = 20, CRC_BYTES = 8 };

static uint64_t limit(struct engine *e, const struct head *h)
{
	return atomic_load(&e->lease_until) ? e->tail.seq : h->acked;
}

/* The log differs from what was given: bad if that was acknowledged. */
static int differs(struct engine *e, uint64_t seq, struct armada_error *err)
{
	struct place acked = acked_place(e);

	if (seq > acked.seq)
		return fail(err, -ESTALE, "the log no longer continues after record %" PRIu64, seq);
	atomic_store(&e->stopped, true);
	return fail(err, -EUCLEAN,
		    "record %" PRIu64 " of the log does not continue record %" PRIu64
		    ", and record %" PRIu64 " was acknowledged (%s/log.mark)",
		    seq + 1, seq, acked.seq, e->local.dir);
}

static int give(struct engine *e, const redisReply *r, armada_state_record_fn *on_record, void *arg,
		struct armada_error *err)
{
	struct entry x;
	int rc = entry_parse(r, &x, err);

	if (rc)
		return rc;
	if (x.seq != e->at.seq + 1 || memcmp(x.prev, e->at.hash, HASH_BYTES) != 0)
		return differs(e, e->at.seq, err);
	e->at.seq = x.seq;
	chain_next(e->at.hash, x.seq, x.data, x.len);
	if (x.seq > atomic_load(&e->local.last_seq))
		atomic_store(&e->local.last_seq, x.seq);
	return on_record ? on_record(arg, x.seq, x.data, x.len) : 0;
}

/*
 * The log begins behind the record that comes next: a snapshot has replaced what is between. The newest
 * snapshot of now decides, as in check_deleted of head.c.
 */
static int check_gap(struct engine *e, struct link *l, const redisReply *r,
		     struct armada_error *err)
{
	uint64_t first = r->elements ? read_u64(r->element[0]->element[0]->str) : 0;
	struct head now;
	int rc;

	if (first && first <= e->at.seq + 1)
		return 0;
	rc = first ? head_read(l, &now, err) : 0;
	if (rc || (first && first - 1 > now.snapshot.at.seq))
		return rc; /* a gap is reported for the record itself */
	return fail(err, -ESTALE, "the log no longer has record %" PRIu64, e->at.seq + 1);
}

/* Records after e->at up to the last one that may be given; at most so many slices, 0: all. */
static int walk(struct engine *e, struct link *l, const struct head *h, uint64_t last, int slices,
		armada_state_record_fn *on_record, void *arg, struct armada_error *err)
{
	int rc = 0;

	for (int n = 0; e->at.seq < last && !rc && (!slices || n < slices); n++) {
		redisReply *r = entries_read(l, e->at.seq + 1, last, &rc, err);

		if (!r)
			return rc;
		rc = check_gap(e, l, r, err);
		for (size_t i = 0; i < r->elements && !rc; i++)
			rc = give(e, r->element[i], on_record, arg, err);
		freeReplyObject(r);
	}
	if (!rc && e->at.seq == h->end.seq && memcmp(e->at.hash, h->end.hash, HASH_BYTES) != 0)
		rc = fail(err, -EUCLEAN,
			  "record %" PRIu64 " of the log is not the one that its head names",
			  h->end.seq);
	if (!rc && e->at.seq <= h->acked)
		acked_note(e, &e->at);
	return rc;
}

static int give_chunk(const redisReply *r, uint64_t seq, uint64_t i,
		      armada_state_record_fn *on_chunk, void *arg, struct armada_error *err)
{
	uint8_t le[16];
	uint32_t crc;

	if (r->type != REDIS_REPLY_STRING || r->len < CRC_BYTES)
		return fail(err, -EUCLEAN,
			    "the snapshot at record %" PRIu64 " lacks chunk %" PRIu64, seq, i);
	put_le64(le, seq);
	put_le64(le + 8, i);
	crc = crc32c(crc32c(0, le, sizeof(le)), r->str + CRC_BYTES, r->len - CRC_BYTES);
	if (get_le64((const uint8_t *)r->str) != crc)
		return fail(err, -EUCLEAN,
			    "chunk %" PRIu64 " of the snapshot at record %" PRIu64 " is damaged", i,
			    seq);
	return on_chunk ? on_chunk(arg, seq, r->str + CRC_BYTES, r->len - CRC_BYTES) : 0;
}

static int give_chunks(struct engine *e, struct link *l, const struct saved *s, uint64_t first,
		       armada_state_record_fn *on_chunk, void *arg, struct armada_error *err)
{
	struct command *c = calloc(1, sizeof(*c));
	char key[KEY_BYTES];
	redisReply *r;
	int rc = 0;

	if (!c)
		abort();
	snprintf(key, sizeof(key), "%ssnap%" PRIu64, e->prefix, s->slot);
	command_text(c, "HMGET");
	command_text(c, key);
	for (uint64_t i = first; i < s->chunks && i < first + CHUNKS; i++)
		command_u64(c, i);
	r = conn_call(e, l->conn, c, &rc, err);
	free(c);
	for (size_t i = 0; r && i < r->elements && !rc; i++)
		rc = give_chunk(r->element[i], s->at.seq, first + i, on_chunk, arg, err);
	if (r)
		freeReplyObject(r);
	return rc;
}

static const struct saved *base(struct engine *e, const struct head *h)
{
	uint64_t history = atomic_load(&e->local.history_seq);

	if (h->snapshot.at.seq <= history || !h->older.at.seq)
		return &h->snapshot;
	return &h->older;
}

int stream_chunks(struct engine *e, struct link *l, const struct saved *s,
		  armada_state_record_fn *on_chunk, void *arg, struct armada_error *err)
{
	int rc = 0;

	for (uint64_t i = 0; i < s->chunks && !rc; i += CHUNKS)
		rc = give_chunks(e, l, s, i, on_chunk, arg, err);
	return rc;
}

int stream_replay(void *handle, armada_state_record_fn *on_chunk, armada_state_record_fn *on_record,
		  void *arg, struct armada_error *err)
{
	struct engine *e = handle;
	struct head h;
	const struct saved *from;
	uint64_t last;
	int rc = link_ready(&e->main, &h, err);

	if (rc)
		return rc;
	lead_observe(e, &e->main, &h);
	from = base(e, &h);
	last = limit(e, &h);
	rc = stream_chunks(e, &e->main, from, on_chunk, arg, err);
	if (rc)
		return rc;
	e->at = from->at;
	if (!from->at.seq)
		chain_genesis(h.cluster_id, e->at.hash);
	if (e->at.seq > atomic_load(&e->local.last_seq))
		atomic_store(&e->local.last_seq, e->at.seq);
	return walk(e, &e->main, &h, last, 0, on_record, arg, err);
}

int stream_follow(void *handle, uint64_t after, int timeout_ms, armada_state_record_fn *on_record,
		  void *arg, uint64_t *ret_seq, uint64_t *ret_acked, struct armada_error *err)
{
	int64_t until_us = now_us() + timeout_ms * INT64_C(1000);
	struct engine *e = handle;
	struct head h;
	int rc;

	if (after == e->tail.seq && e->at.seq < after)
		e->at = e->tail; /* it led before */
	if (after != e->at.seq)
		return fail(err, -EINVAL,
			    "follow begins after record %" PRIu64 ", but record %" PRIu64
			    " was the last one given",
			    after, e->at.seq);
	for (;;) {
		rc = link_ready(&e->main, &h, err);
		if (rc)
			break;
		lead_observe(e, &e->main, &h);
		if (h.end.seq < e->at.seq)
			rc = differs(e, h.end.seq, err);
		else
			rc = walk(e, &e->main, &h, limit(e, &h), 4, on_record, arg, err);
		if (rc || e->at.seq > after || now_us() >= until_us)
			break;
		if (!engine_sleep(e, POLL_MS)) {
			rc = fail(err, -EINTR, "interrupted");
			break;
		}
	}
	*ret_seq = e->at.seq;
	*ret_acked = rc ? acked_place(e).seq : h.acked;
	return rc;
}

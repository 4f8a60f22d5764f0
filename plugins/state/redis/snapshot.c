/*
 * Snapshots, and records that they replace.
 *
 * A snapshot is a hash with a field for each chunk. There are three of them (slots): the newest snapshot, the
 * one before it, and the one that is being written. The head says which are valid, so an unfinished one is
 * overwritten. Records go in slices, because one large deletion blocks the server.
 */
#include "../sqlite/crc32c.h"
#include "../sqlite/error.h"
#include "../sqlite/le.h"
#include "lead.h"
#include "link.h"
#include "stream.h"
#include "script.h"
#include "server.h"
#include "sync.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_MAX = 256, CHUNK_BYTES_MAX = 4 << 20, CRC_BYTES = 8, SLOTS = 3 };
#define REWRITE_PAUSE_US INT64_C(10000000)

static uint64_t free_slot(const struct head *h)
{
	uint64_t slot = 0;

	while ((h->snapshot.at.seq && slot == h->snapshot.slot) ||
	       (h->older.at.seq && slot == h->older.slot))
		slot++;
	return slot;
}

/* The first part. */
static int begin(struct engine *e, uint64_t seq, struct armada_error *err)
{
	struct head h;
	int rc = link_ready(&e->main, &h, err);

	if (rc)
		return rc;
	if (seq > e->tail.seq || seq < h.snapshot.at.seq)
		return fail(err, -EINVAL,
			    "a snapshot at record %" PRIu64
			    " is refused: the last record is %" PRIu64
			    ", and the newest snapshot is at %" PRIu64,
			    seq, e->tail.seq, h.snapshot.at.seq);
	e->writing = (struct saved){.at.seq = seq, .slot = free_slot(&h)};
	if (seq == h.snapshot.at.seq)
		memcpy(e->writing.at.hash, h.snapshot.at.hash, HASH_BYTES);
	else
		rc = hash_at(&e->main, &h, seq, e->writing.at.hash, err);
	return rc;
}

static char *pack(uint64_t seq, uint64_t i, const struct armada_state_chunk *chunk)
{
	char *data = malloc(CRC_BYTES + chunk->len);
	uint8_t le[16];

	if (!data)
		abort();
	put_le64(le, seq);
	put_le64(le + 8, i);
	if (chunk->len)
		memcpy(data + CRC_BYTES, chunk->data, chunk->len);
	put_le64((uint8_t *)data, crc32c(crc32c(0, le, sizeof(le)), data + CRC_BYTES, chunk->len));
	return data;
}

/* Some chunks with one script; returns how many. */
static int put_some(struct engine *e, struct command *c, const struct armada_state_chunk *chunks,
		    size_t count, size_t *ret_count, struct armada_error *err)
{
	char keys[KEYS_BYTES], slot[16];
	char *packed[CHUNKS_MAX];
	size_t n = 0, bytes = 0;
	int rc;

	snprintf(slot, sizeof(slot), "snap%" PRIu64, e->writing.slot);
	script_begin(&e->main, c, SCRIPT_CHUNKS, keys, "head", slot);
	command_u64(c, atomic_load(&e->epoch));
	command_u64(c, e->writing.chunks);
	for (; n < count && n < CHUNKS_MAX && bytes < CHUNK_BYTES_MAX; n++) {
		packed[n] = pack(e->writing.at.seq, e->writing.chunks + n, &chunks[n]);
		command_blob(c, packed[n], CRC_BYTES + chunks[n].len);
		bytes += chunks[n].len;
	}
	rc = conn_send(e, e->main.conn, c, err);
	if (!rc)
		rc = script_read(&e->main, err);
	for (size_t i = 0; i < n; i++)
		free(packed[i]);
	e->writing.chunks += n;
	*ret_count = n;
	return rc;
}

static void add_saved(struct command *c, const struct saved *s)
{
	command_u64(c, s->at.seq);
	command_blob(c, s->at.hash, HASH_BYTES);
	command_u64(c, s->chunks);
	command_u64(c, s->slot);
}

/* The last part: the head names the snapshot. */
static int finish(struct engine *e, struct command *c, struct armada_error *err)
{
	char keys[KEYS_BYTES];
	struct saved older;
	struct head h;
	int rc = link_ready(&e->main, &h, err);

	if (rc)
		return rc;
	older = h.snapshot.at.seq <= atomic_load(&e->local.history_seq) || !h.older.at.seq
			? h.snapshot
			: h.older;
	script_begin(&e->main, c, SCRIPT_SNAPSHOT, keys, "head", NULL);
	command_u64(c, atomic_load(&e->epoch));
	add_saved(c, &e->writing);
	add_saved(c, &older);
	rc = conn_send(e, e->main.conn, c, err);
	if (!rc)
		rc = sync_send(&e->main, err);
	if (!rc)
		rc = script_read(&e->main, err);
	if (!rc)
		rc = sync_wait(&e->main, NULL, true, err);
	else
		link_close(&e->main);
	if (!rc) {
		e->kept_from = older.at.seq;
		atomic_store(&e->local.snapshot_seq, e->writing.at.seq);
	}
	return rc;
}

static int put_part(struct engine *e, const struct armada_state_part *part,
		    struct armada_error *err)
{
	struct command *c;
	size_t n = 0;
	int rc = part->first ? link_ready(&e->main, NULL, err) : begin(e, part->seq, err);

	if (!rc && (e->writing.at.seq != part->seq || e->writing.chunks != part->first))
		rc = fail(err, -EINVAL, "the part of a snapshot does not follow the one before");
	if (rc)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		abort();
	for (size_t i = 0; i < part->count && !rc; i += n)
		rc = put_some(e, c, part->chunks + i, part->count - i, &n, err);
	if (!rc && part->first + part->count == part->total)
		rc = finish(e, c, err);
	free(c);
	return rc;
}

int stream_snapshot_part(void *handle, const struct armada_state_part *part,
			 struct armada_error *err)
{
	struct engine *e = handle;
	int rc = lead_check(e, err);

	if (rc)
		return rc;
	rc = put_part(e, part, err);
	if (rc)
		e->writing = (struct saved){0};
	/* to begin again at once would fail again: the host tries another one later */
	if (rc == -EAGAIN || rc == -ENOEXEC)
		rc = -EHOSTUNREACH;
	return lead_answer(e, rc);
}

int stream_snapshot(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
		    size_t count, struct armada_error *err)
{
	struct armada_state_part part = {
		.seq = seq, .total = count, .chunks = chunks, .count = count};

	return stream_snapshot_part(handle, &part, err);
}

static int find_floor(struct engine *e, struct armada_error *err)
{
	char key[KEY_BYTES];
	int rc = 0;
	redisReply *r;

	snprintf(key, sizeof(key), "%slog", e->prefix);
	r = ASK(e, e->main.conn, &rc, err, "XRANGE", key, "-", "+", "COUNT", "1");
	if (!r)
		return rc;
	e->floor = r->elements ? read_u64(r->element[0]->element[0]->str) : e->tail.seq + 1;
	freeReplyObject(r);
	return 0;
}

static int trim(struct engine *e, uint64_t to, struct armada_error *err)
{
	struct command *c = calloc(1, sizeof(*c));
	char keys[KEYS_BYTES];
	int rc;

	if (!c)
		abort();
	script_begin(&e->main, c, SCRIPT_TRIM, keys, "head", "log");
	command_u64(c, atomic_load(&e->epoch));
	command_u64(c, to);
	rc = conn_send(e, e->main.conn, c, err);
	if (!rc)
		rc = script_read(&e->main, err);
	free(c);
	if (!rc)
		e->floor = to;
	return rc;
}

/* One server at a time rewrites its AOF: all at once delay every append. */
static void rewrite_files(struct engine *e)
{
	struct link *l = &e->main;

	if (now_us() - e->rewrite_us < REWRITE_PAUSE_US)
		return;
	e->rewrite_us = now_us();
	for (size_t i = 0; i < e->server_count; i++) {
		redisContext *c = i == l->primary ? l->conn : l->replica[i];

		if (c && !c->err && server_rewrite(e, c))
			return;
	}
}

int stream_tidy(void *handle, struct armada_error *err)
{
	struct engine *e = handle;
	uint64_t history = atomic_load(&e->local.history_seq), to;
	int rc = lead_check(e, err);

	if (!rc)
		rc = link_ready(&e->main, NULL, err);
	if (!rc && !e->floor)
		rc = find_floor(e, err);
	if (rc)
		return rc;
	to = (e->kept_from < history ? e->kept_from : history) + 1;
	if (e->floor >= to) {
		rewrite_files(e);
		return 0;
	}
	rc = trim(e, to < e->floor + SLICE ? to : e->floor + SLICE, err);
	return rc ? lead_answer(e, rc) : 1;
}

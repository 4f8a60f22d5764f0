/*
 * The head of the log: a hash with the epoch, the last record, the set of copies and the snapshots.
 *
 * The plugin checks all that it reads: a record has a checksum and the hash of its predecessor. The head must
 * not be below what this controller knows as acknowledged (its mark), nor have another record there.
 */
#include "head.h"
#include "../sqlite/chain.h"
#include "../sqlite/error.h"
#include "../sqlite/le.h"
#include "../sqlite/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const redisReply *field(const redisReply *r, const char *name)
{
	for (size_t i = 0; i + 1 < r->elements; i += 2)
		if (strcmp(r->element[i]->str, name) == 0)
			return r->element[i + 1];
	return NULL;
}

static uint64_t number(const redisReply *r, const char *name)
{
	const redisReply *f = field(r, name);

	return f ? read_u64(f->str) : 0;
}

static bool bytes(const redisReply *r, const char *name, void *to, size_t len)
{
	const redisReply *f = field(r, name);

	if (!f || f->len != len)
		return false;
	memcpy(to, f->str, len);
	return true;
}

static void text(const redisReply *r, const char *name, char to[NAME_BYTES])
{
	const redisReply *f = field(r, name);

	snprintf(to, NAME_BYTES, "%s", f ? f->str : "");
}

static size_t read_names(const redisReply *f, char names[COPIES_MAX][NAME_BYTES])
{
	size_t count = 0;

	for (const char *at = f ? f->str : ""; *at && count < COPIES_MAX;) {
		size_t len = strcspn(at, " ");

		snprintf(names[count++], NAME_BYTES, "%.*s", (int)len, at);
		at += len + strspn(at + len, " ");
	}
	return count;
}

static void read_set(const redisReply *r, struct copy_set *set)
{
	set->version = number(r, "setv");
	set->count = read_names(field(r, "set"), set->names);
	set->out_count = read_names(field(r, "out"), set->out);
}

int head_read(struct link *l, struct head *ret_head, struct armada_error *err)
{
	char key[KEY_BYTES];
	redisReply *r;
	int rc = 0;

	*ret_head = (struct head){0};
	snprintf(key, sizeof(key), "%shead", l->engine->prefix);
	r = ASK(l->engine, l->conn, &rc, err, "HGETALL", key);
	if (!r)
		return rc;
	if (r->type != REDIS_REPLY_ARRAY) {
		/* never taken for a head that is missing */
		l->conn->err = REDIS_ERR_OTHER;
		rc = fail(err, -EAGAIN, "%s: the answer about %s is no hash", conn_name(l->conn),
			  key);
	} else if (r->elements) {
		struct head *h = ret_head;

		h->exists = true;
		if (number(r, "layout") != 1)
			rc = fail(
				err, -EINVAL,
				"%s: %s was written by another release of this plugin (layout %" PRIu64
				")",
				conn_name(l->conn), key, number(r, "layout"));
		else if (!bytes(r, "cluster", h->cluster_id, CLUSTER_ID_BYTES) ||
			 !bytes(r, "hash", h->end.hash, HASH_BYTES) || !field(r, "seq") ||
			 !field(r, "epoch") || !field(r, "set"))
			rc = fail(err, -EUCLEAN, "%s: %s lacks a field", conn_name(l->conn), key);
		h->epoch = number(r, "epoch");
		h->beat = number(r, "beat");
		h->acked = number(r, "acked");
		h->lease_us = (int64_t)number(r, "lease");
		h->end.seq = number(r, "seq");
		h->snapshot = (struct saved){.at.seq = number(r, "snap"),
					     .chunks = number(r, "chunks"),
					     .slot = number(r, "slot")};
		h->older = (struct saved){.at.seq = number(r, "older"),
					  .chunks = number(r, "olderchunks"),
					  .slot = number(r, "olderslot")};
		bytes(r, "snaphash", h->snapshot.at.hash, HASH_BYTES);
		bytes(r, "olderhash", h->older.at.hash, HASH_BYTES);
		text(r, "leader", h->leader);
		text(r, "owner", h->owner);
		text(r, "heir", h->heir);
		read_set(r, &h->set);
	}
	freeReplyObject(r);
	return rc;
}

int entry_parse(const redisReply *r, struct entry *ret_entry, struct armada_error *err)
{
	const redisReply *f, *e, *c, *p, *d;
	struct entry x = {0};

	if (r->type != REDIS_REPLY_ARRAY || r->elements != 2 ||
	    r->element[1]->type != REDIS_REPLY_ARRAY)
		return fail(err, -EUCLEAN, "the log has an entry that is no record");
	x.seq = read_u64(r->element[0]->str);
	f = r->element[1];
	e = field(f, "e");
	c = field(f, "c");
	p = field(f, "p");
	d = field(f, "d");
	if (!e || !c || !p || !d || c->len != 8 || p->len != HASH_BYTES)
		return fail(err, -EUCLEAN,
			    "record %" PRIu64 " of the log is damaged: it lacks a field", x.seq);
	x.epoch = read_u64(e->str);
	x.prev = (const uint8_t *)p->str;
	x.data = d->str;
	x.len = d->len;
	if (get_le64((const uint8_t *)c->str) != chain_crc(x.prev, x.seq, x.data, x.len))
		return fail(err, -EUCLEAN,
			    "record %" PRIu64 " of the log is damaged: its checksum is wrong",
			    x.seq);
	*ret_entry = x;
	return 0;
}

redisReply *entries_read(struct link *l, uint64_t first, uint64_t last, int *ret_rc,
			 struct armada_error *err)
{
	char key[KEY_BYTES], from[24], to[24], count[16];
	redisReply *r;

	snprintf(key, sizeof(key), "%slog", l->engine->prefix);
	snprintf(from, sizeof(from), "%" PRIu64, first);
	snprintf(to, sizeof(to), "%" PRIu64, last);
	snprintf(count, sizeof(count), "%d", SLICE);
	r = ASK(l->engine, l->conn, ret_rc, err, "XRANGE", key, from, to, "COUNT", count);
	if (r && r->type != REDIS_REPLY_ARRAY) {
		*ret_rc = fail(err, -EUCLEAN, "%s: %s is no stream", conn_name(l->conn), key);
		freeReplyObject(r);
		r = NULL;
	}
	return r;
}

int hash_at(struct link *l, const struct head *h, uint64_t seq, uint8_t ret_hash[HASH_BYTES],
	    struct armada_error *err)
{
	struct entry x;
	redisReply *r;
	int rc = 0;

	if (seq == h->end.seq) {
		memcpy(ret_hash, h->end.hash, HASH_BYTES);
		return 0;
	}
	if (!seq) {
		chain_genesis(h->cluster_id, ret_hash);
		return 0;
	}
	r = entries_read(l, seq, seq, &rc, err);
	if (!r)
		return rc;
	if (!r->elements)
		rc = fail(err, -ENOENT, "the log does not have record %" PRIu64, seq);
	else
		rc = entry_parse(r->element[0], &x, err);
	if (!rc) {
		memcpy(ret_hash, x.prev, HASH_BYTES);
		chain_next(ret_hash, seq, x.data, x.len);
	}
	freeReplyObject(r);
	return rc;
}

#define REPAIR                                                                                       \
	". Nothing was changed: start a copy that has it as primary, restore a later backup on all " \
	"copies, or see armctld(8), --recover"

/* known: who knows that the record was acknowledged. */
static int backwards(struct link *l, uint64_t has, uint64_t acked, const char *known,
		     struct armada_error *err)
{
	return fail(err, -EUCLEAN,
		    "the data of %s (prefix %s) went backwards: its log ends at record %" PRIu64
		    ", but record %" PRIu64 " was acknowledged (%s)" REPAIR,
		    conn_name(l->conn), l->engine->prefix, has, acked, known);
}

/* What this controller knows: other threads raise both at any time. */
struct known {
	struct place acked;
	uint64_t history;
};

/*
 * The log no longer has the record. Snapshots of a leader can have replaced it since the head was read, so
 * the newest snapshot of now decides.
 */
static int check_deleted(struct link *l, const struct place *acked, const char *known,
			 struct armada_error *err)
{
	struct head now;
	int rc = head_read(l, &now, err);

	if (rc)
		return rc;
	return acked->seq <= now.snapshot.at.seq
		       ? 0
		       : backwards(l, acked->seq - 1, acked->seq, known, err);
}

static int check_acked(struct link *l, const struct head *h, const struct place *acked,
		       const char *known, struct armada_error *err)
{
	uint8_t hash[HASH_BYTES];
	int rc;

	if (h->end.seq < acked->seq)
		return backwards(l, h->end.seq, acked->seq, known, err);
	if (!acked->seq)
		return 0;
	rc = hash_at(l, h, acked->seq, hash, err);
	if (rc == -ENOENT)
		return check_deleted(l, acked, known, err);
	if (!rc && memcmp(hash, acked->hash, HASH_BYTES) != 0)
		rc = fail(err, -EUCLEAN,
			  "record %" PRIu64 " of %s (prefix %s, which ends at record %" PRIu64
			  ") is not the one that was acknowledged (%s)" REPAIR,
			  acked->seq, conn_name(l->conn), l->engine->prefix, h->end.seq, known);
	return rc;
}

int head_has(struct link *l, const struct head *h, const struct place *p, struct armada_error *err)
{
	return check_acked(l, h, p, "as another controller knows", err);
}

static int compare(struct link *l, const struct head *h, const struct known *known,
		   struct armada_error *err)
{
	struct engine *e = l->engine;
	uint64_t least = known->acked.seq > known->history ? known->acked.seq : known->history;
	char mark[300];

	snprintf(mark, sizeof(mark), "%s/log.mark", e->local.dir);
	if (!h->exists && !least)
		return fail(
			err, -ENOENT,
			"%s has no state under the prefix %s (a new cluster's state is made with "
			"`armctld --init`)",
			conn_name(l->conn), e->prefix);
	if (!h->exists)
		return backwards(l, 0, least, mark, err);
	if (memcmp(h->cluster_id, e->local.cluster_id, CLUSTER_ID_BYTES) != 0)
		return fail(
			err, -EINVAL,
			"the state under the prefix %s of %s belongs to another cluster than %s",
			e->prefix, conn_name(l->conn), e->local.dir);
	if (h->end.seq < known->history)
		return backwards(l, h->end.seq, known->history, mark, err);
	return check_acked(l, h, &known->acked, mark, err);
}

/*
 * The mark of this controller is read before the head. A record that another thread appends in between is in
 * neither of them, or in the head alone. In the other order its acknowledgement looked like a loss.
 */
int head_check(struct link *l, struct head *ret_head, struct armada_error *err)
{
	const struct known known = {
		.acked = acked_place(l->engine),
		.history = atomic_load(&l->engine->local.history_seq),
	};
	int rc = head_read(l, ret_head, err);

	return rc ? rc : compare(l, ret_head, &known, err);
}

struct place acked_place(struct engine *e)
{
	struct place p;

	pthread_mutex_lock(&e->lock);
	p = e->acked;
	pthread_mutex_unlock(&e->lock);
	return p;
}

void acked_note(struct engine *e, const struct place *p)
{
	struct mark mark = {.seq = p->seq};

	memcpy(mark.hash, p->hash, HASH_BYTES);
	pthread_mutex_lock(&e->lock);
	if (p->seq > e->acked.seq) {
		e->acked = *p;
		mark_put(e->local.mark_fd, &mark, false);
	}
	pthread_mutex_unlock(&e->lock);
}

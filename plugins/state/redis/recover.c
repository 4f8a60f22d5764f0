/*
 * Recovery of a log in the store that is damaged or has less than was acknowledged.
 *
 * Reading changes nothing, and does not compare with the mark before the end. A new log gets the names of
 * the old one, whose keys get other names; its epoch is above that of the old one. A log of a running
 * controller is refused: the lead must be free.
 */
#include "recover.h"
#include "../sqlite/chain.h"
#include "../sqlite/error.h"
#include "../sqlite/mark.h"
#include "head.h"
#include "lead.h"
#include "link.h"
#include "open.h"
#include "stream.h"
#include "sync.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A controller that still runs renews its lease, which shows in the beat. */
static int check_free(struct engine *e, struct link *l, struct head *h, struct armada_error *err)
{
	uint64_t beat = h->beat;
	int64_t wait_us = h->lease_us + h->lease_us / 4;

	if (!h->exists || !h->leader[0])
		return 0;
	engine_sleep(e, (int)(wait_us / 1000));
	if (head_read(l, h, err))
		return -EAGAIN;
	return h->beat == beat
		       ? 0
		       : fail(err, -EBUSY, "the controller '%s' leads: stop all controllers first",
			      h->leader);
}

static int begin(struct engine *e, struct head *h, struct armada_error *err)
{
	int rc = engine_open_dir(e, err);

	if (!rc)
		rc = link_connect(&e->main, err);
	if (!rc)
		rc = head_read(&e->main, h, err);
	return rc ? rc : check_free(e, &e->main, h, err);
}

static void note(struct armada_state_salvage *v, const char *text)
{
	if (!v->damaged)
		snprintf(v->damage, sizeof(v->damage), "%s", text);
	v->damaged = true;
}

struct keep {
	armada_state_record_fn *on_record, *on_lost;
	void *arg;
	struct place at;
	bool broken;
};

/* The chain decides what is kept; later records that are good by themselves are lost. */
static int sort_entry(struct keep *k, struct armada_state_salvage *v, const redisReply *r)
{
	struct armada_error why = {""};
	struct entry x;

	if (entry_parse(r, &x, &why)) {
		note(v, why.text);
		k->broken = true;
		return 0;
	}
	if (!k->broken && (x.seq != k->at.seq + 1 || memcmp(x.prev, k->at.hash, HASH_BYTES) != 0)) {
		snprintf(why.text, sizeof(why.text),
			 "record %" PRIu64 " of the log does not continue record %" PRIu64, x.seq,
			 k->at.seq);
		note(v, why.text);
		k->broken = true;
	}
	v->known_seq = x.seq > v->known_seq ? x.seq : v->known_seq;
	if (k->broken)
		return k->on_lost(k->arg, x.seq, x.data, x.len);
	k->at.seq = x.seq;
	chain_next(k->at.hash, x.seq, x.data, x.len);
	return k->on_record(k->arg, x.seq, x.data, x.len);
}

static int sort_log(struct link *l, struct keep *k, struct armada_state_salvage *v,
		    struct armada_error *err)
{
	uint64_t next = k->at.seq + 1;
	int rc = 0;

	for (bool more = true; more && !rc;) {
		redisReply *r = entries_read(l, next, INT64_MAX, &rc, err);

		more = r && r->elements > 0;
		for (size_t i = 0; r && i < r->elements && !rc; i++) {
			next = read_u64(r->element[i]->element[0]->str) + 1;
			rc = sort_entry(k, v, r->element[i]);
		}
		if (r)
			freeReplyObject(r);
	}
	return rc;
}

static void compare_ends(const struct engine *e, const struct head *h,
			 struct armada_state_salvage *v)
{
	struct mark mark = {0};
	char text[256];

	if (mark_read(e->local.dir_fd, &mark) && mark.seq > v->known_seq)
		v->known_seq = mark.seq;
	if (h->end.seq > v->known_seq)
		v->known_seq = h->end.seq;
	if (v->known_seq <= v->kept_seq)
		return;
	snprintf(text, sizeof(text),
		 "the log ends at record %" PRIu64 ", but record %" PRIu64 " was written",
		 v->kept_seq, v->known_seq);
	note(v, text);
}

int redis_salvage(const char *dir, const struct armada_option_value *values,
		  struct armada_state_salvage *ret_salvage, armada_state_record_fn *on_chunk,
		  armada_state_record_fn *on_record, armada_state_record_fn *on_lost, void *arg,
		  struct armada_error *err)
{
	struct keep k = {.on_record = on_record, .on_lost = on_lost, .arg = arg};
	struct armada_state_salvage v = {0};
	struct engine *e = NULL;
	struct head h;
	int rc = engine_new(&e, dir, values, NULL, err);

	if (rc)
		return rc;
	rc = begin(e, &h, err);
	if (!rc && !h.exists)
		rc = fail(
			err, -ENOENT,
			"there is no log under the prefix %s: nothing can be kept; restore a backup",
			e->prefix);
	if (!rc) {
		memcpy(v.cluster_id, h.cluster_id, CLUSTER_ID_BYTES);
		v.snapshot_seq = h.snapshot.at.seq;
		k.at = h.snapshot.at;
		if (!k.at.seq)
			chain_genesis(h.cluster_id, k.at.hash);
		rc = stream_chunks(e, &e->main, &h.snapshot, on_chunk, arg, err);
	}
	if (!rc)
		rc = sort_log(&e->main, &k, &v, err);
	if (!rc) {
		v.kept_seq = k.at.seq;
		compare_ends(e, &h, &v);
		*ret_salvage = v;
	}
	engine_close(e);
	return rc;
}

static int rename_keys(struct engine *e, const char *suffix, struct armada_error *err)
{
	static const char *const names[] = {"log", "snap0", "snap1", "snap2", "head"};
	int rc = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !rc; i++) {
		char from[KEY_BYTES], to[KEY_BYTES];
		redisReply *r;
		bool there;

		snprintf(from, sizeof(from), "%s%s", e->prefix, names[i]);
		snprintf(to, sizeof(to), "%.100s%s%s", e->prefix, names[i], suffix);
		r = ASK(e, e->main.conn, &rc, err, "EXISTS", from);
		if (!r)
			return rc;
		there = r->integer > 0;
		freeReplyObject(r);
		if (!there)
			continue;
		r = ASK(e, e->main.conn, &rc, err, "RENAME", from, to);
		if (r)
			freeReplyObject(r);
	}
	return rc;
}

/* An empty log that ends at seq, which then gets its snapshot. */
static int make_log(struct engine *e, uint64_t seq, uint64_t epoch,
		    const struct armada_state_chunk *chunks, size_t count, struct armada_error *err)
{
	struct armada_replica_lead lead;
	struct mark mark = {.seq = seq};
	int rc;

	chain_genesis(e->local.cluster_id, mark.hash);
	e->acked.seq = 0;
	rc = engine_write_head(e, seq, epoch, err);
	if (!rc)
		rc = lead_take(e, 1, &lead, err);
	if (!rc)
		rc = stream_snapshot(e, seq, chunks, count, err);
	if (!rc)
		rc = lead_resign(e, NULL, err);
	if (!rc)
		rc = mark_put(e->local.mark_fd, &mark, true);
	return rc;
}

int redis_replace_log(const char *dir, const struct armada_option_value *values,
		      const uint8_t cluster_id[CLUSTER_ID_BYTES], uint64_t seq,
		      const struct armada_state_chunk *chunks, size_t count, char ret_suffix[64],
		      struct armada_error *err)
{
	struct engine *e = NULL;
	time_t now = time(NULL);
	struct mark old;
	struct head h;
	struct tm tm;
	int rc = engine_new(&e, dir, values, NULL, err);

	if (rc)
		return rc;
	localtime_r(&now, &tm);
	strftime(ret_suffix, 64, ".damaged-%Y%m%dT%H%M%S", &tm);
	memcpy(e->local.cluster_id, cluster_id, CLUSTER_ID_BYTES);
	rc = begin(e, &h, err);
	if (!rc && mark_open(&e->local, &old, err) < 0)
		rc = -EIO;
	if (!rc)
		rc = rename_keys(e, ret_suffix, err);
	if (!rc)
		rc = make_log(e, seq, h.epoch, chunks, count, err);
	engine_close(e);
	return rc;
}

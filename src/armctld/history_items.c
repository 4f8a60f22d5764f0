/*
 * Reading the items of a page of the history (history_items.h).
 *
 * The columns of a row are those of its packed JobRow, so the two cannot differ. A script or an environment
 * counts under the hash of its bytes, not under the one that it was sent with.
 */
#include "armctld/history_items.h"

#include "util/mem.h"
#include "util/shared.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

enum { HASH = 32, BLOB_BYTES = 32 << 20 };
/* The codes of a row among those of an attempt (ARMADA_ENDS_ALL). */
enum { CODE_START, CODE_ATTEMPT, CODE_END, CODES = 4 };

struct reader {
	struct arena *arena;
	struct history_blobs *blobs;
	struct history_blobs known; /* what was remembered before the page: the arena holds it */
	struct effect *list;
	size_t count;
	struct err *err;
};

static int wrong(struct reader *r, const char *what, uint64_t job)
{
	return err_set(r->err, -EBADMSG, "a page of the history has %s of job %" PRIu64, what, job);
}

static struct effect *add(struct reader *r)
{
	struct effect *e = &r->list[r->count++];

	memset(e, 0, sizeof(*e));
	e->kind = EFFECT_HISTORY;
	return e;
}

/* ---- scripts and environments ---- */

void history_blobs_done(struct history_blobs *b)
{
	for (size_t i = 0; i < b->count; i++)
		shared_drop(b->list[i].bytes);
	b->count = 0;
}

static struct history_blob *blob_find(struct history_blobs *b, const uint8_t hash[HASH])
{
	for (size_t i = 0; i < b->count; i++)
		if (memcmp(b->list[i].hash, hash, HASH) == 0)
			return &b->list[i];
	return NULL;
}

static size_t blob_sum(const struct history_blobs *b)
{
	size_t sum = 0;

	for (size_t i = 0; i < b->count; i++)
		sum += b->list[i].bytes->len;
	return sum;
}

/* The oldest one leaves. */
static void blob_drop_first(struct history_blobs *b)
{
	shared_drop(b->list[0].bytes);
	memmove(b->list, b->list + 1, --b->count * sizeof(b->list[0]));
}

static void keep_blob(struct history_blobs *b, const ProtobufCBinaryData *data)
{
	struct history_blob new_blob;

	crypto_generichash(new_blob.hash, HASH, data->data, data->len, NULL, 0);
	if (blob_find(b, new_blob.hash))
		return;
	new_blob.bytes = shared_new(data->data, data->len);
	while (b->count == HISTORY_BLOBS || (b->count && blob_sum(b) + data->len > BLOB_BYTES))
		blob_drop_first(b);
	b->list[b->count++] = new_blob;
}

/* -ENOENT: it neither came with the page nor is it remembered. */
static int take_blob(struct reader *r, const Armada__CopyHistoryReply *m,
		     const ProtobufCBinaryData *hash, struct armada_history_blob *to,
		     struct shared **ret_bytes)
{
	struct history_blob *b;

	if (!hash->len)
		return 0;
	if (hash->len != HASH)
		return -EBADMSG;
	b = blob_find(&r->known, hash->data);
	if (!b)
		b = blob_find(r->blobs, hash->data);
	for (size_t i = 0; !b && i < m->n_blobs; i++)
		if (m->blobs[i]->hash.len == HASH &&
		    memcmp(m->blobs[i]->hash.data, hash->data, HASH) == 0) {
			keep_blob(r->blobs, &m->blobs[i]->data);
			b = blob_find(r->blobs, hash->data);
		}
	if (!b)
		return -ENOENT;
	arena_hold(r->arena, b->bytes);
	memcpy(to->hash, b->hash, HASH);
	to->data = b->bytes->data;
	to->len = b->bytes->len;
	*ret_bytes = b->bytes;
	return 0;
}

static int read_job(struct reader *r, const Armada__CopyHistoryReply *m, const Armada__CopiedJob *j)
{
	struct armada_history_job *h = arena_zalloc(r->arena, 1, sizeof(*h));
	struct effect *e = add(r);

	if (j->job > INT64_MAX || !j->seq || j->seq > INT64_MAX)
		return wrong(r, "an impossible number", j->job);
	if (!msg_unpack_as(&armada__show_job_reply__descriptor, j->detail.data, j->detail.len,
			   r->arena, r->err))
		return wrong(r, "a description that cannot be read", j->job);
	h->seq = j->seq;
	h->job = j->job;
	h->detail = j->detail.data;
	h->detail_len = j->detail.len;
	if (take_blob(r, m, &j->script, &h->script, &e->script) ||
	    take_blob(r, m, &j->env, &h->env, &e->env))
		return wrong(r, "no script or environment", j->job);
	e->history_job = h;
	return 0;
}

/* ---- rows ---- */

static const char *join_nodes(struct reader *r, const Armada__JobRow *row)
{
	CLEANUP_BUF struct buf nodes = {0};

	for (size_t i = 0; i < row->n_nodes; i++)
		buf_addf(&nodes, "%s%s", i ? "," : "", row->nodes[i]);
	return arena_strdup(r->arena, nodes.len ? (char *)nodes.data : "");
}

static int check_row(struct reader *r, const Armada__CopiedRow *c, const Armada__JobRow *row)
{
	uint32_t code = c->code % CODES;

	if (row->job > INT64_MAX || !c->seq || c->seq > INT64_MAX ||
	    row->attempt != c->code / CODES)
		return wrong(r, "an impossible number", row->job);
	if (row->n_elements != 1 || row->elements[0]->first > row->elements[0]->last)
		return wrong(r, "a row without elements", row->job);
	if (code > CODE_END || row->requeued != (code == CODE_ATTEMPT))
		return wrong(r, "a row of an unknown kind", row->job);
	return 0;
}

static int read_row(struct reader *r, const Armada__CopiedRow *c)
{
	struct armada_history_row *h = arena_zalloc(r->arena, 1, sizeof(*h));
	struct effect *e = add(r);
	Armada__JobRow *row = msg_unpack_as(&armada__job_row__descriptor, c->row.data, c->row.len,
					    r->arena, r->err);
	int rc;

	if (!row)
		return err_prefix(r->err, -EBADMSG, "a page of the history");
	rc = check_row(r, c, row);
	if (rc < 0)
		return rc;
	*h = (struct armada_history_row){
		.seq = c->seq,
		.job = row->job,
		.first_element = row->elements[0]->first,
		.last_element = row->elements[0]->last,
		.attempt = row->attempt,
		.uid = row->uid,
		.user = row->user,
		.queue = row->queue,
		.job_set = row->job_set,
		.name = row->name,
		.account = row->account,
		.nodes = join_nodes(r, row),
		.state = row->state,
		.submit_us = row->submit_us,
		.start_us = row->start_us,
		.end_us = row->end_us,
		.row = c->row.data,
		.row_len = c->row.len,
		.start = c->code % CODES == CODE_START,
	};
	if (c->code % CODES == CODE_END)
		e->row = h;
	else
		e->attempt = h;
	return 0;
}

/* ---- shares and events ---- */

static int read_share(struct reader *r, const Armada__CopiedShare *c)
{
	struct armada_history_share *h = arena_zalloc(r->arena, 1, sizeof(*h));
	const Armada__ShareSample *s = c->sample;
	struct effect *e = add(r);

	if (!s || !s->queue[0] || !c->seq || c->seq > INT64_MAX)
		return err_set(r->err, -EBADMSG,
			       "a page of the history has a share without a queue or a record");
	*h = (struct armada_history_share){
		.seq = c->seq,
		.time_us = s->time_us,
		.queue = s->queue,
		.fairness = c->fairness,
		.cost = s->cost,
		.fair = s->fair,
		.capped = s->capped,
		.weight = s->weight,
		.memory = s->memory,
		.factor = s->factor,
		.from_us = s->from_us,
		.level = s->level,
		.unknown_after = s->unknown_after,
	};
	e->shares = h;
	e->share_count = 1;
	return 0;
}

static int read_event(struct reader *r, const Armada__CopiedEvent *c)
{
	struct armada_history_event *h = arena_zalloc(r->arena, 1, sizeof(*h));
	struct effect *e = add(r);

	if (c->job > INT64_MAX || !c->number || c->number > INT64_MAX)
		return wrong(r, "an event with an impossible number", c->job);
	if (!msg_unpack_as(&armada__job_event__descriptor, c->body.data, c->body.len, r->arena,
			   r->err))
		return wrong(r, "an event that cannot be read", c->job);
	*h = (struct armada_history_event){
		.queue = c->queue,
		.job_set = c->job_set,
		.number = c->number,
		.time_us = c->time_us,
		.job = c->job,
		.first_element = c->first_element,
		.last_element = c->last_element,
		.uid = c->uid,
		.kind = c->kind,
		.body = c->body.data,
		.body_len = c->body.len,
	};
	e->events = h;
	e->event_count = 1;
	return 0;
}

int history_items_read(const Armada__CopyHistoryReply *m, struct history_blobs *blobs,
		       struct arena *arena, struct effect **ret_list, size_t *ret_count,
		       struct err *err)
{
	size_t total = m->n_shares + m->n_events + m->n_jobs + m->n_rows;
	struct reader r = {.arena = arena, .blobs = blobs, .known = *blobs, .err = err};
	int rc = 0;

	for (size_t i = 0; i < blobs->count; i++)
		arena_hold(arena, blobs->list[i].bytes);
	r.list = arena_zalloc(arena, total + 1, sizeof(*r.list));
	for (size_t i = 0; rc == 0 && i < m->n_shares; i++)
		rc = read_share(&r, m->shares[i]);
	for (size_t i = 0; rc == 0 && i < m->n_events; i++)
		rc = read_event(&r, m->events[i]);
	for (size_t i = 0; rc == 0 && i < m->n_jobs; i++)
		rc = read_job(&r, m, m->jobs[i]);
	for (size_t i = 0; rc == 0 && i < m->n_rows; i++)
		rc = read_row(&r, m->rows[i]);
	if (rc < 0)
		return rc;
	*ret_list = r.list;
	*ret_count = r.count;
	return 0;
}

/*
 * A page of the history for another controller (history_page.h). Input: a place, and the read calls of the
 * state plugin. Output: what follows the place, and the place after it.
 *
 * The parts are read in the order of HistoryPart. Each has a cursor in the place, which moves with
 * everything that is looked at, also with what is not for the other controller. A script that several jobs
 * of a page have is in it once. Caveat: events have no record, so all of them are given; the other
 * controller keeps those that it has.
 */
#include "armctld/history_page.h"

#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 512 << 10, PAGE_US = 50000, ROWS = 1000, JOBS = 200, HASH = 32, HASHES = 1024 };

struct page {
	const struct armada_state_ops *state;
	void *handle;
	const Armada__CopyHistoryRequest *request;
	uint64_t upto; /* the last record whose rows are given */
	struct arena *arena;
	int64_t until_us;
	size_t bytes;
	bool over; /* the part is at its end */
	size_t seen;
	Armada__HistoryPlace from, place; /* of the request, and of the answer */
	Armada__CopyHistoryReply reply;
	size_t row_cap, job_cap, share_cap, event_cap, blob_cap;
	struct armada_error err;
};

static bool is_full(const struct page *p)
{
	return p->bytes >= PAGE_BYTES || clock_us(CLOCK_MONOTONIC) >= p->until_us;
}

static ProtobufCBinaryData copy_of(struct page *p, const void *data, size_t len)
{
	p->bytes += len;
	return (ProtobufCBinaryData){len, arena_memdup(p->arena, len ? data : "", len ? len : 1)};
}

static char *text_of(struct page *p, const char *text)
{
	p->bytes += strlen(text);
	return arena_strdup(p->arena, text);
}

/* ---- shares, the last first ---- */

static bool was_given(const Armada__HistoryPlace *place, const struct armada_history_share *s)
{
	return place->time_us &&
	       (s->time_us > place->time_us ||
		(s->time_us == place->time_us && strcmp(s->queue, place->queue) >= 0));
}

static void add_share(struct page *p, const struct armada_history_share *s)
{
	Armada__CopiedShare *to = arena_alloc(p->arena, sizeof(*to));
	Armada__ShareSample *sample = arena_alloc(p->arena, sizeof(*sample));

	armada__copied_share__init(to);
	armada__share_sample__init(sample);
	to->seq = s->seq;
	to->fairness = text_of(p, s->fairness);
	to->sample = sample;
	sample->time_us = s->time_us;
	sample->queue = text_of(p, s->queue);
	sample->cost = s->cost;
	sample->fair = s->fair;
	sample->capped = s->capped;
	sample->weight = s->weight;
	sample->memory = s->memory;
	sample->factor = s->factor;
	sample->from_us = s->from_us;
	sample->level = s->level;
	sample->unknown_after = s->unknown_after;
	p->bytes += sizeof(*sample);
	GROW(p->reply.shares, p->share_cap, p->reply.n_shares + 1);
	p->reply.shares[p->reply.n_shares++] = to;
}

static int on_share(void *arg, const struct armada_history_share *s)
{
	struct page *p = arg;

	if (was_given(&p->from, s))
		return 0;
	if (s->seq <= p->request->after) {
		p->over = true;
		return 1;
	}
	if (s->seq <= p->upto)
		add_share(p, s);
	p->place.time_us = s->time_us;
	p->place.queue = arena_strdup(p->arena, s->queue);
	return is_full(p) ? 1 : 0;
}

static int read_shares(struct page *p)
{
	int64_t until_us = p->place.time_us ? p->place.time_us : INT64_MAX;
	int rc = p->state->shares_find ? p->state->shares_find(p->handle, NULL, 0, INT64_MIN,
							       until_us, on_share, p, &p->err)
				       : 0;

	p->over |= rc == 0;
	return rc;
}

/* ---- events ---- */

static int on_event(void *arg, const struct armada_history_event *e)
{
	struct page *p = arg;
	Armada__CopiedEvent *to = arena_alloc(p->arena, sizeof(*to));

	armada__copied_event__init(to);
	to->queue = text_of(p, e->queue);
	to->job_set = text_of(p, e->job_set);
	to->number = e->number;
	to->time_us = e->time_us;
	to->job = e->job;
	to->first_element = e->first_element;
	to->last_element = e->last_element;
	to->uid = e->uid;
	to->kind = e->kind;
	to->body = copy_of(p, e->body, e->body_len);
	p->bytes += sizeof(*to);
	GROW(p->reply.events, p->event_cap, p->reply.n_events + 1);
	p->reply.events[p->reply.n_events++] = to;
	p->place.queue = to->queue;
	p->place.job_set = to->job_set;
	p->place.number = e->number;
	return is_full(p) ? 1 : 0;
}

static int read_events(struct page *p)
{
	int rc = p->state->events_after
			 ? p->state->events_after(p->handle, p->place.queue, p->place.job_set,
						  p->place.number, on_event, p, &p->err)
			 : 0;

	p->over |= rc == 0;
	return rc;
}

/* ---- jobs ---- */

static struct armada_history_place place_of(const struct page *p)
{
	/* nothing of the record `after` */
	if (!p->place.seq)
		return (struct armada_history_place){p->request->after, INT64_MAX, UINT32_MAX,
						     UINT32_MAX};
	return (struct armada_history_place){p->place.seq, p->place.job, p->place.element,
					     p->place.code};
}

static int on_job(void *arg, const struct armada_history_place *at, const void *data, size_t len)
{
	struct page *p = arg;
	Armada__CopiedJob *to;

	p->seen++;
	if (at->seq > p->upto) {
		p->over = true;
		return 1;
	}
	to = arena_alloc(p->arena, sizeof(*to));
	armada__copied_job__init(to);
	to->seq = at->seq;
	to->job = at->job;
	to->detail = copy_of(p, data, len);
	p->bytes += sizeof(*to);
	GROW(p->reply.jobs, p->job_cap, p->reply.n_jobs + 1);
	p->reply.jobs[p->reply.n_jobs++] = to;
	return is_full(p) ? 1 : 0;
}

static bool is_known(const struct page *p, const uint8_t hash[HASH])
{
	for (size_t i = 0; i < p->request->n_known; i++)
		if (p->request->known[i].len == HASH &&
		    memcmp(p->request->known[i].data, hash, HASH) == 0)
			return true;
	for (size_t i = 0; i < p->reply.n_blobs; i++)
		if (memcmp(p->reply.blobs[i]->hash.data, hash, HASH) == 0)
			return true;
	return false;
}

/* The hash, and the blob itself if it is not in the page yet. */
static ProtobufCBinaryData add_blob(struct page *p, const void *data, size_t len)
{
	Armada__CopiedBlob *to;
	uint8_t hash[HASH];

	if (!data)
		return (ProtobufCBinaryData){0, NULL};
	crypto_generichash(hash, sizeof(hash), data, len, NULL, 0);
	if (!is_known(p, hash)) {
		to = arena_alloc(p->arena, sizeof(*to));
		armada__copied_blob__init(to);
		to->hash = copy_of(p, hash, sizeof(hash));
		to->data = copy_of(p, data, len);
		GROW(p->reply.blobs, p->blob_cap, p->reply.n_blobs + 1);
		p->reply.blobs[p->reply.n_blobs++] = to;
	}
	return copy_of(p, hash, sizeof(hash));
}

static int complete_job(struct page *p, Armada__CopiedJob *job)
{
	void *detail = NULL, *script = NULL, *env = NULL;
	size_t detail_len, script_len = 0, env_len = 0;
	int rc = p->state->history_job(p->handle, job->job, &detail, &detail_len, &script,
				       &script_len, &env, &env_len, &p->err);

	if (rc == 0) {
		job->script = add_blob(p, script, script_len);
		job->env = add_blob(p, env, env_len);
	}
	free(detail);
	free(script);
	free(env);
	/* it was deleted meanwhile, because it is old */
	return rc == -ENOENT ? 0 : rc;
}

/* The plugin is not called by its own callback, so the scripts are read afterwards. */
static int read_jobs(struct page *p)
{
	struct armada_history_place at = place_of(p);
	uint64_t behind;
	size_t n = 0;
	int rc = p->state->ends_find(p->handle, &at, ARMADA_ENDS_JOBS, JOBS, on_job, p, &behind,
				     &p->err);

	p->over |= rc == 0 && p->seen < JOBS;
	for (; rc >= 0 && n < p->reply.n_jobs; n++) {
		rc = complete_job(p, p->reply.jobs[n]);
		p->place.seq = p->reply.jobs[n]->seq;
		p->place.job = p->reply.jobs[n]->job;
		if (rc == 0 && is_full(p) && n + 1 < p->reply.n_jobs) {
			p->over = false;
			p->reply.n_jobs = n + 1;
		}
	}
	return rc;
}

/* ---- rows ---- */

static int on_row(void *arg, const struct armada_history_place *at, const void *data, size_t len)
{
	struct page *p = arg;
	Armada__CopiedRow *to;

	p->seen++;
	if (at->seq > p->upto) {
		p->over = true;
		return 1;
	}
	to = arena_alloc(p->arena, sizeof(*to));
	armada__copied_row__init(to);
	to->seq = at->seq;
	to->code = at->attempt;
	to->row = copy_of(p, data, len);
	p->bytes += sizeof(*to);
	GROW(p->reply.rows, p->row_cap, p->reply.n_rows + 1);
	p->reply.rows[p->reply.n_rows++] = to;
	p->place.seq = at->seq;
	p->place.job = at->job;
	p->place.element = at->first_element;
	p->place.code = at->attempt;
	return is_full(p) ? 1 : 0;
}

static int read_rows(struct page *p)
{
	struct armada_history_place at = place_of(p);
	uint64_t behind;
	int rc = p->state->ends_find(p->handle, &at, ARMADA_ENDS_ALL, ROWS, on_row, p, &behind,
				     &p->err);

	p->over |= rc == 0 && p->seen < ROWS;
	return rc;
}

/* ---- the page ---- */

static void next_part(struct page *p)
{
	Armada__HistoryPart part = p->place.part + 1;

	armada__history_place__init(&p->place);
	p->place.part = part;
	p->from = p->place;
}

static int read_parts(struct page *p)
{
	static int (*const parts[])(struct page * p) = {
		[ARMADA__HISTORY_PART__HISTORY_SHARES] = read_shares,
		[ARMADA__HISTORY_PART__HISTORY_EVENTS] = read_events,
		[ARMADA__HISTORY_PART__HISTORY_JOBS] = read_jobs,
		[ARMADA__HISTORY_PART__HISTORY_ROWS] = read_rows,
	};
	int rc = 0;

	while (rc >= 0 && (size_t)p->place.part < ARRAY_SIZE(parts) && !is_full(p)) {
		p->over = false;
		p->seen = 0;
		rc = parts[p->place.part](p);
		if (rc < 0 || !p->over)
			break;
		next_part(p);
	}
	return rc;
}

void history_page(const struct armada_state_ops *state, void *handle, const uint8_t *body,
		  size_t len, const struct history_extent *extent,
		  struct history_answer *ret_answer)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct page p = {.state = state, .handle = handle, .arena = arena};
	const Armada__CopyHistoryRequest *m =
		msg_unpack_own(&armada__copy_history_request__descriptor, body, len, arena);

	if (!m || !state->ends_find) {
		history_answer_error(ret_answer, 1, "the history of this state cannot be copied");
		return;
	}
	p.request = m;
	p.upto = m->upto < extent->complete ? m->upto : extent->complete;
	p.until_us = clock_us(CLOCK_MONOTONIC) + PAGE_US;
	armada__history_place__init(&p.from);
	if (m->place)
		p.from = *m->place;
	p.place = p.from;
	armada__copy_history_reply__init(&p.reply);
	p.reply.complete = extent->complete;
	p.reply.lacks = extent->lacks;
	p.reply.place = &p.place;
	if (p.upto > m->after && read_parts(&p) < 0)
		history_answer_error(ret_answer, 1, p.err.text);
	else
		history_answer_set(ret_answer, MSG_COPY_HISTORY_REPLY, &p.reply);
	free(p.reply.rows);
	free(p.reply.jobs);
	free(p.reply.shares);
	free(p.reply.events);
	free(p.reply.blobs);
}

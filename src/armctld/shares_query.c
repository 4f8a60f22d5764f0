#include "armctld/shares_query.h"

#include "util/mem.h"

#include <string.h>

/* A sample has about 110 bytes and its name. */
enum { SAMPLES_MAX = 50000, BYTES_MAX = 6 << 20, SAMPLE_BYTES = 110 };

/* Samples, collected from the latest to the earliest. */
struct samples {
	struct arena *arena;
	Armada__ShareSample **list;
	size_t count, cap, bytes;
	char *fairness; /* of the youngest */
	bool cut;
};

static int on_share(void *arg, const struct armada_history_share *h)
{
	struct samples *s = arg;
	Armada__ShareSample *m;

	/* samples of one time stay together */
	if ((s->count >= SAMPLES_MAX || s->bytes > BYTES_MAX) &&
	    s->list[s->count - 1]->time_us != h->time_us) {
		s->cut = true;
		return 1;
	}
	if (!s->fairness)
		s->fairness = arena_strdup(s->arena, h->fairness);
	m = arena_alloc(s->arena, sizeof(*m));
	armada__share_sample__init(m);
	m->time_us = h->time_us;
	m->queue = arena_strdup(s->arena, h->queue);
	m->from_us = h->from_us;
	m->unknown_after = h->unknown_after;
	m->cost = h->cost;
	m->level = h->level;
	m->fair = h->fair;
	m->capped = h->capped;
	m->weight = h->weight;
	m->memory = h->memory;
	m->factor = h->factor;
	s->bytes += SAMPLE_BYTES + strlen(h->queue);
	GROW(s->list, s->cap, s->count + 1);
	s->list[s->count++] = m;
	return 0;
}

static void reverse(struct samples *s)
{
	for (size_t i = 0; i < s->count / 2; i++) {
		Armada__ShareSample *m = s->list[i];

		s->list[i] = s->list[s->count - 1 - i];
		s->list[s->count - 1 - i] = m;
	}
}

static int find(const struct armada_state_ops *state, void *handle,
		const Armada__SharesRequest *req, struct samples *s, struct err *err)
{
	struct armada_error why = {""};
	int rc = 0;

	if (state->shares_find)
		rc = state->shares_find(handle, (const char *const *)req->queues, req->n_queues,
					req->since_us, req->until_us ? req->until_us : INT64_MAX,
					on_share, s, &why);
	return rc >= 0 ? 0
		       : err_set(err, rc, "%s",
				 why.text[0] ? why.text : "the history cannot be read");
}

void shares_query(const struct armada_state_ops *state, void *handle, const uint8_t *body,
		  size_t len, struct history_answer *ret_answer)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__SharesReply reply = ARMADA__SHARES_REPLY__INIT;
	struct samples s = {.arena = arena};
	const Armada__SharesRequest *req;
	struct err err;

	buf_clear(&ret_answer->body);
	req = msg_unpack_as(&armada__shares_request__descriptor, body, len, arena, &err);
	if (!req || find(state, handle, req, &s, &err) < 0) {
		history_answer_error(ret_answer, 1, err.text);
		free(s.list);
		return;
	}
	reverse(&s);
	reply.samples = s.list;
	reply.n_samples = s.count;
	reply.cut = s.cut;
	reply.fairness = s.fairness ? s.fairness : (char *)"";
	ret_answer->type = MSG_SHARES_REPLY;
	msg_pack(&reply, &ret_answer->body);
	free(s.list);
}

#include "conf/conf.h"
#include "core/bucket.h"
#include "core/depend.h"
#include "core/vacancy.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

struct core *core_new(const struct core_policy *policy)
{
	struct core *c = xcalloc(1, sizeof(*c));

	c->policy = policy;
	c->next_job = 1;
	c->next_vacancy = VACANCY_IDS;
	c->arena = arena_new(0);
	c->opened = xcalloc(1, sizeof(*c->opened));
	TAILQ_INIT(&c->keys_by_age);
	TAILQ_INIT(&c->buckets_by_use);
	LIST_INIT(&c->waiters);
	LIST_INIT(&c->avoiding);
	armada__record__init(&c->record);
	for (size_t i = 0; i < CONF_RESOURCES; i++)
		c->resource_names[c->resource_count++] = xstrdup(conf_resources[i]);
	return c;
}

static void free_tables(struct core *c)
{
	struct submit_key *k;
	struct waiter *w;

	for (size_t i = c->job_slots; i > 0; i--)
		if (i <= c->job_slots && c->jobs[i - 1])
			job_drop(c, c->jobs[i - 1]);
	while (c->queues)
		queue_drop(c, c->queues);
	buckets_free(c);
	while (c->nodes)
		node_drop(c, c->nodes);
	while (c->blobs) {
		c->blobs->refs = 0;
		blob_drop_unused(c, c->blobs);
	}
	while ((k = TAILQ_FIRST(&c->keys_by_age))) {
		TAILQ_REMOVE(&c->keys_by_age, k, by_age);
		HASH_DEL(c->keys, k);
		free(k);
	}
	while ((w = LIST_FIRST(&c->waiters))) {
		LIST_REMOVE(w, all);
		free(w);
	}
}

void core_free(struct core *c)
{
	if (!c)
		return;
	free_tables(c);
	for (size_t i = 0; i < c->resource_count; i++)
		free(c->resource_names[i]);
	free(c->cluster);
	free(c->release);
	free(c->jobs);
	free(c->job_ids);
	free(c->events);
	free(c->wakes);
	free(c->effects);
	buf_done(&c->packed);
	round_free(c);
	arena_free(c->arena);
	free(c->opened);
	free(c);
}

uint64_t core_seq(const struct core *c)
{
	return c->seq;
}

uint64_t core_epoch(const struct core *c)
{
	return c->epoch;
}

const uint8_t *core_cluster_id(const struct core *c)
{
	return c->cluster_id;
}

void core_set_cluster(struct core *c, const uint8_t cluster_id[16])
{
	assert(!c->begun && !c->seq);
	memcpy(c->cluster_id, cluster_id, sizeof(c->cluster_id));
}

static void start_output(struct core *c, int64_t wall_us)
{
	arena_clear(c->arena);
	c->opened->spec = NULL;
	c->looked_at = NULL;
	c->looked_work = 0;
	c->sight = (struct sight){.known = false};
	c->event_count = 0;
	c->effect_count = 0;
	c->wants_round = c->unfinished = false;
	c->now_us = wall_us > c->last_wall_us ? wall_us : c->last_wall_us;
	c->record.version = RECORD_VERSION;
	c->record.seq = c->seq + 1;
	c->record.wall_us = c->now_us;
}

static void finish_output(struct core *c, struct output *out)
{
	*out = (struct output){
		.effects = c->effects,
		.effect_count = c->effect_count,
		.wants_round = c->wants_round,
		.unfinished = c->unfinished,
		.seq = c->seq,
	};
	if (!c->event_count) {
		out->needs = c->effect_count == 1 ? c->effects[0].needs : 0;
		return;
	}
	c->record.epoch = c->epoch;
	c->record.events = c->events;
	c->record.n_events = c->event_count;
	buf_clear(&c->packed);
	msg_pack(&c->record, &c->packed);
	c->seq = c->record.seq;
	c->last_wall_us = c->record.wall_us;
	out->seq = c->seq;
	out->record = c->packed.data;
	out->record_len = c->packed.len;
	out->decoded = &c->record;
}

int core_replay(struct core *c, const void *record, size_t len, struct output *ret_output,
		struct err *err)
{
	Armada__Record *r;
	int rc;

	start_output(c, 0);
	r = msg_unpack_own(&armada__record__descriptor, record, len, c->arena);
	if (!r)
		return err_set(err, -EINVAL, "what follows record %" PRIu64 " is no record",
			       c->seq);
	if (c->seq && r->seq != c->seq + 1)
		return err_set(err, -EINVAL, "record %" PRIu64 " follows record %" PRIu64, r->seq,
			       c->seq);
	rc = fold_record(c, r, err);
	if (rc < 0)
		return rc;
	*ret_output = (struct output){
		.effects = c->effects,
		.effect_count = c->effect_count,
		.seq = c->seq,
	};
	return 0;
}

void core_input(struct core *c, const struct input *in, struct output *ret_output)
{
	static void (*const handlers[])(struct core *) = {
		[INPUT_BEGIN] = input_begin,         [INPUT_MESSAGE] = route_message,
		[INPUT_CLOSED] = input_closed,       [INPUT_TICK] = input_tick,
		[INPUT_DECISIONS] = input_decisions, [INPUT_POLICY] = input_policy,
		[INPUT_EXPLAINED] = input_explained, [INPUT_FENCED] = input_fenced,
	};

	assert(in->kind < ARRAY_SIZE(handlers) && handlers[in->kind]);
	assert(c->begun || in->kind == INPUT_BEGIN);
	start_output(c, in->wall_us);
	c->in = in;
	handlers[in->kind](c);
	follow_due(c);
	c->in = NULL;
	finish_output(c, ret_output);
}

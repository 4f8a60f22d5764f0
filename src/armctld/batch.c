/*
 * Copies of the core's output on its way through the commit (batch.h). Input: an output of the
 * core. Output: a batch with its records and effects in one arena. Everything that an effect points
 * to is copied, because the core's output is valid only until the next input.
 */
#include "armctld/batch.h"
#include "util/mem.h"
#include "util/shared.h"

#include <string.h>

struct batch *batch_new(void)
{
	struct batch *b = xcalloc(1, sizeof(*b));

	b->arena = arena_new(0);
	STAILQ_INIT(&b->outcomes);
	return b;
}

void batch_free(struct batch *b)
{
	if (!b)
		return;
	snapshot_free(b->snapshot);
	free(b->records);
	arena_free(b->arena);
	free(b);
}

struct batch *batch_take(struct batch_list *list)
{
	struct batch *b = STAILQ_FIRST(list);

	if (b)
		STAILQ_REMOVE_HEAD(list, entry);
	return b;
}

bool batch_empty(const struct batch *b)
{
	return STAILQ_EMPTY(&b->outcomes) && !b->snapshot;
}

static const void *copy(struct arena *a, const void *p, size_t len)
{
	return p ? arena_memdup(a, p, len) : NULL;
}

void history_row_copy(struct arena *a, const struct armada_history_row *from,
		      struct armada_history_row *to)
{
	*to = *from;
	to->user = arena_strdup(a, from->user);
	to->queue = arena_strdup(a, from->queue);
	to->job_set = arena_strdup(a, from->job_set);
	to->name = arena_strdup(a, from->name);
	to->account = arena_strdup(a, from->account);
	to->nodes = arena_strdup(a, from->nodes);
	to->row = copy(a, from->row, from->row_len);
}

static struct armada_history_row *row_copy(struct arena *a, const struct armada_history_row *from)
{
	struct armada_history_row *to = from ? arena_alloc(a, sizeof(*to)) : NULL;

	if (from)
		history_row_copy(a, from, to);
	return to;
}

void history_job_copy(struct arena *a, const struct effect *from, struct armada_history_job *to)
{
	*to = *from->history_job;
	to->detail = copy(a, to->detail, to->detail_len);
	arena_hold(a, from->script);
	arena_hold(a, from->env);
}

static const struct core_name *names_copy(struct arena *a, const struct core_name *from,
					  size_t count)
{
	struct core_name *to = arena_memdup(a, from, count * sizeof(*to));

	for (size_t i = 0; i < count; i++)
		to[i].name = arena_strdup(a, from[i].name);
	return to;
}

void history_share_copy(struct arena *a, const struct armada_history_share *from,
			struct armada_history_share *to)
{
	*to = *from;
	to->queue = arena_strdup(a, from->queue);
	to->fairness = arena_strdup(a, from->fairness);
}

void history_event_copy(struct arena *a, const struct armada_history_event *from,
			const struct armada_history_event *last, struct armada_history_event *to)
{
	bool same = last && strcmp(last->job_set, from->job_set) == 0 &&
		    strcmp(last->queue, from->queue) == 0;

	*to = *from;
	to->queue = same ? last->queue : arena_strdup(a, from->queue);
	to->job_set = same ? last->job_set : arena_strdup(a, from->job_set);
	to->body = arena_memdup(a, from->body, from->body_len);
}

static const struct armada_history_event *events_copy(struct arena *a, const struct effect *from)
{
	struct armada_history_event *list = arena_alloc(a, from->event_count * sizeof(*list));

	for (size_t i = 0; i < from->event_count; i++)
		history_event_copy(a, &from->events[i], i ? &list[i - 1] : NULL, &list[i]);
	return list;
}

static void watch_copy(struct arena *a, struct watch_ask *w)
{
	w->queue = arena_strdup(a, w->queue);
	w->job_set = arena_strdup(a, w->job_set);
	w->jobs = arena_memdup(a, w->jobs, w->job_count * sizeof(*w->jobs));
}

static const struct armada_history_share *shares_copy(struct arena *a, const struct effect *from)
{
	struct armada_history_share *list = arena_alloc(a, (from->share_count + 1) * sizeof(*list));

	for (size_t i = 0; i < from->share_count; i++)
		history_share_copy(a, &from->shares[i], &list[i]);
	return list;
}

static const struct core_viewer *viewer_copy(struct arena *a, const struct core_viewer *from)
{
	struct core_viewer *to = arena_memdup(a, from, sizeof(*to));
	const char **queues = arena_alloc(a, (from->queue_count + 1) * sizeof(*queues));

	for (size_t i = 0; i < from->queue_count; i++)
		queues[i] = arena_strdup(a, from->queues[i]);
	to->queues = queues;
	to->user = arena_strdup(a, from->user);
	return to;
}

void effect_copy(struct arena *a, const struct effect *from, struct effect *to)
{
	*to = *from;
	to->body = copy(a, from->body, from->len);
	to->text = arena_strdup(a, from->text);
	to->about.node = arena_strdup(a, from->about.node);
	to->about.queue = arena_strdup(a, from->about.queue);
	to->about.user = arena_strdup(a, from->about.user);
	if (from->finished_count)
		to->finished_jobs = copy(a, from->finished_jobs,
					 from->finished_count * sizeof(*from->finished_jobs));
	if (from->name_count)
		to->names = names_copy(a, from->names, from->name_count);
	if (from->share_count)
		to->shares = shares_copy(a, from);
	if (from->event_count)
		to->events = events_copy(a, from);
	if (from->watch.queue)
		watch_copy(a, &to->watch);
	if (from->viewer)
		to->viewer = viewer_copy(a, from->viewer);
	to->row = row_copy(a, from->row);
	to->attempt = row_copy(a, from->attempt);
	if (from->history_job) {
		to->history_job = arena_alloc(a, sizeof(*to->history_job));
		history_job_copy(a, from, to->history_job);
	}
}

const struct outcome *batch_add(struct batch *b, uint64_t conn, const struct output *out)
{
	struct outcome *o = arena_zalloc(b->arena, 1, sizeof(*o));

	if (out->record) {
		GROW(b->records, b->record_cap, b->record_count + 1);
		b->records[b->record_count++] = (struct armada_state_record){
			.seq = out->seq,
			.data = copy(b->arena, out->record, out->record_len),
			.len = out->record_len,
		};
		b->seq = out->seq;
	}
	o->conn = conn;
	o->record_len = out->record ? out->record_len : 0;
	o->effect_count = out->effect_count;
	o->effects = arena_zalloc(b->arena, out->effect_count, sizeof(*o->effects));
	for (size_t i = 0; i < out->effect_count; i++)
		effect_copy(b->arena, &out->effects[i], &o->effects[i]);
	STAILQ_INSERT_TAIL(&b->outcomes, o, entry);
	return o;
}

/*
 * Input: a page of the history of another controller. An accepted page has an item for each of its parts,
 * with numbers that the history can store and texts that are there; a refused one has a sentence.
 */
#include "armctld/history_items.h"

#include "util/mem.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_row(const struct armada_history_row *r, size_t *texts)
{
	if (r->job > INT64_MAX || r->seq > INT64_MAX || !r->seq ||
	    r->first_element > r->last_element)
		abort();
	*texts += strlen(r->user) + strlen(r->queue) + strlen(r->job_set) + strlen(r->name) +
		  strlen(r->nodes) + strlen(r->account);
}

static void check_item(const struct effect *e, size_t *texts)
{
	if (!e->row + !e->attempt + !e->history_job + !e->share_count + !e->event_count != 4)
		abort();
	if (e->row || e->attempt)
		check_row(e->row ? e->row : e->attempt, texts);
	if (e->history_job && (!e->history_job->script.data != !e->script ||
			       !e->history_job->env.data != !e->env || !e->history_job->seq))
		abort();
	if (e->share_count && (!e->shares->queue[0] || !e->shares->seq))
		abort();
	if (e->event_count && (!e->events->number || e->events->number > INT64_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct history_blobs blobs = {.count = 0};
	const Armada__CopyHistoryReply *m;
	struct effect *list = NULL;
	size_t count = 0, texts = 0;
	struct err err = {""};

	if (sodium_init() < 0)
		abort();
	m = msg_unpack(msg_find(MSG_COPY_HISTORY_REPLY), data, size, arena, &err);
	if (!m)
		return 0;
	if (history_items_read(m, &blobs, arena, &list, &count, &err) < 0) {
		if (!err.text[0])
			abort();
		history_blobs_done(&blobs);
		return 0;
	}
	if (count != m->n_shares + m->n_events + m->n_jobs + m->n_rows)
		abort();
	for (size_t i = 0; i < count; i++)
		check_item(&list[i], &texts);
	history_blobs_done(&blobs);
	return texts > 4 * size ? abort(), 0 : 0;
}

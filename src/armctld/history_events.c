/*
 * Pages of job events (history_events.h). Input: a set, a number and what the watcher may see. Output: framed
 * events. Caveat: a page has a bound of rows, read or not, so that other queries wait only for it.
 */
#include "armctld/history_events.h"

#include "core/txn/job_events.h"

enum { PAGE_ROWS = 2000, PAGE_BYTES = 256 << 10 };

struct page {
	const struct watch_ask *ask;
	struct history_answer *answer;
};

static bool wants(const struct watch_ask *a, const struct armada_history_event *ev)
{
	if (a->own && ev->uid != a->uid)
		return false;
	for (size_t i = 0; i < a->job_count; i++)
		if (a->jobs[i] == ev->job)
			return true;
	return !a->job_count;
}

static void add_hidden(const struct armada_history_event *ev, struct buf *to)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	CLEANUP_BUF struct buf framed = {0};
	Armada__JobEvents *m;

	job_event_frame(ev, &framed);
	m = msg_unpack_own(&armada__job_events__descriptor, framed.data, framed.len, a);
	if (!m || m->n_events != 1)
		return;
	job_event_hide(m->events[0], a);
	msg_pack(m, to);
}

static int on_event(void *arg, const struct armada_history_event *ev)
{
	struct page *p = arg;

	p->answer->next = ev->number + 1;
	if (!wants(p->ask, ev))
		return 0;
	if (p->ask->hides)
		add_hidden(ev, &p->answer->body);
	else
		job_event_frame(ev, &p->answer->body);
	return p->answer->body.len > PAGE_BYTES;
}

void history_events_find(const struct armada_state_ops *state, void *handle,
			 const struct watch_ask *ask, struct history_answer *ret_answer)
{
	struct page p = {ask, ret_answer};
	struct armada_error err = {""};
	int rc = 0;

	ret_answer->type = MSG_JOB_EVENTS;
	ret_answer->next = ret_answer->first = 0;
	if (state->events_find)
		rc = state->events_find(handle, ask->queue, ask->job_set, ask->from, PAGE_ROWS,
					on_event, &p, &ret_answer->first, &ret_answer->last, &err);
	if (rc < 0)
		history_answer_error(ret_answer, 1, err.text);
}

/*
 * Replies about attempts (accounting_query.h). Input: a request and its viewer. Output: a packed
 * ACCOUNTING_REPLY or USAGE_SUMS_REPLY, or an error. A page of attempts is limited in rows and bytes; its
 * cursor is the last attempt that was read. Nodes and elements are selected here, because the plugin has
 * them only in the packed row.
 */
#include "armctld/accounting_query.h"

#include "core/txn/job_text.h"
#include "core/view/visibility.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

enum {
	ROWS_DEFAULT = 2000,
	ROWS_MAX = 10000,
	BYTES_MAX = 4 << 20,
	SCANNED_MAX = 16 << 20,
	EXIT_USAGE = 2,
	EXIT_TRY_AGAIN = 75,
};

static const int64_t open_us = INT64_MAX / 2; /* the end of a period that has none */

static void filter_of(const struct accounting_ask *ask, const Armada__JobFilter *f,
		      struct arena *arena, struct armada_attempt_filter *ret)
{
	struct armada_history_filter lists = {0};

	ret->stop = ask->stop;
	ret->stop_arg = ask->stop_arg;
	if (ask->sight) {
		ret->limited = true;
		ret->viewer_uid = ask->sight->uid;
		ret->viewer_queues = ask->sight->queues;
		ret->viewer_queue_count = ask->sight->queue_count;
	}
	if (!f)
		return;
	history_query_filter(f, arena, &lists);
	ret->users = lists.users;
	ret->user_count = lists.user_count;
	ret->accounts = lists.accounts;
	ret->account_count = lists.account_count;
	ret->queues = lists.queues;
	ret->queue_count = lists.queue_count;
	ret->job_sets = lists.job_sets;
	ret->job_set_count = lists.job_set_count;
	ret->names = lists.names;
	ret->name_count = lists.name_count;
	ret->classes = (const char *const *)f->priority_classes;
	ret->class_count = f->n_priority_classes;
	ret->states = lists.states;
	ret->state_count = lists.state_count;
	ret->ids = lists.ids;
	ret->id_count = lists.id_count;
}

static void period_of(int64_t from_us, int64_t to_us, struct armada_attempt_filter *ret)
{
	ret->from_us = from_us > 0 ? from_us : 0;
	ret->to_us = to_us > 0 && to_us < open_us ? to_us : open_us;
}

static void refuse(struct history_answer *answer, int rc, const char *text)
{
	history_answer_error(answer,
			     rc == -ECANCELED ? EXIT_TRY_AGAIN
			     : rc == -EINVAL  ? EXIT_USAGE
					      : 1,
			     text[0] ? text : "the history cannot be read");
}

struct page {
	struct arena *arena;
	const Armada__JobFilter *filter; /* NULL: none */
	const struct core_viewer *sight;
	Armada__AccountingReply reply;
	size_t limit, bytes, scanned, cap;
};

static int on_row(void *arg, const void *data, size_t len)
{
	struct page *p = arg;
	Armada__AccountingReply *reply = &p->reply;
	Armada__JobRow *row;

	if (reply->n_rows >= p->limit || p->bytes + len > BYTES_MAX ||
	    (p->scanned && p->scanned + len > SCANNED_MAX)) {
		reply->more = true;
		return 1;
	}
	p->scanned += len;
	row = msg_unpack_own(&armada__job_row__descriptor, data, len, p->arena);
	if (!row)
		return 0;
	reply->next_after_end_us = row->end_us > row->submit_us ? row->end_us : row->submit_us;
	reply->next_after_id = row->job;
	reply->next_after_element = row->n_elements ? row->elements[0]->first : 0;
	reply->next_after_attempt = row->attempt;
	if (!visibility_sees(p->sight, row->uid, row->queue) ||
	    (p->filter && !history_query_matches(row, p->filter)))
		return 0;
	if (p->sight)
		job_text_strip_row(row, p->arena);
	GROW(reply->rows, p->cap, reply->n_rows + 1);
	reply->rows[reply->n_rows++] = row;
	p->bytes += len;
	return 0;
}

static void answer_list(const struct accounting_ask *ask, struct arena *arena,
			struct history_answer *ret_answer)
{
	struct armada_attempt_filter f = {0};
	struct armada_error err = {""};
	struct err why;
	const Armada__AccountingRequest *m = msg_unpack_as(&armada__accounting_request__descriptor,
							   ask->body, ask->len, arena, &why);
	struct page p = {
		.arena = arena, .sight = ask->sight, .reply = ARMADA__ACCOUNTING_REPLY__INIT};
	int rc;

	if (!m) {
		history_answer_error(ret_answer, 1, why.text);
		return;
	}
	filter_of(ask, m->filter, arena, &f);
	period_of(m->from_us, m->to_us, &f);
	f.has_after = m->has_after;
	f.after_end_us = m->after_end_us;
	f.after_job = m->after_id;
	f.after_element = m->after_element;
	f.after_attempt = m->after_attempt;
	f.newest_first = m->newest_first;
	p.filter = m->filter;
	p.limit = m->limit ? m->limit : ROWS_DEFAULT;
	if (p.limit > ROWS_MAX)
		p.limit = ROWS_MAX;
	rc = ask->state->accounting_list(ask->handle, &f, on_row, &p, &err);
	if (rc < 0)
		refuse(ret_answer, rc, err.text);
	else
		history_answer_set(ret_answer, MSG_ACCOUNTING_REPLY, &p.reply);
	free(p.reply.rows);
}

struct sums {
	struct arena *arena;
	Armada__UsageSumsReply reply;
	size_t cap;
};

static int on_sum(void *arg, const struct armada_attempt_sum *s)
{
	struct sums *all = arg;
	Armada__UsageSum *m = arena_alloc(all->arena, sizeof(*m));

	armada__usage_sum__init(m);
	m->key = arena_strdup(all->arena, s->key);
	m->from_us = s->from_us;
	m->attempts = s->attempts;
	m->cpu_s = s->cpu / 1e9;
	m->cpu_used_s = s->cpu_used / 1e9;
	m->cpu_idle_s = s->cpu_idle / 1e9;
	m->cpu_measured_s = s->cpu_measured / 1e9;
	m->cpu_lost_preemption_s = s->cpu_lost_preempted / 1e9;
	m->cpu_lost_node_s = s->cpu_lost_node / 1e9;
	m->cpu_lost_other_s = s->cpu_lost_other / 1e9;
	m->gpu_s = s->gpu / 1e6;
	m->gpu_lost_preemption_s = s->gpu_lost_preempted / 1e6;
	m->gpu_lost_node_s = s->gpu_lost_node / 1e6;
	m->gpu_lost_other_s = s->gpu_lost_other / 1e6;
	m->memory_byte_s = s->memory / 1e6;
	m->memory_peak_byte_s = s->memory_peak / 1e6;
	m->waits = s->waits;
	m->wait_p50_us = s->wait_p50_us;
	m->wait_p95_us = s->wait_p95_us;
	GROW(all->reply.rows, all->cap, all->reply.n_rows + 1);
	all->reply.rows[all->reply.n_rows++] = m;
	return 0;
}

static void answer_sums(const struct accounting_ask *ask, struct arena *arena,
			struct history_answer *ret_answer)
{
	struct armada_attempt_filter f = {0};
	struct armada_error err = {""};
	struct err why;
	const Armada__UsageSumsRequest *m = msg_unpack_as(&armada__usage_sums_request__descriptor,
							  ask->body, ask->len, arena, &why);
	struct sums all = {.arena = arena, .reply = ARMADA__USAGE_SUMS_REPLY__INIT};
	int rc;

	if (!m) {
		history_answer_error(ret_answer, 1, why.text);
		return;
	}
	if (m->filter && (m->filter->n_nodes || m->filter->n_labels)) {
		history_answer_error(ret_answer, EXIT_USAGE,
				     "sums cannot be selected by node or label");
		return;
	}
	if (m->by == ARMADA__USAGE_BY__USAGE_BY_LABEL && !m->label[0]) {
		history_answer_error(ret_answer, EXIT_USAGE,
				     "sums by label need the key of a label");
		return;
	}
	filter_of(ask, m->filter, arena, &f);
	period_of(m->from_us, m->to_us, &f);
	f.sum_label = m->label;
	rc = ask->state->accounting_sum(ask->handle, &f, (enum armada_sum_by)m->by, m->bounds,
					m->n_bounds, on_sum, &all, &err);
	if (rc < 0)
		refuse(ret_answer, rc, err.text);
	else
		history_answer_set(ret_answer, MSG_USAGE_SUMS_REPLY, &all.reply);
	free(all.reply.rows);
}

void accounting_query(const struct accounting_ask *ask, struct history_answer *ret_answer)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);

	if (!ask->state->accounting_list || !ask->state->accounting_sum)
		history_answer_error(ret_answer, 1, "the state plugin keeps no accounting");
	else if (ask->type == MSG_ACCOUNTING)
		answer_list(ask, arena, ret_answer);
	else
		answer_sums(ask, arena, ret_answer);
}

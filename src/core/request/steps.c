/*
 * LIST_STEPS: the steps of running jobs. STEP_REPORTS: what a node tells of them.
 *
 * A listing comes in pages. A page ends after a number of rows, of bytes, or of work with whole jobs. Reports
 * change volatile data alone (core/txn/steps.h): no record, no answer. They count only for tasks that run
 * on the node of this connection with this attempt; others are counted as stale.
 */
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/txn/steps.h"
#include "core/view/filter.h"

enum { ROWS_MAX = 4000, PAGE_BYTES = 2 << 20, PAGE_WORK = 1000000 };

struct listing {
	struct txn *txn;
	const Armada__ListStepsRequest *m;
	Armada__ListStepsReply reply;
	size_t cap, bytes;
};

static void add_row(struct listing *l, const struct element *e, const struct step *s)
{
	Armada__StepRow *row = arena_alloc(l->txn->arena, sizeof(*row));

	armada__step_row__init(row);
	row->job = e->job->id;
	row->element = e->index;
	row->is_array = e->job->spec->array;
	row->step = s->number;
	row->attempt = e->attempt;
	row->name = (char *)e->job->spec->name;
	row->user = e->job->user->name;
	row->command = s->command;
	row->state = step_shown_state(s);
	row->nodes = s->nodes;
	row->node_count = s->node_count;
	row->tasks = s->tasks;
	row->ended = s->tasks - s->open;
	row->start_us = s->start_us;
	row->end_us = s->open ? 0 : s->end_us;
	row->exit_code = s->exit_code;
	row->exit_signal = s->exit_signal;
	row->usage = arena_alloc(l->txn->arena, sizeof(*row->usage));
	armada__usage__init(row->usage);
	usage_put(&s->usage, row->usage);
	l->reply.steps = arena_grow(l->txn->arena, l->reply.steps, &l->cap, l->reply.n_steps,
				    sizeof(*l->reply.steps));
	l->reply.steps[l->reply.n_steps++] = row;
	l->bytes += armada__step_row__get_packed_size(row);
}

/* Continues at this step if the page is full. */
static bool ends_page(struct listing *l, const struct element *e, uint32_t number)
{
	if (l->reply.n_steps < ROWS_MAX && l->bytes <= PAGE_BYTES)
		return false;
	l->reply.next_id = e->job->id;
	l->reply.next_element = e->index;
	l->reply.next_step = number;
	return true;
}

static void list_element(struct listing *l, const struct element *e)
{
	const struct steps *all = e->task_count && e->steps ? steps_of(l->txn, e) : NULL;
	bool is_first = e->job->id == l->m->from_id && e->index == l->m->from_element;

	if (!all || !filter_element(l->m->filter, e->job, e))
		return;
	for (size_t i = 0; i < all->count && !l->reply.next_id; i++) {
		uint32_t number = all->list[i]->number;

		if ((is_first && number < l->m->from_step) ||
		    (l->m->step && number != l->m->step - 1) || ends_page(l, e, number))
			continue;
		add_row(l, e, all->list[i]);
	}
}

static void list_job(struct listing *l, const struct job *j)
{
	for (size_t i = 0; i < j->element_count && !l->reply.next_id; i++)
		if (j->id != l->m->from_id || j->elements[i]->index >= l->m->from_element)
			list_element(l, j->elements[i]);
}

/* The first and the last id that the filter names; others are not visited. */
static void id_bounds(const Armada__JobFilter *f, uint64_t *ret_first, uint64_t *ret_last)
{
	*ret_first = f && f->n_ids ? UINT64_MAX : 1;
	*ret_last = f && f->n_ids ? 0 : UINT64_MAX;
	for (size_t i = 0; f && i < f->n_ids; i++) {
		if (f->ids[i]->first < *ret_first)
			*ret_first = f->ids[i]->first;
		if (f->ids[i]->last > *ret_last)
			*ret_last = f->ids[i]->last;
	}
}

void req_list_steps(struct txn *txn, const Armada__ListStepsRequest *m)
{
	const struct state *state = txn->state;
	struct listing l = {txn, m, ARMADA__LIST_STEPS_REPLY__INIT, 0, 0};
	int64_t budget = PAGE_WORK, cost = filter_cost(m->filter);
	uint64_t first, last;
	size_t at;

	filter_sort(m->filter);
	id_bounds(m->filter, &first, &last);
	first = m->from_id > first ? m->from_id : first;
	at = job_after(state, first - 1);
	for (; at < state->job_slots && state->job_ids[at] <= last && !l.reply.next_id; at++) {
		const struct job *j = state->jobs[at];

		if (budget <= 0) {
			l.reply.next_id = state->job_ids[at];
			break;
		}
		budget -= cost;
		if (!j || !j->element_count || !filter_job(txn, m->filter, j))
			continue;
		budget -= (int64_t)j->element_count;
		list_job(&l, j);
	}
	reply(txn, MSG_LIST_STEPS_REPLY, &l.reply);
}

static bool take_report(struct txn *txn, const Armada__StepReport *m)
{
	const struct task *t = task_find(txn->state, m->key);
	struct step_state state;

	if (!t || t->state != TASK_STARTED || live_node(txn->live, t->node)->conn != txn->in->conn)
		return false;
	step_state_take(m, &state);
	step_report(txn, t, &state);
	return true;
}

void req_step_reports(struct txn *txn, const Armada__StepReports *m)
{
	for (size_t i = 0; i < m->n_steps; i++)
		txn->live->stale += !take_report(txn, m->steps[i]);
}

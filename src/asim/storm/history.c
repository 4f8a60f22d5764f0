/*
 * The history of jobs: how many elements of a job have begun, ended and succeeded. It is made from
 * the records, like history.db.
 *
 * Input: events. Output: answers for the core when a dependency names a job that has left its
 * memory. invariant/deps.c checks leases against it.
 */
#include "asim/storm/history.h"
#include "asim/storm/client.h"

struct sim_job_history *sim_history_find(const struct storm *s, uint64_t job)
{
	const struct sim_history *h = s->history;

	return job < h->count && h->jobs[job].known ? &h->jobs[job] : NULL;
}

static void note_submitted(struct storm *s, const Armada__JobSubmitted *m)
{
	const struct sim_job *j = sim_client_find(s, m);
	struct sim_history *h = s->history;

	if (!j)
		return;
	while (h->count <= m->id) {
		RUN_GROW(s, h->jobs, h->cap, h->count);
		h->jobs[h->count++] = (struct sim_job_history){0};
	}
	h->jobs[m->id] = (struct sim_job_history){
		.known = true,
		.elements = j->elements,
		.left = j->elements,
		.state = arena_zalloc(s->run, j->elements, 1),
		.begun_us = arena_zalloc(s->run, j->elements, sizeof(int64_t)),
	};
}

static void note_started(struct sim_job_history *p, const Armada__TaskStarted *m, int64_t now_us)
{
	if (!p || !m->all || m->key->element >= p->elements)
		return;
	p->state[m->key->element] |= HISTORY_BEGUN;
	if (!p->begun_us[m->key->element])
		p->begun_us[m->key->element] =
			m->start_us && m->start_us < now_us ? m->start_us : now_us;
}

static void note_ended(struct sim_job_history *p, const Armada__ElementEnded *m, int64_t now_us)
{
	bool good = m->state == ARMADA__JOB_STATE__JOB_COMPLETED;

	for (size_t i = 0; p && i < m->n_elements; i++)
		for (uint32_t e = m->elements[i]->first;
		     e <= m->elements[i]->last && e < p->elements; e++) {
			p->left -= !(p->state[e] & HISTORY_ENDED);
			p->state[e] |= good ? HISTORY_ENDED | HISTORY_GOOD : HISTORY_ENDED;
			if (!p->begun_us[e])
				p->begun_us[e] = now_us;
		}
}

void sim_history_note(struct storm *s, const Armada__Event *ev, const Armada__Record *r)
{
	if (ev->kind_case == ARMADA__EVENT__KIND_JOB_SUBMITTED)
		note_submitted(s, ev->job_submitted);
	else if (ev->kind_case == ARMADA__EVENT__KIND_TASK_STARTED)
		note_started(sim_history_find(s, ev->task_started->key->job), ev->task_started,
			     r->wall_us);
	else if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED)
		note_ended(sim_history_find(s, ev->element_ended->job), ev->element_ended,
			   r->wall_us);
}

struct core_finished_job *sim_history_ended_jobs(struct storm *s, size_t *ret_count)
{
	struct core_finished_job *list = xcalloc(s->history->count + 1, sizeof(*list));
	size_t n = 0;

	for (uint64_t id = 0; id < s->history->count; id++) {
		const struct sim_job_history *b = sim_history_find(s, id);
		struct core_finished_job *p = &list[n];

		if (!b || b->left)
			continue;
		*p = (struct core_finished_job){.job = id, .known = true, .array = b->elements > 1};
		rangeset_add(&p->elements, 0, b->elements - 1);
		for (uint32_t e = 0; e < b->elements; e++) {
			if (!(b->state[e] & HISTORY_GOOD))
				rangeset_add(&p->bad, e, e);
			if (b->begun_us[e] > p->start_us)
				p->start_us = b->begun_us[e];
		}
		n++;
	}
	*ret_count = n;
	return list;
}

void sim_history_past_free(struct core_finished_job *past, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		rangeset_done(&past[i].elements);
		rangeset_done(&past[i].bad);
	}
	free(past);
}

/* HOLD: keep waiting jobs from starting, or let them. */
#include "core/portion.h"
#include "core/request.h"

/* What is promised has not started: it is held with the rest. */
static void take_back(struct core *c, struct job *j)
{
	for (size_t i = 0; i < j->element_count; i++)
		if (j->elements[i]->promised)
			promise_withdraw(c, j->elements[i], "held before its room was there");
}

static void change(struct core *c, struct job *j, const Armada__HoldRequest *m,
		   Armada__HoldReply *r)
{
	bool was = j->held;
	enum sched_why why;

	if (!m->release)
		take_back(c, j);
	if (!j->waiting.total || (m->release && !j->held))
		return;
	if (m->release && !may_release(c, j)) {
		r->denied++;
		problem_add(c, &r->problems, &r->n_problems, "job %" PRIu64 " is %s", j->id,
			    held_reason(j, &why));
		return;
	}
	if (m->release)
		job_release(c, j);
	else
		job_hold_by_caller(c, j);
	r->changed += j->held != was;
}

void req_hold(struct core *c, const void *message)
{
	const Armada__HoldRequest *m = message;
	Armada__HoldReply r = ARMADA__HOLD_REPLY__INIT;
	int64_t work = 0, cost = filter_cost(m->filter);
	uint64_t after = 0;

	if (filter_is_empty(m->filter)) {
		refuse(c, 2, "nothing selected: name jobs by id, user, queue, job set or state");
		return;
	}
	if (filter_pieces(m->filter) > FILTER_PIECES) {
		refuse(c, 1, "elements: more than %d pieces are named", FILTER_PIECES);
		return;
	}
	for (size_t i = job_after(c, m->after_id); i < c->job_slots; i++) {
		struct job *j = c->jobs[i];

		if (portion_is_full(c, work)) {
			r.next_after_id = after;
			break;
		}
		after = c->job_ids[i];
		work += cost;
		if (!j || !filter_job(c, m->filter, j))
			continue;
		if (!may(c, c->in->caller, VERB_CANCEL, j, NULL)) {
			r.denied += m->filter->n_ids > 0;
			if (m->filter->n_ids)
				problem_add(c, &r.problems, &r.n_problems,
					    "job %" PRIu64 " belongs to %s", j->id, j->user->name);
			continue;
		}
		change(c, j, m, &r);
	}
	reply(c, MSG_HOLD_REPLY, &r);
}

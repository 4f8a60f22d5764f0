/* REQUEUE: what runs is ended on its nodes and waits again, by somebody's wish and nobody's failure. */
#include "core/portion.h"
#include "core/request.h"
#include "util/mem.h"

#include <inttypes.h>

struct requeue {
	struct core *core;
	const Armada__RequeueRequest *m;
	Armada__RequeueReply reply;
	const char *text;
};

static void problem(struct requeue *x, const struct element *e, const char *why)
{
	x->reply.refused++;
	problem_add(x->core, &x->reply.problems, &x->reply.n_problems, "job %s %s",
		    problem_job(x->core, e->job, e), why);
}

static void requeue_element(struct requeue *x, struct element *e)
{
	if (e->job->spec->no_requeue && !e->promised) {
		problem(x, e, "was submitted with --no-requeue");
	} else if (e->why == ARMADA__END_REASON__ENDING_CANCEL) {
		problem(x, e, "is being cancelled");
	} else if (e->why == ARMADA__END_REASON__ENDING_PREEMPT ||
		   e->why == ARMADA__END_REASON__ENDING_REQUEUE) {
		x->reply.waiting++; /* as good as */
	} else if (e->why) {
		problem(x, e, "is being ended");
	} else if (e->promised) {
		x->reply.requeued++;
		promise_withdraw(x->core, e, x->text);
	} else {
		x->reply.requeued++;
		element_end(x->core, e, ARMADA__END_REASON__ENDING_REQUEUE, x->text,
			    x->core->in->caller->uid);
	}
}

/* What of the waiting part is named: counted one by one where elements are. */
static uint64_t count_waiting(const struct requeue *x, const struct job *j)
{
	struct rangeset named = {0};
	bool all = filter_elements(x->m->filter, j->id, &named);
	uint64_t n;

	if (x->m->filter->n_nodes || x->m->filter->n_states)
		return 0;
	rangeset_intersect(&named, &j->waiting);
	n = all ? j->waiting.total : named.total;
	rangeset_done(&named);
	return n;
}

static void requeue_job(struct requeue *x, struct job *j)
{
	const Armada__JobFilter *f = x->m->filter;
	uint64_t before = x->reply.requeued, waiting = count_waiting(x, j);

	if (!may(x->core, x->core->in->caller, VERB_CANCEL, j, NULL)) {
		x->reply.denied += f->n_ids > 0;
		if (f->n_ids)
			problem_add(x->core, &x->reply.problems, &x->reply.n_problems,
				    "job %" PRIu64 " belongs to %s", j->id, j->user->name);
		return;
	}
	x->reply.waiting += waiting;
	for (size_t i = 0; i < j->element_count; i++)
		if (j->elements[i]->task_count && filter_element(f, j, j->elements[i]))
			requeue_element(x, j->elements[i]);
	if (x->m->hold && (waiting || x->reply.requeued > before))
		job_hold_by_caller(x->core, j);
}

void req_requeue(struct core *c, const void *message)
{
	struct requeue x = {.core = c, .m = message};
	const Armada__JobFilter *f = x.m->filter;
	int64_t work = 0, cost = filter_cost(f);
	uint64_t after = 0;

	armada__requeue_reply__init(&x.reply);
	if (filter_is_empty(f)) {
		refuse(c, 2, "nothing selected: name jobs by id, user, queue, job set or state");
		return;
	}
	if (filter_pieces(f) > FILTER_PIECES) {
		refuse(c, 1, "elements: more than %d pieces are named", FILTER_PIECES);
		return;
	}
	x.text = arena_printf(c->arena, "requeued by %s",
			      c->in->caller->user ? c->in->caller->user : "its owner");
	if (!x.m->after_id)
		x.reply.missing = filter_missing(c, f, &x.reply.n_missing);
	for (size_t i = job_after(c, x.m->after_id); i < c->job_slots; i++) {
		struct job *j = c->jobs[i];

		if (after && portion_is_full(c, work)) {
			x.reply.next_after_id = after;
			break;
		}
		after = c->job_ids[i];
		work += cost;
		if (j && filter_job(c, f, j))
			requeue_job(&x, j);
	}
	reply(c, MSG_REQUEUE_REPLY, &x.reply);
}

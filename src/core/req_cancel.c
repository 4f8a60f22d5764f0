/* CANCEL: waiting elements end at once, active ones are ended on their nodes. */
#include "core/machine.h"
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

enum { JOBS_AT_ONCE = 2000, PROBLEMS_MAX = 20 };

struct cancel {
	struct core *core;
	const Armada__CancelRequest *m;
	Armada__CancelReply reply;
	const char *reason;
};

static bool wants_state(const Armada__JobFilter *f, int state)
{
	for (size_t i = 0; i < f->n_states; i++)
		if ((int)f->states[i] == state)
			return true;
	return f->n_states == 0;
}

static void cancel_waiting(struct cancel *x, struct job *j, const struct rangeset *named, bool all)
{
	struct rangeset which = {0};

	if (x->m->filter->n_nodes || !wants_state(x->m->filter, ARMADA__JOB_STATE__JOB_PENDING))
		return;
	if (all)
		rangeset_copy(&which, &j->waiting);
	for (size_t i = 0; !all && i < named->count; i++)
		for (size_t k = 0; k < j->waiting.count; k++) {
			struct range a = named->ranges[i], b = j->waiting.ranges[k];
			uint32_t lo = a.lo > b.lo ? a.lo : b.lo, hi = a.hi < b.hi ? a.hi : b.hi;

			if (lo <= hi)
				rangeset_add(&which, lo, hi);
		}
	x->reply.matched += which.total;
	x->reply.cancelled += which.total;
	if (which.total)
		waiting_end(x->core, j, &which, x->reason);
	rangeset_done(&which);
}

static void cancel_active(struct cancel *x, struct job *j, const struct rangeset *named, bool all)
{
	for (size_t i = 0; i < j->element_count; i++) {
		struct element *e = j->elements[i];

		if (!e->task_count || (!all && !rangeset_contains(named, e->index)) ||
		    !filter_element(x->m->filter, j, e))
			continue;
		x->reply.matched++;
		x->reply.ending++;
		if (e->why != ARMADA__END_REASON__ENDING_CANCEL)
			element_end(x->core, e, ARMADA__END_REASON__ENDING_CANCEL, x->reason,
				    x->core->in->caller->uid);
	}
}

static void deny(struct cancel *x, const struct job *j)
{
	x->reply.denied++;
	if (x->reply.n_problems < PROBLEMS_MAX)
		x->reply.problems[x->reply.n_problems++] = arena_printf(
			x->core->arena, "job %" PRIu64 " belongs to %s", j->id, j->user->name);
}

static void cancel_job(struct cancel *x, struct job *j)
{
	struct rangeset named = {0};
	bool all = filter_elements(x->m->filter, j->id, &named);

	if (!may(x->core, x->core->in->caller, VERB_CANCEL, j, NULL)) {
		/* of others' jobs only those asked for by name are worth a word */
		if (x->m->filter->n_ids)
			deny(x, j);
	} else {
		cancel_active(x, j, &named, all);
		cancel_waiting(x, j, &named, all);
	}
	rangeset_done(&named);
}

void req_cancel(struct core *c, const void *message)
{
	struct cancel x = {.core = c, .m = message};
	uint64_t first = x.m->after_id;
	size_t looked = 0;

	armada__cancel_reply__init(&x.reply);
	if (filter_is_empty(x.m->filter)) {
		refuse(c, 2, "nothing selected: name jobs by id, user, queue, job set or state");
		return;
	}
	x.reason = x.m->reason[0]
			   ? x.m->reason
			   : arena_printf(c->arena, "cancelled by %s",
					  c->in->caller->user ? c->in->caller->user : "its owner");
	if (!x.m->after_id)
		x.reply.missing = filter_missing(c, x.m->filter, &x.reply.n_missing);
	x.reply.problems = arena_alloc(c->arena, PROBLEMS_MAX * sizeof(char *));
	for (size_t i = 0; !first && i < x.m->filter->n_ids; i++) {
		uint64_t before = x.m->filter->ids[i]->first - 1;

		first = i == 0 || before < first ? before : first;
	}
	/* the slots may move as jobs leave: go on from the id */
	for (size_t at = job_after(c, first); at < c->job_slots; at = job_after(c, first)) {
		struct job *j = c->jobs[at];

		first = c->job_ids[at];
		if (++looked > JOBS_AT_ONCE * 10 || c->event_count > JOBS_AT_ONCE) {
			x.reply.next_after_id = first - 1;
			break;
		}
		if (j && filter_job(c, x.m->filter, j))
			cancel_job(&x, j);
	}
	reply(c, MSG_CANCEL_REPLY, &x.reply);
}

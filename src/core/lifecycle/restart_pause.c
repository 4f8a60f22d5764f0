#include "core/lifecycle/restart_pause.h"

#include "core/state/gang.h"
#include "core/txn/emit.h"

enum { DUE_AT_ONCE = 1000 };

uint32_t restart_pause_count(const struct element *e, bool failed)
{
	const struct gang *g = e->job->gang;
	uint32_t restarts = e->restarts + failed;

	for (size_t i = 0; g && i < g->count; i++) {
		const struct element *other = gang_element(g->members[i]);

		if (other && other->restarts > restarts)
			restarts = other->restarts;
	}
	return restarts;
}

/* The pause that members of the gang have begun already; 0: none. */
static int64_t pause_of_gang(const struct txn *txn, const struct gang *g)
{
	int64_t end_us = 0;

	for (size_t i = 0; g && i < g->count; i++) {
		const struct element *e = gang_element(g->members[i]);

		if (e && e->not_before_us > end_us)
			end_us = e->not_before_us;
	}
	return end_us > txn->in->wall_us ? end_us : 0;
}

/* The end of the pause after this restart; 0: it has none. */
static int64_t end_of_pause(struct txn *txn, uint32_t restarts)
{
	const struct core_policy *p = txn->policy;
	int64_t pause_us = p->restart_pause_us;

	if (!pause_us || restarts < 2)
		return 0;
	for (uint32_t n = 2; n < restarts && pause_us < p->restart_pause_max_us; n++)
		pause_us *= 2;
	if (pause_us > p->restart_pause_max_us)
		pause_us = p->restart_pause_max_us;
	if (!pause_us)
		return 0;
	if (txn->in->wall_us + pause_us < txn->live->pause_us)
		txn->live->pause_us = txn->in->wall_us + pause_us;
	return txn->in->wall_us + pause_us;
}

int64_t restart_pause_end(struct txn *txn, const struct element *e, uint32_t restarts, bool failed)
{
	int64_t end_us = failed ? end_of_pause(txn, restarts) : 0;
	int64_t gang_us = pause_of_gang(txn, e->job->gang);

	return gang_us > end_us ? gang_us : end_us;
}

static void end_pause(struct txn *txn, const struct element *e)
{
	Armada__ElementDue *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_DUE, &m);

	m->job = e->job->id;
	m->element = e->index;
	emit_event(txn, ev);
}

void restart_pause_due(struct txn *txn)
{
	const struct element *e, *next;
	int64_t next_us = INT64_MAX;
	uint32_t count = 0;

	if (txn->in->wall_us < txn->live->pause_us)
		return;
	for (e = txn->state->paused.lh_first; e; e = next) {
		next = e->paused.le_next;
		if (e->not_before_us <= txn->in->wall_us && count++ < DUE_AT_ONCE)
			end_pause(txn, e);
		else if (e->not_before_us < next_us)
			next_us = e->not_before_us;
	}
	txn->wants_round |= count > 0;
	txn->live->pause_us = next_us;
}

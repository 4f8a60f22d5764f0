/*
 * The queue of changes of steps (link_steps.h). Input: states of steps from the launcher, time. Output:
 * messages with many steps each.
 *
 * A later state of a step replaces an earlier one that was not sent. The queue is short: what arrives in
 * PAUSE_US, or between the connection and the registration. If it is full, the oldest states leave; the
 * next session tells them again.
 */
#include "agent/link_steps.h"

#include "agent/link_session.h"
#include "agent/report.h"
#include "util/mem.h"

#include <string.h>

enum { PAUSE_US = 200000, QUEUED_MAX = 65536 };

struct queued_step {
	struct task_key key;
	struct step_state state;
};

void link_steps_free(struct link *l)
{
	free(l->steps);
	l->steps = NULL;
	l->step_count = l->step_cap = 0;
}

void link_steps_restart(struct link *l)
{
	l->step_count = 0;
	l->steps_at_us = INT64_MAX;
}

/* From the end: the steps of the present are there. */
static struct queued_step *find(const struct link *l, const struct task_key *key,
				const struct step_state *state)
{
	enum { LOOK_BACK = 256 };

	for (size_t i = 0; i < l->step_count && i < LOOK_BACK; i++) {
		struct queued_step *q = &l->steps[l->step_count - 1 - i];

		if (q->state.step == state->step && q->state.layer == state->layer &&
		    task_key_equal(&q->key, key))
			return q;
	}
	return NULL;
}

void link_step(struct link *l, const struct task_key *key, const struct step_state *state,
	       int64_t now_us)
{
	struct queued_step *q;

	if (l->state < LINK_LISTING || (l->state == LINK_OPEN && !l->takes_steps))
		return;
	q = find(l, key, state);
	if (!q && l->step_count == QUEUED_MAX)
		memmove(l->steps, l->steps + 1, --l->step_count * sizeof(*l->steps));
	if (!q) {
		GROW(l->steps, l->step_cap, l->step_count + 1);
		q = &l->steps[l->step_count++];
	}
	*q = (struct queued_step){*key, *state};
	if (l->steps_at_us == INT64_MAX)
		l->steps_at_us = now_us + PAUSE_US;
}

static Armada__StepReport *report_of(const struct queued_step *q, struct arena *arena)
{
	Armada__StepReport *m = arena_alloc(arena, sizeof(*m));

	armada__step_report__init(m);
	m->key = report_key_message(&q->key, arena);
	step_state_put(&q->state, m, arena_alloc(arena, sizeof(*m->usage)));
	return m;
}

static void send_batch(struct link *l, size_t from, size_t count, struct link_effects *out)
{
	Armada__StepReports *m = arena_alloc(out->arena, sizeof(*m));

	armada__step_reports__init(m);
	m->steps = arena_alloc(out->arena, count * sizeof(*m->steps));
	for (size_t i = 0; i < count; i++)
		m->steps[m->n_steps++] = report_of(&l->steps[from + i], out->arena);
	link_send(l, MSG_STEP_REPORTS, m, out);
}

void link_steps_flush(struct link *l, int64_t now_us, bool all, struct link_effects *out)
{
	if (l->state != LINK_OPEN || (!all && now_us < l->steps_at_us))
		return;
	for (size_t at = 0; l->takes_steps && at < l->step_count; at += LINK_REPORTS)
		send_batch(l, at,
			   l->step_count - at < LINK_REPORTS ? l->step_count - at : LINK_REPORTS,
			   out);
	link_steps_restart(l);
}

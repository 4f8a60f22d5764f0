#include "core/gate.h"

#include "core/gang.h"

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static bool has_partners(const struct element *e)
{
	return e->job->gang && e->job->gang->together > 1;
}

bool gate_has(const struct task *t)
{
	return t->element->task_count > 1 || has_partners(t->element);
}

/* Was it opened, as far as this element goes? */
static bool gate_is_open(const struct element *e)
{
	if (e->gate_open || e->start_us)
		return true;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].start_us)
			return true;
	return false;
}

void gate_ready(struct task *t)
{
	if (t->state != TASK_LEASED)
		return;
	t->ready = true;
	t->element->gate_look = true;
}

/* Is nobody of it missing at the gate? */
static bool is_ready(const struct element *e)
{
	if (e->promised || e->why || e->state == JOB(UNKNOWN))
		return false;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];

		if (t->vacancy || (t->state == TASK_LEASED && !t->ready))
			return false;
	}
	return true;
}

static void open_gate(struct core *c, struct element *e)
{
	e->gate_open = true;
	for (uint32_t i = 0; i < e->task_count && !e->why; i++) {
		struct task *t = &e->tasks[i];

		if (t->state == TASK_LEASED && t->ready && !t->released)
			order_release_task(c, t);
	}
}

/* The element of this member that was leased with e; NULL: it has none, or not any more. */
static struct element *partner(const struct job *member, const struct element *e)
{
	struct element *other = element_find(member, 0);

	return other && other->task_count && other->seq == e->seq ? other : NULL;
}

static bool partners_are_ready(const struct element *e)
{
	const struct gang *g = e->job->gang;

	for (size_t i = 0; i < g->count; i++) {
		const struct element *other = partner(g->members[i], e);

		if (other && !is_ready(other))
			return false;
	}
	return true;
}

static bool partners_are_open(const struct element *e)
{
	const struct gang *g = e->job->gang;

	for (size_t i = 0; i < g->count; i++) {
		const struct element *other = partner(g->members[i], e);

		if (other && gate_is_open(other))
			return true;
	}
	return false;
}

bool gate_is_shut(const struct task *t)
{
	const struct element *e = t->element;

	return gate_has(t) && !gate_is_open(e) && !(has_partners(e) && partners_are_open(e));
}

void gate_look(struct core *c, struct element *e)
{
	const struct gang *g = has_partners(e) ? e->job->gang : NULL;

	e->gate_look = false;
	if (!e->task_count || e->promised)
		return;
	if (!g) {
		if (gate_is_open(e) || is_ready(e))
			open_gate(c, e);
		return;
	}
	if (!gate_is_open(e) && !partners_are_open(e) && !partners_are_ready(e))
		return;
	for (size_t i = 0; i < g->count; i++) {
		struct element *other = partner(g->members[i], e);

		if (other)
			open_gate(c, other);
	}
}

#include "core/lifecycle/task_failure_policy.h"

#include "util/mem.h"
#include "util/plural.h"

#define END(name)    ARMADA__END_CAUSE__END_##name
#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

bool task_ended_well(const struct task *t)
{
	return t->state == TASK_ENDED && t->cause == END(EXITED) && t->exit_code == 0;
}

/* Before the first start all tasks are being set up: those that wait at the start barrier are good. */
static bool is_good(const struct task *t)
{
	if (t->state == TASK_LEASED)
		return !t->element->start_us;
	return t->state == TASK_STARTED ? !t->leaving : task_ended_well(t);
}

uint32_t task_failure_good_tasks(const struct element *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->task_count; i++)
		n += is_good(&e->tasks[i]);
	return n;
}

uint32_t task_failure_good_in(const struct element *e, uint32_t group)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->task_count; i++)
		n += e->tasks[i].group == group && is_good(&e->tasks[i]);
	return n;
}

bool task_failure_too_few(const struct element *e)
{
	const struct spec *s = e->job->spec;
	CLEANUP_FREE uint32_t *good = NULL;

	if (!spec_has_minima(s))
		return task_failure_good_tasks(e) < s->least;
	good = xcalloc(s->group_count, sizeof(*good));
	for (uint32_t i = 0; i < e->task_count; i++)
		good[e->tasks[i].group] += is_good(&e->tasks[i]);
	return !spec_minima_met(s, good);
}

const char *task_failure_shortage(struct txn *txn, const struct task *t)
{
	const struct element *e = t->element;
	const struct spec *s = e->job->spec;
	uint32_t good = task_failure_good_tasks(e), least = s->least, g = 0;
	const char *where = "";

	while (spec_has_minima(s) && g + 1 < s->group_count &&
	       task_failure_good_in(e, g) >= s->groups[g].least)
		g++;
	if (spec_has_minima(s)) {
		good = task_failure_good_in(e, g);
		least = s->groups[g].least;
		where = arena_printf(txn->arena, " in group %s",
				     spec_unpack(s, txn->arena)->groups[g]->name);
	}
	return arena_printf(txn->arena, "task %u failed: %u good %s left%s, at least %u %s needed",
			    t->rank, good, plural(good, "task is", "tasks are"), where, least,
			    plural(least, "is", "are"));
}

/* The rule for failures of t, which is that of its group. */
static uint8_t rule_of(const struct task *t)
{
	return spec_task_failure(t->element->job->spec, t->group);
}

bool task_failure_is_fatal(const struct task *t)
{
	return t->state == TASK_ENDED && t->cause != END(GANG) && !t->vacant && !t->replacement &&
	       rule_of(t) == POLICY(FAIL_JOB) && !task_ended_well(t);
}

const struct task *task_failure_fatal(const struct element *e)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (task_failure_is_fatal(&e->tasks[i]))
			return &e->tasks[i];
	return NULL;
}

enum failure task_failure_of(const struct task *t, uint32_t most)
{
	/* all tasks have the same time limit, so it is over for all of them */
	if (rule_of(t) == POLICY(FAIL_JOB) || t->cause == END(TIME_LIMIT))
		return FAILURE_ENDS;
	if (task_failure_too_few(t->element))
		return FAILURE_RESTARTS;
	if (rule_of(t) == POLICY(RESTART_JOB))
		return FAILURE_PASSES;
	return t->failures < most ? FAILURE_REPLACES : FAILURE_ENDS;
}

bool only_waiting_left(const struct element *e)
{
	const struct spec *s = e->job->spec;
	bool any = false;

	for (uint32_t i = 0; s->groups && i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];

		if (t->state == TASK_ENDED && !t->replacement)
			continue;
		if (!s->groups[t->group].service && !task_stands_by(t))
			return false;
		any = true;
	}
	return any;
}

/*
 * Requests of users about existing jobs: about a whole job, one element, or the running jobs of a
 * node or queue.
 *
 * Input: a job and a node. Output: a message to the controller. Replies are not awaited, and a
 * refusal is not repeated.
 */
#include "asim/storm/request.h"
#include "asim/storm/clock.h"
#include "asim/storm/journal.h"
#include "asim/storm/policy.h"

enum { SOME_STEPS = 6 }; /* a request names one of the first ones of its job */

/* A filter with memory for its fields. */
struct wish {
	Armada__JobFilter filter;
	Armada__JobRange range, *ids[1];
	Armada__IndexRange elements;
	char *names[2];
};

static void by_id(struct wish *x, uint64_t id)
{
	armada__job_filter__init(&x->filter);
	armada__job_range__init(&x->range);
	x->range.first = x->range.last = id;
	x->ids[0] = &x->range;
	x->filter.ids = x->ids;
	x->filter.n_ids = 1;
}

/* A job, or one element of it. */
static void by_element(struct storm *s, struct wish *x, const struct sim_job *j)
{
	by_id(x, j->id);
	if (j->elements == 1 || !storm_random(s, 2))
		return;
	armada__index_range__init(&x->elements);
	x->elements.first = x->elements.last = storm_random(s, j->elements);
	x->range.elements = &x->elements;
	x->range.has_elements = true;
}

static void by_name(struct wish *x, const char *name, char ***ret_list, size_t *ret_count)
{
	x->names[0] = (char *)name;
	*ret_list = x->names;
	*ret_count = 1;
}

void sim_request_cancel(struct storm *s, const struct sim_job *j, const struct sim_node *n UNUSED)
{
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	struct wish x;

	by_id(&x, j->id);
	m.filter = &x.filter;
	sim_client_ask(s, j - s->jobs, MSG_CANCEL, &m);
}

void sim_request_hold(struct storm *s, const struct sim_job *j, bool release)
{
	Armada__HoldRequest m = ARMADA__HOLD_REQUEST__INIT;
	struct wish x = {.names = {(char *)"ann", (char *)"bob"}};

	if (j) {
		by_id(&x, j->id);
	} else {
		armada__job_filter__init(&x.filter);
		x.filter.users = x.names;
		x.filter.n_users = ARRAY_SIZE(x.names);
	}
	m.filter = &x.filter;
	m.release = release;
	sim_client_ask(s, SIM_JOBS, MSG_HOLD, &m);
}

void sim_request_requeue(struct storm *s, const struct sim_job *j, const struct sim_node *n UNUSED)
{
	Armada__RequeueRequest m = ARMADA__REQUEUE_REQUEST__INIT;
	struct wish x;

	by_element(s, &x, j);
	m.filter = &x.filter;
	m.hold = storm_random(s, 8) == 0;
	s->count.requeues++;
	sim_client_ask(s, SIM_JOBS, MSG_REQUEUE, &m);
}

/* A job for j to wait for: any, or one that waits for j already, which must be refused. */
static uint64_t draw_target(struct storm *s, const struct sim_job *j)
{
	const struct sim_job *on = &s->jobs[storm_random(s, s->job_count)];
	uint64_t found = 0;

	for (size_t i = storm_random(s, 2) ? 0 : s->job_count; i < s->job_count && !found; i++)
		for (size_t k = 0; k < s->jobs[i].dep_count; k++)
			if (s->jobs[i].deps[k].job == j->id && !sim_client_is_over(&s->jobs[i]))
				found = s->jobs[i].id;
	return found ? found : on->id ? on->id : 1;
}

#define UPDATE(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

void sim_request_update(struct storm *s, const struct sim_job *j, const struct sim_node *n UNUSED)
{
	static const Armada__UpdateJobRequest__Field kinds[] = {
		UPDATE(PRIORITY), UPDATE(QUEUE),          UPDATE(THROTTLE), UPDATE(DEPENDENCIES),
		UPDATE(BEGIN),    UPDATE(PRIORITY_CLASS), UPDATE(COMMENT),  UPDATE(TIME_LIMIT),
	};
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	Armada__Dependency d = ARMADA__DEPENDENCY__INIT, *deps[] = {&d};
	Armada__UpdateJobRequest__Field fields[2];
	struct wish x;

	by_id(&x, j->id);
	m.filter = &x.filter;
	m.spec = &spec;
	m.fields = fields;
	m.n_fields = 1 + storm_random(s, 2);
	for (size_t i = 0; i < 2; i++)
		fields[i] = kinds[storm_random(s, ARRAY_SIZE(kinds))];
	if (storm_random(s, 2))
		fields[0] = j->elements > 1 ? UPDATE(THROTTLE) : UPDATE(DEPENDENCIES);
	spec.priority = storm_random(s, 5);
	spec.queue = (char *)sim_policy_queues[storm_random(s, SIM_QUEUES)].name;
	spec.priority_class = (char *)sim_policy_classes[storm_random(s, SIM_CLASSES)].name;
	spec.array_throttle = storm_random(s, 4);
	spec.time_limit_s = 1000 + storm_random(s, 1000);
	spec.begin_us = sim_clock_wall_us(s) + storm_random(s, 100000000);
	d.type = ARMADA__DEPENDENCY_TYPE__DEPENDENCY_AFTERANY + storm_random(s, 2);
	d.job = draw_target(s, j);
	spec.dependencies = deps;
	/* a job that waits, through other jobs, for a member of its own gang waits for ever */
	spec.n_dependencies = j->gang ? 0 : storm_random(s, 4) > 0;
	s->count.updates++;
	sim_client_ask(s, SIM_JOBS, MSG_UPDATE_JOB, &m);
}

void sim_request_preempt(struct storm *s, const struct sim_job *j, const struct sim_node *n)
{
	Armada__PreemptRequest m = ARMADA__PREEMPT_REQUEST__INIT;
	struct wish x;

	armada__job_filter__init(&x.filter);
	switch (storm_random(s, 8)) {
	case 0:
		by_name(&x, sim_policy_queues[storm_random(s, SIM_QUEUES)].name, &x.filter.queues,
			&x.filter.n_queues);
		break;
	case 1:
		by_name(&x, sim_policy_classes[storm_random(s, SIM_CLASSES)].name,
			&x.filter.priority_classes, &x.filter.n_priority_classes);
		break;
	case 2:
	case 3:
	case 4:
		by_name(&x, n->name, &x.filter.nodes, &x.filter.n_nodes);
		break;
	default:
		if (!j->id)
			return;
		by_element(s, &x, j);
	}
	m.filter = &x.filter;
	m.reason = (char *)(storm_random(s, 2) ? "weather" : "");
	m.hold = storm_random(s, 8) == 0;
	m.dry_run = storm_random(s, 8) == 0;
	s->count.user_preempts++;
	sim_client_ask(s, SIM_JOBS, MSG_PREEMPT, &m);
}

void sim_request_signal(struct storm *s, const struct sim_job *j UNUSED,
			const struct sim_node *n UNUSED)
{
	const struct task_key *key = sim_journal_draw(s);
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	struct wish x;

	if (!key)
		return;
	by_id(&x, key->job);
	m.filter = &x.filter;
	m.signal = 10;
	m.signal_script = storm_random(s, 2);
	sim_client_ask(s, SIM_JOBS, MSG_CANCEL, &m);
}

void sim_request_steps(struct storm *s)
{
	Armada__StepRequest m = ARMADA__STEP_REQUEST__INIT;
	Armada__IndexRange rank = ARMADA__INDEX_RANGE__INIT, *ranks[] = {&rank};
	const struct task_key *key = sim_journal_draw(s);
	uint32_t count = 1 + storm_random(s, 3);

	if (!key)
		return;
	m.job = key->job;
	m.element = key->element;
	m.payload.data = (uint8_t *)"step";
	m.payload.len = 4;
	rank.first = rank.last = key->rank;
	m.ranks = ranks;
	for (uint32_t i = 0; i < count; i++) {
		m.n_ranks = storm_random(s, 3) == 0;
		m.step = storm_random(s, 3) == 0 ? 1 + storm_random(s, SOME_STEPS) : 0;
		m.layer = m.step ? 1 + storm_random(s, 2) : 0;
		sim_client_ask(s, SIM_JOBS, MSG_STEP, &m);
	}
}

void sim_request_signal_step(struct storm *s)
{
	Armada__SignalStepRequest m = ARMADA__SIGNAL_STEP_REQUEST__INIT;
	const struct task_key *key = sim_journal_draw(s);

	if (!key)
		return;
	m.job = key->job;
	m.has_element = true;
	m.element = key->element;
	m.step = storm_random(s, SOME_STEPS);
	m.signal = storm_random(s, 2) ? 10 : 0;
	sim_client_ask(s, SIM_JOBS, MSG_SIGNAL_STEP, &m);
}

void sim_request_list_steps(struct storm *s)
{
	const Armada__ListStepsRequest m = ARMADA__LIST_STEPS_REQUEST__INIT;

	sim_client_ask(s, SIM_JOBS, MSG_LIST_STEPS, &m);
}

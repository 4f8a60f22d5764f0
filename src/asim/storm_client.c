/* Users: they submit, retry with the same key until they hear an id, and cancel. */
#include "asim/storm_parts.h"

#include <stdio.h>
#include <string.h>

void client_ask(struct storm *s, uint32_t number, enum msg_type type, const void *message)
{
	struct happening h = {
		.kind = HAPPEN_TO_CTL,
		.at_us = s->now_us + 300 + storm_random(s, 1000),
		.life = s->ctl.life,
		.node = -1,
		.conn = UINT64_C(1) << 40,
		.type = type,
		.number = number,
	};
	struct buf packed = {0};

	if (!s->ctl.up)
		return;
	msg_pack(message, &packed);
	h.body = buf_take(&packed, &h.len);
	happenings_put(&s->queue, &h);
}

static void try_again_later(struct storm *s, const struct storm_job *j)
{
	struct happening h = {.kind = HAPPEN_CLIENT, .number = j - s->jobs};

	h.at_us = s->now_us + 1000000 + storm_random(s, 5000000);
	happenings_put(&s->queue, &h);
}

void client_submit(struct storm *s, struct storm_job *j)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT, *jobs[] = {&spec};
	Armada__TaskGroup group[STORM_GROUPS], *groups[STORM_GROUPS];
	Armada__Resource cpu[STORM_GROUPS], *resources[STORM_GROUPS];
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *array[] = {&range};
	Armada__Dependency deps[STORM_DEPS], *waits[STORM_DEPS];
	char *argv[] = {(char *)"/bin/true"}, gang[16];

	if (j->tries++)
		s->count.retries++;
	for (int i = 0; i < STORM_GROUPS; i++) {
		armada__task_group__init(&group[i]);
		armada__resource__init(&cpu[i]);
		groups[i] = &group[i];
		resources[i] = &cpu[i];
		cpu[i].name = (char *)"cpu";
		cpu[i].amount = (int64_t)(i || !j->first ? j->cpus : j->first_cpus) * 1000;
		group[i].name = (char *)(j->first ? i ? "rest" : "first" : "");
		group[i].replicas = !j->first ? j->tasks : i ? j->tasks - j->first : j->first;
		group[i].service = j->service && !i;
		group[i].argv = argv;
		group[i].n_argv = 1;
		group[i].resources = &resources[i];
		group[i].n_resources = 1;
	}
	spec.queue = (char *)j->queue;
	spec.priority_class = (char *)j->class_name;
	spec.exclusive = j->exclusive;
	spec.no_requeue = j->no_requeue;
	spec.no_fence = j->no_fence;
	spec.lease_s = j->lease_s;
	spec.grace_ms = j->stubborn ? 30000 : 0;
	spec.groups = groups;
	spec.n_groups = j->first ? 2 : 1;
	spec.on_task_failure = j->policy;
	spec.nodes = j->tasks > 1 && !j->first ? j->tasks : 0;
	spec.min_available = j->least;
	if (j->gang) {
		snprintf(gang, sizeof(gang), "g%u", j->gang);
		spec.gang_id = gang;
		spec.gang_cardinality = j->members;
		spec.gang_min = j->least_members;
	}
	spec.name = (char *)j->name;
	spec.array_throttle = j->throttle;
	deps_spec(j, deps, waits, &spec);
	spec.chdir = (char *)"/tmp";
	if (j->elements > 1) {
		range.last = j->elements - 1;
		spec.array = array;
		spec.n_array = 1;
	}
	m.key.data = j->key;
	m.key.len = sizeof(j->key);
	m.jobs = jobs;
	m.n_jobs = 1;
	client_ask(s, j - s->jobs, MSG_SUBMIT, &m);
	try_again_later(s, j);
}

static void cancel(struct storm *s, struct storm_job *j)
{
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};

	r.first = r.last = j->id;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	client_ask(s, j - s->jobs, MSG_CANCEL, &m);
}

static void hold(struct storm *s, const struct storm_job *j, bool release)
{
	Armada__HoldRequest m = ARMADA__HOLD_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};
	char *users[] = {(char *)"ann", (char *)"bob"};

	if (j) {
		r.first = r.last = j->id;
		f.ids = ids;
		f.n_ids = 1;
	} else {
		f.users = users;
		f.n_users = ARRAY_SIZE(users);
	}
	m.filter = &f;
	m.release = release;
	client_ask(s, STORM_JOBS, MSG_HOLD, &m);
}

static void requeue(struct storm *s, const struct storm_job *j)
{
	Armada__RequeueRequest m = ARMADA__REQUEUE_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};
	Armada__IndexRange e = ARMADA__INDEX_RANGE__INIT;

	r.first = r.last = j->id;
	if (j->elements > 1 && storm_random(s, 2)) {
		e.first = e.last = storm_random(s, j->elements);
		r.elements = &e;
		r.has_elements = true;
	}
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	m.hold = storm_random(s, 8) == 0;
	s->count.requeues++;
	client_ask(s, STORM_JOBS, MSG_REQUEUE, &m);
}

#define UPDATE(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

static bool is_over(const struct storm_job *j)
{
	for (uint32_t e = 0; e < j->elements; e++)
		if (!j->ended[e])
			return false;
	return true;
}

/* What j may be told to wait for: anything, or what waits for j already, which must be refused. */
static uint64_t draw_target(struct storm *s, const struct storm_job *j)
{
	const struct storm_job *on = &s->jobs[storm_random(s, s->job_count)];
	uint64_t found = 0;

	for (size_t i = storm_random(s, 2) ? 0 : s->job_count; i < s->job_count && !found; i++)
		for (size_t k = 0; k < s->jobs[i].dep_count; k++)
			if (s->jobs[i].deps[k].job == j->id && !is_over(&s->jobs[i]))
				found = s->jobs[i].id;
	return found ? found : on->id ? on->id : 1;
}

static void update(struct storm *s, const struct storm_job *j)
{
	static const Armada__UpdateJobRequest__Field kinds[] = {
		UPDATE(PRIORITY), UPDATE(QUEUE),          UPDATE(THROTTLE), UPDATE(DEPENDENCIES),
		UPDATE(BEGIN),    UPDATE(PRIORITY_CLASS), UPDATE(COMMENT),  UPDATE(TIME_LIMIT),
	};
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	Armada__Dependency d = ARMADA__DEPENDENCY__INIT, *deps[] = {&d};
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};
	Armada__UpdateJobRequest__Field fields[2];

	r.first = r.last = j->id;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	m.spec = &spec;
	m.fields = fields;
	m.n_fields = 1 + storm_random(s, 2);
	for (size_t i = 0; i < 2; i++)
		fields[i] = kinds[storm_random(s, ARRAY_SIZE(kinds))];
	if (storm_random(s, 2))
		fields[0] = j->elements > 1 ? UPDATE(THROTTLE) : UPDATE(DEPENDENCIES);
	spec.priority = storm_random(s, 5);
	spec.queue = (char *)storm_queues[storm_random(s, STORM_QUEUES)].name;
	spec.priority_class = (char *)storm_classes[storm_random(s, STORM_CLASSES)].name;
	spec.array_throttle = storm_random(s, 4);
	spec.time_limit_s = 1000 + storm_random(s, 1000);
	spec.begin_us = clock_wall_us(s) + storm_random(s, 100000000);
	d.type = ARMADA__DEPENDENCY_TYPE__DEPENDENCY_AFTERANY + storm_random(s, 2);
	d.job = draw_target(s, j);
	spec.dependencies = deps;
	/* who waits for a member of his own gang, by way of others, waits for ever */
	spec.n_dependencies = j->gang ? 0 : storm_random(s, 4) > 0;
	s->count.updates++;
	client_ask(s, STORM_JOBS, MSG_UPDATE_JOB, &m);
}

static void drain(struct storm *s, const struct storm_node *n, bool resume)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	char *names[] = {(char *)n->name};

	m.names = names;
	m.n_names = 1;
	m.reason = (char *)"weather";
	m.action = resume ? ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_RESUME
			  : ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN;
	client_ask(s, STORM_JOBS, MSG_UPDATE_NODE, &m);
}

static void change_node(struct storm *s, const struct storm_node *n, Armada__UpdateNodeRequest *m)
{
	char *names[] = {(char *)n->name};

	m->names = names;
	m->n_names = 1;
	m->reason = (char *)"weather";
	client_ask(s, STORM_JOBS, MSG_UPDATE_NODE, m);
}

/* Only of machines that run nothing, whatever the controller believes. */
static void confirm_dead(struct storm *s, const struct storm_node *n)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;

	m.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_CONFIRM_DEAD;
	if (!node_is_surely_dead(s, n))
		return;
	s->count.confirmed++;
	change_node(s, n, &m);
}

static void relabel(struct storm *s, const struct storm_node *n)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	Armada__Label label = ARMADA__LABEL__INIT, *list[] = {&label};

	m.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_LABEL;
	label.key = (char *)"zone";
	label.value = (char *)(storm_random(s, 2) ? "a" : "b");
	m.labels = list;
	m.n_labels = 1;
	change_node(s, n, &m);
}

static void reboot(struct storm *s, const struct storm_node *n)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;

	m.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_REBOOT;
	m.now = storm_random(s, 2);
	m.stay_drained = storm_random(s, 2);
	change_node(s, n, &m);
}

static void extend_leases(struct storm *s, const struct storm_node *n)
{
	Armada__ExtendLeaseRequest m = ARMADA__EXTEND_LEASE_REQUEST__INIT;
	char *names[] = {(char *)n->name};

	m.names = names;
	m.n_names = 1;
	m.duration_s = 60 + (int64_t)storm_random(s, 900);
	m.reason = (char *)"";
	client_ask(s, STORM_JOBS, MSG_EXTEND_LEASE, &m);
}

static void care_for_node(struct storm *s, const struct storm_node *n)
{
	switch (storm_random(s, 5)) {
	case 0:
		relabel(s, n);
		break;
	case 1:
		extend_leases(s, n);
		break;
	case 2:
		reboot(s, n);
		break;
	default:
		confirm_dead(s, n);
	}
}

/* A gang of jobs that lost a member before it began waits for another for ever: nobody sends one. */
static void cancel_rest(struct storm *s, uint32_t gang)
{
	bool lost = false;

	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].gang == gang)
			lost |= s->jobs[i].cancelled || s->jobs[i].ended[0];
	for (size_t i = 0; i < s->job_count && lost; i++)
		if (s->jobs[i].gang == gang && s->jobs[i].id && !s->jobs[i].ended[0])
			cancel(s, &s->jobs[i]);
}

/* After the storm: everything is released and resumed, again until it has been heard. */
void client_settle(struct storm *s)
{
	struct happening h = {.kind = HAPPEN_SETTLE, .at_us = s->now_us + 30000000};

	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].gang == i + 1)
			cancel_rest(s, s->jobs[i].gang);

	hold(s, NULL, true);
	for (int i = 0; i < STORM_NODES; i++) {
		/* Who was ill is resumed by being well. */
		if (!node_is_drained_as_ill(s, &s->nodes[i]))
			drain(s, &s->nodes[i], true);
		node_turn_ill(s, &s->nodes[i], false);
		confirm_dead(s, &s->nodes[i]);
	}
	happenings_put(&s->queue, &h);
}

/* Who has several tasks may have two groups of them, and go on when one fails. */
static void draw_groups(struct storm *s, struct storm_job *j)
{
	if (j->tasks < 2)
		return;
	if (storm_random(s, 2)) {
		j->tasks += storm_random(s, TASK_RANKS - j->tasks + 1);
		j->first = 1 + storm_random(s, j->tasks - 1);
		j->first_cpus = 1 + storm_random(s, 2);
		j->service = storm_random(s, 4) == 0;
	}
	j->policy = storm_random(s, 3);
	if (j->policy)
		j->no_requeue = false;
}

static struct storm_job *make_job(struct storm *s)
{
	struct storm_job *j = &s->jobs[s->job_count++];

	for (size_t i = 0; i < sizeof(j->key); i++)
		j->key[i] = storm_random(s, 256);
	j->elements = storm_random(s, 6) ? 1 : 2 + storm_random(s, 20);
	j->tasks = storm_random(s, 5) ? 1 : 2 + storm_random(s, 2);
	j->least = j->tasks > 1 ? storm_random(s, j->tasks) : 0; /* 0: all */
	j->cpus = storm_random(s, 4) ? 1 : 2;
	j->queue = storm_queues[storm_random(s, STORM_QUEUES)].name;
	j->class_name = storm_classes[storm_random(s, STORM_CLASSES)].name;
	j->exclusive = storm_random(s, 40) == 0;
	j->no_requeue = storm_random(s, 20) == 0;
	j->no_fence = storm_random(s, 10) == 0;
	if (!j->no_fence && storm_random(s, 6) == 0)
		j->lease_s =
			s->policy.node_timeout_us / 1000000 + 1 + (int64_t)storm_random(s, 100);
	j->stubborn = storm_random(s, 3) == 0;
	draw_groups(s, j);
	j->name = "storm";
	return j;
}

/* No larger than the smallest nodes can hold. */
static void submit_gang(struct storm *s)
{
	uint32_t members = 2 + storm_random(s, 2), least = storm_random(s, members);
	struct storm_job *first = NULL;

	for (uint32_t i = 0; i < members; i++) {
		struct storm_job *j = make_job(s);

		if (!first)
			first = j;
		j->elements = 1;
		j->tasks = members == 2 ? 1 + storm_random(s, 2) : 1;
		j->least = 0;
		j->exclusive = false;
		j->first = j->policy = 0;
		j->service = false;
		j->queue = first->queue;
		j->class_name = first->class_name;
		j->gang = 1 + first - s->jobs;
		j->members = members;
		j->least_members = least;
		j->ended = xcalloc(1, 1);
		deps_draw(s, j);
		client_submit(s, j);
	}
}

static void submit_new(struct storm *s)
{
	struct storm_job *j;

	if (s->job_count + 3 > STORM_JOBS)
		return;
	if (storm_random(s, 8) == 0) {
		submit_gang(s);
		return;
	}
	j = make_job(s);
	j->ended = xcalloc(j->elements, 1);
	deps_draw(s, j);
	client_submit(s, j);
}

/* Anybody; more often one that is not over, and then more often an array. */
static struct storm_job *pick_job(struct storm *s)
{
	struct storm_job *j = &s->jobs[storm_random(s, s->job_count)];

	for (int i = 0; i < 6 && (!j->id || is_over(j) || (i < 3 && j->elements == 1)); i++)
		j = &s->jobs[storm_random(s, s->job_count)];
	return j;
}

void client_act(struct storm *s)
{
	struct storm_job *j;
	struct storm_node *n;

	if (storm_random(s, 3) || !s->job_count) {
		submit_new(s);
		return;
	}
	j = pick_job(s);
	n = &s->nodes[storm_random(s, STORM_NODES)];
	switch (storm_random(s, 17)) {
	case 0:
	case 1:
		if (j->id)
			cancel(s, j);
		break;
	case 2:
		if (j->id)
			hold(s, j, storm_random(s, 2));
		break;
	case 3:
		drain(s, n, storm_random(s, 3));
		break;
	case 6:
	case 7:
	case 8:
		if (j->id)
			update(s, j);
		break;
	case 9:
	case 10:
		if (j->id)
			requeue(s, j);
		break;
	case 4:
		if (!storm_fault(s, 4))
			break;
		storm_trace(s, "armada.conf is another");
		policy_draw(s);
		ctl_reconfigure(s);
		break;
	case 5:
		client_signal(s);
		break;
	case 11:
	case 13:
		client_step(s);
		break;
	case 12:
		care_for_node(s, n);
		break;
	case 14:
	case 15:
		client_preempt(s, j, n);
		break;
	case 16:
		client_queue(s);
		break;
	default:
		break;
	}
}

void client_reply(struct storm *s, const struct happening *h)
{
	const Armada__SubmitReply *m;
	struct storm_job *j;
	struct err err;

	if (h->type == MSG_ERROR) {
		const Armada__ErrorReply *e =
			msg_unpack(msg_find(h->type), h->body, h->len, s->arena, &err);

		/* before any node has registered nothing is refused; afterwards gangs may be */
		storm_trace(s, "client: %s", e ? e->text : "?");
		return;
	}
	if (h->type == MSG_CANCEL_REPLY && h->number < STORM_JOBS)
		s->jobs[h->number].cancelled = true;
	if (h->type != MSG_SUBMIT_REPLY || h->number >= STORM_JOBS)
		return;
	m = msg_unpack(msg_find(h->type), h->body, h->len, s->arena, &err);
	j = &s->jobs[h->number];
	if (!m || m->n_ids != 1)
		storm_violate(s, "a submission of one job is answered with %zu ids",
			      m ? m->n_ids : 0);
	else if (j->id && j->id != m->ids[0])
		storm_violate(s, "I5: one key, two ids: %llu and %llu", (unsigned long long)j->id,
			      (unsigned long long)m->ids[0]);
	else
		j->id = m->ids[0];
}

/* What the history is told, again after every restart: one end for each element, for ever. */
void client_history(struct storm *s, const struct armada_history_row *row)
{
	for (size_t i = 0; i < s->job_count; i++) {
		struct storm_job *j = &s->jobs[i];

		if (j->id != row->job)
			continue;
		shutdown_check(s, j, row);
		for (uint32_t e = row->first_element; e <= row->last_element; e++) {
			if (e >= j->elements)
				storm_violate(s, "an end of element %u of %u", e, j->elements);
			else if (j->ended[e] && j->ended[e] != row->state)
				storm_violate(s, "I4: %llu_%u ended as %d and as %d",
					      (unsigned long long)j->id, e, j->ended[e],
					      row->state);
			else
				j->ended[e] = row->state;
		}
	}
}

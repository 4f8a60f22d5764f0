/*
 * Makes inputs for a core and stores its records. Look-ups of names and queries of the history,
 * which armctld answers asynchronously, are answered at once. After inputs core_check() runs,
 * and the state is compared with a replay of the records and with a restored snapshot.
 */
#include "fixture.h"
#include "unit/core/snapshot_compare.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t admins[] = {ADMIN_USER};

static struct {
	uint64_t job;
	uint32_t first, last;
	int state;
} history[100000];
static size_t history_count;

void world_init(struct test_world *w)
{
	static const uint8_t cluster[16] = "cluster-of-tests";
	struct input in = {.kind = INPUT_BEGIN, .host = "ctl", .release = "test"};

	*w = (struct test_world){.wall_us = 1700000000000000, .steady_us = 1000000};
	history_count = 0;
	w->arena = arena_new(0);
	w->events = event_notes_new();
	w->classes[0] = (struct sched_class){"armada-default", 1000, false, true, {0}, false};
	w->classes[1] = (struct sched_class){"armada-preemptible", 1000, true, true, {0}, false};
	w->own_queue = (Armada__QueueSpec)ARMADA__QUEUE_SPEC__INIT;
	w->policy = (struct core_policy){
		.cluster = "test",
		.admin_uids = admins,
		.admin_count = 1,
		.controller_uid = CONTROLLER_USER,
		.min_uid = 500,
		.heartbeat_us = 10000000,
		.usage_us = 10000000,
		.mails = true,
		.node_timeout_us = 60000000,
		.lease_us = INT64_C(43200000000),
		.default_cpu_milli = 1000,
		.default_memory_per_cpu = 1 << 30,
		.default_time_limit_us = INT64_C(86400000000),
		.default_grace_us = 1000000,
		.default_output = "armada-%j.out",
		.default_array_output = "armada-%A_%a.out",
		.default_class = "armada-default",
		.max_script_bytes = 1 << 20,
		.max_env_bytes = 1 << 19,
		.max_args_bytes = 1 << 17,
		.max_array_elements = 10000000,
		.max_tasks = 10000,
		.max_jobs_per_request = 1000,
		.max_jobs = 1000000,
		.max_output_reads_of_user = 8,
		.max_output_reads = 64,
		.output_read_us = 30000000,
		.max_steps_of_job = 10000,
		.max_step_tasks = 1000000,
		.max_ended_steps_of_job = 100,
		.max_ended_steps = 100000,
		.max_waits_of_conn = 10000,
		.max_waits_of_user = 50000,
		.max_waits = 500000,
		.max_grace_us = 300000000,
		.submit_key_us = INT64_C(86400000000),
		.user_queue = &w->own_queue,
		.classes = w->classes,
		.class_count = 2,
	};
	w->core = core_new(&w->policy);
	core_set_cluster(w->core, cluster);
	in.wall_us = w->wall_us;
	in.steady_us = w->steady_us;
	core_input(w->core, &in, &w->out);
	GROW(w->records, w->record_cap, 1);
	w->records[w->record_count++] = (struct stored_record){
		xmemdup(w->out.record, w->out.record_len), w->out.record_len};
}

static void note_history(const struct output *out)
{
	for (size_t i = 0; i < out->effect_count; i++) {
		const struct armada_history_row *r = out->effects[i].row;

		if (out->effects[i].kind != EFFECT_HISTORY || !r)
			continue;
		if (history_count == ARRAY_SIZE(history))
			bail("too much history");
		history[history_count].job = r->job;
		history[history_count].first = r->first_element;
		history[history_count].last = r->last_element;
		history[history_count++].state = r->state;
	}
}

/* The replies of the history: a job with elements other than 0 is an array. */
static void look_up(uint64_t job, struct core_finished_job *past)
{
	*past = (struct core_finished_job){.job = job};
	for (size_t i = 0; i < history_count; i++) {
		if (history[i].job != job)
			continue;
		past->known = true;
		past->array |= history[i].last > 0;
		rangeset_add(&past->elements, history[i].first, history[i].last);
		if (history[i].state != ARMADA__JOB_STATE__JOB_COMPLETED)
			rangeset_add(&past->bad, history[i].first, history[i].last);
	}
}

/* Queries the history and gives the message to the core again at once, as armctld does later. */
static void answer_past(struct test_world *w, struct input *in)
{
	size_t count = 0;
	uint64_t jobs[16];

	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_FINISHED_JOBS) {
			count = w->out.effects[i].finished_count;
			memcpy(jobs, w->out.effects[i].finished_jobs,
			       (count < 16 ? count : 16) * sizeof(*jobs));
		}
	if (!count)
		return;
	struct core_finished_job past[16];

	for (size_t i = 0; i < count && i < 16; i++)
		look_up(jobs[i], &past[i]);
	in->past = past;
	in->finished_count = count < 16 ? count : 16;
	w->history_queries++;
	world_feed(w, in);
	for (size_t i = 0; i < in->finished_count; i++) {
		rangeset_done(&past[i].elements);
		rangeset_done(&past[i].bad);
	}
}

/*
 * Looks up names at once. Every user exists, except names that begin with "no-"; the lookup of
 * names that begin with "ldap-" fails. Users are in the group people.
 */
static bool answer_names(struct test_world *w, struct input *in)
{
	static const uint32_t gids[] = {100};
	static const char *const groups[] = {"people"};
	struct core_name names[32];
	size_t count = 0;

	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];

		if (e->kind != EFFECT_NAMES)
			continue;
		count = e->name_count < ARRAY_SIZE(names) ? e->name_count : ARRAY_SIZE(names);
		for (size_t k = 0; k < count; k++) {
			names[k] = e->names[k];
			names[k].failed = strncmp(names[k].name, "ldap-", 5) == 0;
			names[k].known = !names[k].failed && strncmp(names[k].name, "no-", 3) != 0;
			names[k].id = strcmp(names[k].name, "other") == 0 ? OTHER_USER : TEST_USER;
			names[k].gids = gids;
			names[k].groups = groups;
			names[k].gid_count = 1;
		}
	}
	if (!count)
		return false;
	w->name_lookups++;
	in->names = names;
	in->name_count = count;
	world_feed(w, in);
	return true;
}

static void restore_chunk(void *arg, const void *data, size_t len)
{
	struct err err;

	if (core_restore(arg, data, len, &err) < 0)
		ok(false, "restore: %s", err.text);
}

/*
 * The state is compared with its snapshot after each of the first records of a world, up to this
 * number.
 */
enum { KEPT_RECORDS = 50 };

static void look_at_snapshot(struct test_world *w)
{
	struct core *restored = core_new(&w->policy);

	core_snapshot(w->core, restore_chunk, restored);
	snapshot_compare(w->core, restored);
	core_free(restored);
}

void world_feed(struct test_world *w, struct input *in)
{
	struct err err;

	w->wall_us += 1000;
	w->steady_us += 1000;
	in->wall_us = w->wall_us;
	in->steady_us = w->steady_us;
	core_input(w->core, in, &w->out);
	if (core_check(w->core, &err) < 0)
		ok(false, "core_check: %s", err.text);
	note_history(&w->out);
	event_notes_add(w->events, core_state(w->core), &w->out);
	if (w->out.record) {
		GROW(w->records, w->record_cap, w->record_count + 1);
		w->records[w->record_count++] = (struct stored_record){
			xmemdup(w->out.record, w->out.record_len), w->out.record_len};
	}
	/*
	 * the comparison visits the whole state, so it is made only for the first records and in
	 * world_done()
	 */
	if (w->out.record && w->record_count <= KEPT_RECORDS)
		look_at_snapshot(w);
	if (!answer_names(w, in))
		answer_past(w, in);
}

static void compare(struct core *live, struct core *copy, const char *what)
{
	uint8_t a[32], b[32];

	core_hash(live, a);
	core_hash(copy, b);
	ok(memcmp(a, b, sizeof(a)) == 0, "I8: %s gives the same state", what);
	core_free(copy);
}

void world_done(struct test_world *w)
{
	struct core *replayed = core_new(&w->policy), *restored = core_new(&w->policy);
	struct event_notes *events = event_notes_new();
	struct output out;
	struct err err;

	for (size_t i = 0; i < w->record_count; i++) {
		if (core_replay(replayed, w->records[i].data, w->records[i].len, &out, &err) < 0)
			ok(false, "replay: %s", err.text);
		event_notes_add(events, core_state(replayed), &out);
		free(w->records[i].data);
	}
	if (!event_notes_equal(w->events, events))
		ok(false, "replay of the log gives the same job events");
	event_notes_free(events);
	event_notes_free(w->events);
	compare(w->core, replayed, "replay of the log");
	core_snapshot(w->core, restore_chunk, restored);
	snapshot_compare(w->core, restored);
	compare(w->core, restored, "the snapshot");
	free(w->records);
	arena_free(w->arena);
	core_free(w->core);
}

void world_send(struct test_world *w, uint32_t uid, enum msg_type type, const void *message)
{
	uint32_t gids[] = {uid};
	const char *groups[] = {"people"};
	struct caller who = {
		.role = ROLE_CLIENT,
		.uid = uid,
		.gid = w->gid ? w->gid : uid,
		.user = uid == TEST_USER    ? "ann"
			: uid == OTHER_USER ? "bob"
					    : "root",
		.gids = gids,
		.gid_count = 1,
		.groups = groups,
		.group_count = 1,
		.address = "127.0.0.1",
		.host = "login",
		.scope = w->scope,
	};
	struct input in = {
		.kind = INPUT_MESSAGE,
		.conn = 1000 + uid,
		.request = 7,
		.caller = &who,
		.type = type,
		.message = message,
		.busy = &w->busy,
		.busy_count = w->busy != 0,
	};

	world_feed(w, &in);
}

void world_agent(struct test_world *w, uint64_t conn, enum msg_type type, const void *message)
{
	struct caller who = {.role = ROLE_AGENT, .user = "armada-node", .address = "10.0.0.1"};
	struct input in = {
		.kind = INPUT_MESSAGE,
		.conn = conn,
		.caller = &who,
		.type = type,
		.message = message,
	};

	world_feed(w, &in);
}

void world_closed(struct test_world *w, uint64_t conn)
{
	struct input in = {.kind = INPUT_CLOSED, .conn = conn};

	world_feed(w, &in);
}

void world_tick(struct test_world *w, int64_t later_us)
{
	struct input in = {.kind = INPUT_TICK};

	w->wall_us += later_us;
	w->steady_us += later_us;
	world_feed(w, &in);
}

static void decide(struct test_world *w, struct sched_decision *d)
{
	struct sched_result r = {.decisions = d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r};

	world_feed(w, &in);
}

void world_decide(struct test_world *w, uint64_t job, uint32_t element, const char *nodes)
{
	char copy[256];
	const char *list[16];
	struct sched_decision d = {
		.kind = SCHED_START, .job = job, .element = element, .nodes = list};

	snprintf(copy, sizeof(copy), "%s", nodes);
	for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "))
		list[d.node_count++] = strcmp(name, "-") != 0 ? name : NULL;
	decide(w, &d);
}

void world_preempt(struct test_world *w, uint64_t job, uint32_t element)
{
	struct sched_decision d = {.kind = SCHED_PREEMPT,
				   .job = job,
				   .element = element,
				   .why = "urgency",
				   .text = "for a more urgent job"};

	decide(w, &d);
}

void spec_init(Armada__JobSpec *spec, Armada__TaskGroup *group)
{
	static char *argv[] = {(char *)"/bin/true"};
	static Armada__TaskGroup *groups[1];

	armada__job_spec__init(spec);
	armada__task_group__init(group);
	group->replicas = 1;
	group->argv = argv;
	group->n_argv = 1;
	groups[0] = group;
	spec->groups = groups;
	spec->n_groups = 1;
	spec->chdir = (char *)"/tmp";
	spec->name = (char *)"test";
}

uint64_t world_submit(struct test_world *w, Armada__JobSpec *spec)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	const Armada__SubmitReply *r;
	Armada__Resource **kept[8];
	size_t counts[ARRAY_SIZE(kept)];
	uint8_t key[16] = {0};

	w->key++;
	memcpy(key, &w->key, sizeof(w->key));
	if (w->key_name) {
		m.key_name = (char *)w->key_name;
		snprintf((char *)key, sizeof(key), "%s", w->key_name);
	}
	m.key.data = key;
	m.key.len = 16;
	m.jobs = &spec;
	m.n_jobs = 1;
	/* the core adds default resources, in memory of the request */
	for (size_t i = 0; i < spec->n_groups && i < ARRAY_SIZE(kept); i++) {
		kept[i] = spec->groups[i]->resources;
		counts[i] = spec->groups[i]->n_resources;
	}
	world_send(w, TEST_USER, MSG_SUBMIT, &m);
	for (size_t i = 0; i < spec->n_groups && i < ARRAY_SIZE(kept); i++) {
		spec->groups[i]->resources = kept[i];
		spec->groups[i]->n_resources = counts[i];
	}
	r = world_reply(w, MSG_SUBMIT_REPLY);
	return r && r->n_ids ? r->ids[0] : 0;
}

uint64_t world_submit_plain(struct test_world *w)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	return world_submit(w, &spec);
}

static void register_node(struct test_world *w, uint64_t conn, const char *name, int cpus,
			  const char *boot, uint8_t spool, Armada__Label *label)
{
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, memory = ARMADA__RESOURCE__INIT;
	Armada__Resource *list[] = {&cpu, &memory};
	uint8_t node_id[16] = {0}, spool_id[16] = {0};

	cpu.name = (char *)"cpu";
	cpu.amount = cpus * 1000;
	memory.name = (char *)"memory";
	memory.amount = INT64_C(64) << 30;
	snprintf((char *)node_id, sizeof(node_id), "%s", name);
	spool_id[0] = spool;
	m.name = (char *)name;
	m.node_id.data = node_id;
	m.node_id.len = 16;
	m.spool_id.data = spool_id;
	m.spool_id.len = 16;
	m.boot_id = (char *)boot;
	m.resources = list;
	m.n_resources = 2;
	m.labels = &label;
	m.n_labels = label != NULL;
	m.can_suspend = strcmp(name, "plain") != 0;
	m.steps = strcmp(name, "old") != 0;
	world_agent(w, conn, MSG_REGISTER_NODE, &m);
}

void world_node(struct test_world *w, uint64_t conn, const char *name, int cpus, const char *boot,
		uint8_t spool)
{
	register_node(w, conn, name, cpus, boot, spool, NULL);
}

void world_node_labelled(struct test_world *w, uint64_t conn, const char *name, const char *key,
			 const char *value)
{
	Armada__Label label = ARMADA__LABEL__INIT;

	label.key = (char *)key;
	label.value = (char *)value;
	register_node(w, conn, name, 4, name, (uint8_t)conn, &label);
}

static void report(struct test_world *w, uint64_t conn, Armada__TaskKey *key,
		   Armada__Report__Kind kind, Armada__TaskEnd *end)
{
	Armada__Report r = ARMADA__REPORT__INIT, *list[] = {&r};
	Armada__Reports m = ARMADA__REPORTS__INIT;

	r.key = key;
	r.kind = kind;
	r.start_us = w->wall_us;
	r.end = end;
	m.reports = list;
	m.n_reports = 1;
	world_agent(w, conn, MSG_REPORTS, &m);
}

static Armada__TaskKey key_of(uint64_t job, uint32_t element, uint32_t rank, uint32_t attempt)
{
	Armada__TaskKey k = ARMADA__TASK_KEY__INIT;

	k.job = job;
	k.element = element;
	k.rank = rank;
	k.attempt = attempt;
	return k;
}

void world_started(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element,
		   uint32_t rank, uint32_t attempt)
{
	Armada__TaskKey k = key_of(job, element, rank, attempt);

	report(w, conn, &k, ARMADA__REPORT__KIND__REPORT_STARTED, NULL);
}

void world_ended(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element, uint32_t rank,
		 uint32_t attempt, Armada__EndCause cause, int code)
{
	Armada__TaskKey k = key_of(job, element, rank, attempt);
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	end.cause = cause;
	end.exit_code = code;
	end.start_us = w->wall_us - 500;
	end.end_us = w->wall_us;
	report(w, conn, &k, ARMADA__REPORT__KIND__REPORT_ENDED, &end);
}

void world_ready(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element, uint32_t rank,
		 uint32_t attempt)
{
	Armada__TaskKey k = key_of(job, element, rank, attempt);

	report(w, conn, &k, ARMADA__REPORT__KIND__REPORT_READY, NULL);
}

void world_failed(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element,
		  uint32_t rank, uint32_t attempt, Armada__EndCause cause, const char *text)
{
	Armada__TaskKey k = key_of(job, element, rank, attempt);
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	end.cause = cause;
	end.text = (char *)text;
	end.end_us = w->wall_us;
	report(w, conn, &k, ARMADA__REPORT__KIND__REPORT_ENDED, &end);
}

void world_beat(struct test_world *w, uint64_t conn)
{
	Armada__Heartbeat m = ARMADA__HEARTBEAT__INIT;

	m.number = 1;
	world_agent(w, conn, MSG_HEARTBEAT, &m);
}

void world_restart(struct test_world *w)
{
	struct input in = {.kind = INPUT_BEGIN, .host = "ctl", .release = "test"};
	struct output out;
	struct err err;

	core_free(w->core);
	w->core = core_new(&w->policy);
	for (size_t i = 0; i < w->record_count; i++)
		if (core_replay(w->core, w->records[i].data, w->records[i].len, &out, &err) < 0)
			ok(false, "replay: %s", err.text);
	world_feed(w, &in);
}

const Armada__Event *world_event(const struct test_world *w, Armada__Event__KindCase kind)
{
	for (size_t i = 0; w->out.decoded && i < w->out.decoded->n_events; i++)
		if (w->out.decoded->events[i]->kind_case == kind)
			return w->out.decoded->events[i];
	return NULL;
}

const void *world_reply(struct test_world *w, enum msg_type type)
{
	struct err err;

	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];

		if (e->kind == EFFECT_SEND && e->type == type)
			return msg_unpack_as(msg_find(type)->schema, e->body, e->len, w->arena,
					     &err);
	}
	return NULL;
}

const char *world_error(struct test_world *w)
{
	const Armada__ErrorReply *m = world_reply(w, MSG_ERROR);

	return m ? m->text : "";
}

int world_orders(const struct test_world *w, enum order_kind kind)
{
	int n = 0;

	for (size_t i = 0; i < w->out.effect_count; i++)
		n += w->out.effects[i].kind == EFFECT_ORDER && w->out.effects[i].order.kind == kind;
	return n;
}

int world_state(struct test_world *w, uint64_t job, uint32_t element)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;

	m.after_id = job - 1;
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	r = world_reply(w, MSG_LIST_JOBS_REPLY);
	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; r->rows[i]->job == job && k < r->rows[i]->n_elements; k++)
			if (r->rows[i]->elements[k]->first <= element &&
			    element <= r->rows[i]->elements[k]->last)
				return r->rows[i]->state;
	return 0;
}

int world_ended_as(const struct test_world *w, uint64_t job, uint32_t element)
{
	(void)w;
	for (size_t i = 0; i < history_count; i++)
		if (history[i].job == job && history[i].first <= element &&
		    element <= history[i].last)
			return history[i].state;
	return 0;
}

void spec_cpus(Armada__TaskGroup *group, int cpus, Armada__Resource *ret_cpu,
	       Armada__Resource **ret_list)
{
	armada__resource__init(ret_cpu);
	ret_cpu->name = (char *)"cpu";
	ret_cpu->amount = cpus * 1000;
	ret_list[0] = ret_cpu;
	group->resources = ret_list;
	group->n_resources = 1;
}

/* A filter for one job. */
struct one_job {
	Armada__JobFilter filter;
	Armada__JobRange range, *list[1];
};

static Armada__JobFilter *one_job(struct one_job *f, uint64_t job)
{
	armada__job_filter__init(&f->filter);
	armada__job_range__init(&f->range);
	f->range.first = f->range.last = job;
	f->list[0] = &f->range;
	f->filter.ids = f->list;
	f->filter.n_ids = 1;
	return &f->filter;
}

void world_cancel(struct test_world *w, uint32_t uid, uint64_t job)
{
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	struct one_job f;

	m.filter = one_job(&f, job);
	world_send(w, uid, MSG_CANCEL, &m);
}

void world_hold(struct test_world *w, uint64_t job, bool release)
{
	Armada__HoldRequest m = ARMADA__HOLD_REQUEST__INIT;
	struct one_job f;

	m.filter = one_job(&f, job);
	m.release = release;
	world_send(w, TEST_USER, MSG_HOLD, &m);
}

void world_drain(struct test_world *w, const char *node, const char *reason)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	char *names[] = {(char *)node};

	m.names = names;
	m.n_names = 1;
	m.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN;
	m.reason = (char *)reason;
	world_send(w, ADMIN_USER, MSG_UPDATE_NODE, &m);
}

const Armada__JobRow *world_row(struct test_world *w, uint64_t job)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;

	m.after_id = job - 1;
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	r = world_reply(w, MSG_LIST_JOBS_REPLY);
	return r->n_rows && r->rows[0]->job == job ? r->rows[0] : NULL;
}

const char *world_reason(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *r = world_row(w, job);

	return r ? r->reason : "";
}

void world_suspend(struct test_world *w, uint64_t job, bool resume)
{
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	Armada__SuspendRequest m = ARMADA__SUSPEND_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;

	range.first = range.last = job;
	f.ids = ranges;
	f.n_ids = 1;
	m.filter = &f;
	m.resume = resume;
	world_send(w, TEST_USER, MSG_SUSPEND, &m);
}

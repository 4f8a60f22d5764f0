/*
 * Settings of running tasks: a changed time limit, and SUSPEND. Which changes are refused, and that
 * the order is repeated until the node confirms it, also after a restart of the controller and a
 * registration of the node.
 */
#include "fixture.h"
#include "proto/update_table.h"
#include "tap/tap.h"

#include <string.h>

enum { HOUR = 3600, NODE = 1 };

static const Armada__TaskSettings *settings_of(struct test_world *w)
{
	const Armada__TaskSettings *m = NULL;
	struct err err;

	for (size_t i = 0; !m && i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];

		if (e->kind == EFFECT_ORDER && e->order.kind == ORDER_SETTINGS)
			m = msg_unpack_as(&armada__task_settings__descriptor, e->body, e->len,
					  w->arena, &err);
	}
	return m;
}

/* The problem of the reply; "" if the job was changed. */
static const char *set_time(struct test_world *w, uint32_t uid, uint64_t job, int64_t seconds,
			    bool relative)
{
	Armada__UpdateJobRequest__Field field = UPDATE_FIELD(TIME_LIMIT);
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	const Armada__UpdateJobReply *r;

	range.first = range.last = job;
	f.ids = ranges;
	f.n_ids = 1;
	spec.time_limit_s = seconds;
	m.filter = &f;
	m.spec = &spec;
	m.fields = &field;
	m.n_fields = 1;
	m.time_relative = relative;
	world_send(w, uid, MSG_UPDATE_JOB, &m);
	r = world_reply(w, MSG_UPDATE_JOB_REPLY);
	return !r ? world_error(w) : r->changed ? "" : r->n_problems ? r->problems[0] : "nothing";
}

static const Armada__SuspendReply *suspend(struct test_world *w, uint64_t job, bool resume)
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
	return world_reply(w, MSG_SUSPEND_REPLY);
}

static void confirm(struct test_world *w, uint64_t job, uint64_t number)
{
	Armada__Report r = ARMADA__REPORT__INIT, *list[] = {&r};
	Armada__Reports m = ARMADA__REPORTS__INIT;
	Armada__TaskKey k = ARMADA__TASK_KEY__INIT;

	k.job = job;
	k.attempt = 1;
	r.key = &k;
	r.kind = ARMADA__REPORT__KIND__REPORT_STARTED;
	r.start_us = w->wall_us;
	r.settings = number;
	m.reports = list;
	m.n_reports = 1;
	world_agent(w, NODE, MSG_REPORTS, &m);
}

static void begin(struct test_world *w)
{
	world_init(w);
	w->own_queue.extend_time_s = HOUR;
	world_node(w, NODE, "n1", 4, "boot1", 1);
}

/* A running job with a limit of an hour. */
static uint64_t begin_job(struct test_world *w, const char *node)
{
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	uint64_t job;

	spec_init(&spec, &group);
	spec.time_limit_s = HOUR;
	job = world_submit(w, &spec);
	world_decide(w, job, 0, node);
	world_started(w, strcmp(node, "n1") == 0 ? NODE : 2, job, 0, 0, 1);
	return job;
}

static void test_limit(void)
{
	const Armada__TaskSettings *m;
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = begin_job(&w, "n1");
	is_str(set_time(&w, TEST_USER, job, 2 * HOUR, false), "", "an owner extends the limit");
	m = settings_of(&w);
	is_int(m ? m->time_limit_ms : 0, 2 * HOUR * 1000, "the node gets the new limit");
	has_str(m ? m->time_limit_text : "", "2 h (changed by actl update)",
		"with the words for the end of the job");
	is_int(world_row(&w, job)->time_limit_s, 2 * HOUR, "listings show it");
	has_str(set_time(&w, TEST_USER, job, 2 * HOUR + 1, false),
		"2 h is accepted: the limit was ", "the budget counts from the first limit");
	is_str(set_time(&w, TEST_USER, job, -HOUR, true), "", "a relative change shortens it");
	is_int(settings_of(&w)->time_limit_ms, HOUR * 1000, "the node gets the sum");
	has_str(set_time(&w, TEST_USER, job, -HOUR, true), "nothing would be left",
		"a limit of nothing is refused");
	is_str(set_time(&w, ADMIN_USER, job, 100 * HOUR, false), "",
	       "an administrator may set any limit");
	has_str(set_time(&w, OTHER_USER, job, HOUR, false), "belongs to ann",
		"another user is denied");
	world_tick(&w, INT64_C(700) * 1000000);
	has_str(set_time(&w, ADMIN_USER, job, 600, false), "has run for 11 min 4",
		"a passed limit is refused");
	world_done(&w);
}

static void test_no_budget(void)
{
	struct test_world w;
	uint64_t job;

	begin(&w);
	w.own_queue.extend_time_s = 0;
	job = begin_job(&w, "n1");
	has_str(set_time(&w, TEST_USER, job, 2 * HOUR, false),
		"cannot be extended in queue 'ann' (its extend_time is 0)",
		"without a budget an owner cannot extend it");
	is_str(set_time(&w, TEST_USER, job, 1800, false), "", "but shorten it");
	is_str(set_time(&w, TEST_USER, job, HOUR, false), "", "and go back to the first limit");
	world_done(&w);
}

/* The order is repeated until a report has its number. */
static void test_repeated(void)
{
	struct test_world w;
	uint64_t job, number;

	begin(&w);
	job = begin_job(&w, "n1");
	set_time(&w, TEST_USER, job, 2 * HOUR, false);
	number = settings_of(&w)->number;
	world_tick(&w, INT64_C(60) * 1000000);
	world_beat(&w, NODE);
	is_int(world_orders(&w, ORDER_SETTINGS), 1, "the order is repeated with a heartbeat");
	is_int((int64_t)settings_of(&w)->number, (int64_t)number, "with the same number");
	world_restart(&w);
	world_node(&w, NODE, "n1", 4, "boot1", 1);
	confirm(&w, job, 0);
	world_tick(&w, INT64_C(60) * 1000000);
	world_beat(&w, NODE);
	is_int(world_orders(&w, ORDER_SETTINGS), 1, "a restarted controller repeats it");
	is_int((int64_t)settings_of(&w)->number, (int64_t)number, "with the number of the log");
	confirm(&w, job, number);
	world_tick(&w, INT64_C(60) * 1000000);
	world_beat(&w, NODE);
	is_int(world_orders(&w, ORDER_SETTINGS), 0, "a confirmed order is not repeated");
	world_done(&w);
}

static void test_suspend(void)
{
	const Armada__SuspendReply *r;
	struct test_world w;
	uint64_t job, other;

	begin(&w);
	world_node(&w, 2, "plain", 4, "boot2", 2);
	job = world_submit_plain(&w);
	is_int((int64_t)suspend(&w, job, false)->changed, 0, "a pending job is not suspended");
	world_cancel(&w, TEST_USER, job);
	job = begin_job(&w, "n1");
	r = suspend(&w, job, false);
	is_int((int64_t)r->changed, 1, "a running job is suspended");
	ok(settings_of(&w) && settings_of(&w)->suspended, "its node is told");
	is_int(settings_of(&w)->time_limit_ms, HOUR * 1000, "the limit is that of the job");
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_SUSPENDED, "listings show it");
	is_int((int64_t)suspend(&w, job, false)->changed, 0, "once is enough");
	world_restart(&w);
	world_node(&w, NODE, "n1", 4, "boot1", 1);
	world_node(&w, 2, "plain", 4, "boot2", 2);
	confirm(&w, job, 0);
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_SUSPENDED, "after a restart, too");
	is_int((int64_t)suspend(&w, job, true)->changed, 1, "it is resumed");
	ok(settings_of(&w) && !settings_of(&w)->suspended, "its node is told");
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_RUNNING, "it is RUNNING");
	other = begin_job(&w, "plain");
	r = suspend(&w, other, false);
	is_int((int64_t)r->refused, 1, "a node that cannot freeze processes is an obstacle");
	has_str(r->problems[0], "node plain cannot freeze processes", "the problem names it");
	suspend(&w, job, false);
	world_cancel(&w, TEST_USER, job);
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_COMPLETING,
	       "a suspended job can be cancelled");
	world_done(&w);
}

int main(void)
{
	test_limit();
	test_no_budget();
	test_repeated();
	test_suspend();
	return done();
}

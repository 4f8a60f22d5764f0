/*
 * Snapshots with members of the state that other tests do not set: ends of tasks whose job
 * continues, and stored scripts.
 */
#include "fixture.h"
#include "tap/tap.h"

#include <signal.h>
#include <string.h>

#define END(name) ARMADA__END_CAUSE__END_##name

/* As a node reports it, with the usage. */
static void end_by_signal(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element)
{
	Armada__Reports m = ARMADA__REPORTS__INIT;
	Armada__Report r = ARMADA__REPORT__INIT, *list[] = {&r};
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT;
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	Armada__Usage usage = ARMADA__USAGE__INIT;

	key.job = job;
	key.element = element;
	key.attempt = 1;
	usage.cpu_us = 5;
	usage.max_rss_bytes = 6;
	usage.read_bytes = 7;
	usage.written_bytes = 8;
	usage.group_peak_bytes = 9;
	usage.user_us = 3;
	usage.system_us = 2;
	end.cause = END(SIGNALED);
	end.signal = SIGKILL;
	end.end_us = w->wall_us;
	end.usage = &usage;
	r.kind = ARMADA__REPORT__KIND__REPORT_ENDED;
	r.key = &key;
	r.end = &end;
	m.reports = list;
	m.n_reports = 1;
	world_agent(w, conn, MSG_REPORTS, &m);
}

/* One of two tasks fails: the other is killed, and the job waits for its end. */
static void test_task(struct test_world *w)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t id;

	spec_init(&spec, &group);
	group.replicas = 2;
	id = world_submit(w, &spec);
	world_decide(w, id, 0, "n1 n1");
	world_started(w, 1, id, 0, 0, 1);
	world_started(w, 1, id, 0, 1, 1);
	end_by_signal(w, 1, id, 0);
	is_int(world_state(w, id, 0), ARMADA__JOB_STATE__JOB_COMPLETING, "the other task is ended");
}

/* The other element of the array is pending, and the array keeps the end of the first. */
static void test_array(struct test_world *w)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	uint64_t id;

	spec_init(&spec, &group);
	range.last = 1;
	range.step = 1;
	spec.array = ranges;
	spec.n_array = 1;
	id = world_submit(w, &spec);
	world_decide(w, id, 0, "n1");
	world_started(w, 1, id, 0, 0, 1);
	end_by_signal(w, 1, id, 0);
	is_int(world_ended_as(w, id, 0), ARMADA__JOB_STATE__JOB_FAILED, "the first element failed");
	is_int(world_state(w, id, 1), ARMADA__JOB_STATE__JOB_PENDING,
	       "the other element is pending");
}

/* Two groups, one with its own script, and an environment. */
static void test_scripts(struct test_world *w)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	ProtobufCBinaryData blobs[] = {{4, (uint8_t *)"A=1"}, {9, (uint8_t *)"#!/bin/sh"}};
	Armada__JobSpec spec, *jobs[] = {&spec};
	Armada__TaskGroup groups[2], *list[] = {&groups[0], &groups[1]};

	spec_init(&spec, &groups[0]);
	groups[1] = groups[0];
	groups[0].name = (char *)"first";
	groups[1].name = (char *)"second";
	groups[1].script_blob = 2;
	spec.groups = list;
	spec.n_groups = 2;
	spec.env_blob = 1;
	m.jobs = jobs;
	m.n_jobs = 1;
	m.blobs = blobs;
	m.n_blobs = 2;
	world_send(w, TEST_USER, MSG_SUBMIT, &m);
	ok(world_reply(w, MSG_SUBMIT_REPLY), "a job with scripts is accepted: %s", world_error(w));
}

int main(void)
{
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	test_task(&w);
	test_array(&w);
	test_scripts(&w);
	world_done(&w);
	return done();
}

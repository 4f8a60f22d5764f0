/*
 * Updates of one job, for tests: what its tasks are, and other fields.
 */
#pragma once

#include "fixture.h"

#define FIELD(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

/* An update of one job. */
struct change {
	Armada__UpdateJobRequest m;
	Armada__JobFilter filter;
	Armada__JobRange range, *ids[1];
	Armada__JobSpec spec;
	Armada__UpdateJobRequest__Field fields[8];
	Armada__TaskGroup group, *groups[1];
	Armada__TaskGroup scaled[2], *scaled_list[2];
	Armada__Resource cpu, *resources[1];
	char *argv[2];
};

/* Each begins or completes an update, which the caller may change further, and returns it. */
struct change *change_init(struct change *x, uint64_t job);
struct change *change_field(struct change *x, Armada__UpdateJobRequest__Field field);
struct change *change_tasks(struct change *x, uint64_t job, uint32_t tasks);
struct change *change_least(struct change *x, uint32_t least);
struct change *change_group(struct change *x, const char *name, uint32_t tasks);
struct change *change_script(struct change *x, const char *text);
struct change *change_cpus(struct change *x, uint64_t job, int cpus);

/* Sends the update. "" if the job was changed, otherwise the problem. */
const char *change(struct test_world *w, struct change *x);
const char *change_as(struct test_world *w, uint32_t uid, struct change *x);

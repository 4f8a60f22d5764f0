/* Submits members of gangs of jobs. */
#pragma once

#include "fixture.h"

/*
 * A member of a gang. Values that are zero are those of a member of gang g with cardinality 2 and
 * one task of 1 cpu.
 */
struct gang_member {
	const char *id, *name, *class, *uniformity, *queue, *job_set;
	uint32_t cardinality, min, tasks, nodes, least, on_task_failure;
	int cpus;
	bool exclusive, exclusive_user, array, hold, no_requeue, no_gang;
};

/* Makes a world with two nodes of 4 cpus, n1 and n2, on connections 1 and 2. */
void gang_members_begin(struct test_world *w);
/* Submits up to 16 jobs in one request. Returns the first id; 0 if the request is refused. */
uint64_t gang_members_submit(struct test_world *w, const struct gang_member *list, size_t count);
uint64_t gang_member_submit(struct test_world *w, struct gang_member m);
/* The number of elements that the last input leased. */
int world_leased(const struct test_world *w);

/* Members of gangs of jobs, for the tests of them. */
#pragma once

#include "fixture.h"

/* What differs from a member of gang g of 2, one task of 1 cpu. */
struct member {
	const char *id, *name, *class, *uniformity, *queue, *job_set;
	uint32_t cardinality, min, tasks, nodes, least;
	int cpus;
	bool exclusive, array, hold, no_requeue, no_gang;
};

/* A world with two nodes of 4 cpus, n1 and n2, on connections 1 and 2. */
void members_begin(struct test_world *w);
/* A request of several jobs, 16 at most; the first id, 0 when refused. */
uint64_t members_submit(struct test_world *w, const struct member *list, size_t count);
uint64_t member_submit(struct test_world *w, struct member m);
/* How many elements were leased by the last input. */
int world_leased(const struct test_world *w);

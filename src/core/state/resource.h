/* Amounts of the resources that jobs request and nodes have, in the order of conf/resource_table.h. */
#pragma once

#include "conf/resource_table.h"
#include "proto/msg.h"
#include "sched/sched.h"

enum { CORE_RESOURCES = SCHED_RESOURCES };

/* cpu in millicores, memory in bytes, others in units. */
struct resources {
	int64_t amount[CORE_RESOURCES];
};

/*
 * Of nodes and tasks: names that are not counted, and floating ones, are left out. Amounts of a name that is
 * listed twice are added.
 */
void resources_of(Armada__Resource *const *list, size_t n, struct resources *ret);
/* The same of floating resources alone; false: there are none. */
bool resources_floating(Armada__Resource *const *list, size_t n, struct resources *ret);
/* Add one multiplied by times. On overflow: INT64_MAX for that resource, and false. */
bool resources_add(struct resources *sum, const struct resources *one, int64_t times);
/* Amounts in the order of the table as a message in the arena. */
Armada__Resource **resources_message(const int64_t *amounts, struct arena *a, size_t *ret_count);
/* The resources that one task of a spec requests; with several groups, of the first group. */
void spec_task_request(const Armada__JobSpec *spec, struct resources *ret);

/*
 * Amounts of what jobs ask for and nodes have, by the order of conf_resources.
 */
#pragma once

#include "proto/msg.h"
#include "sched/sched.h"

enum { CORE_RESOURCES = SCHED_RESOURCES };

/* cpu in millicores, memory in bytes, others in units. */
struct resources {
	int64_t amount[CORE_RESOURCES];
};

/* Index of a resource name; -1 for one that this cluster does not count. */
int resource_index(const char *name);
/* Names that are not counted are left out; of one that is there twice the sum. */
void resources_of(Armada__Resource *const *list, size_t n, struct resources *ret);
/* Add so many times another; INT64_MAX and false where that is more than can be said. */
bool resources_add(struct resources *sum, const struct resources *one, int64_t times);
/* Amounts by the order of conf_resources as a message in the arena. */
Armada__Resource **resources_message(const int64_t *amounts, struct arena *a, size_t *ret_count);
/* What one task of a spec asks for; of several groups, of the first. */
void spec_task_request(const Armada__JobSpec *spec, struct resources *ret);

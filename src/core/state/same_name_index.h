/*
 * All jobs in memory of one user and name, in the order of their ids.
 */
#pragma once

#include "core/state/job.h"

struct same_name {
	LINK_QUEUE(name_list, job) jobs;
	size_t count;
	size_t key_len;
	char *key;
	UT_hash_handle hh;
};

/* True if no earlier job of the same name and user is in memory. */
bool same_name_is_first(const struct job *j);
/* NULL: no job of that name. */
LINK(same_name) same_name_find(const struct state *state, uint32_t uid, const char *name);

#ifdef STATE_WRITES
void same_name_join(struct state *state, struct job *j);
void same_name_leave(struct state *state, struct job *j);
#endif

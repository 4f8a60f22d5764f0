/*
 * What the core obeys, made from armada.conf: names become uids and gids here.
 *
 * A policy owns everything its core_policy points to, but borrows the strings and the nodes of the conf
 * it was made from, which must outlive it. Making one looks names up and so may block: at start, or on a
 * worker thread.
 */
#ifndef ARMCTLD_POLICY_H
#define ARMCTLD_POLICY_H

#include "core/core.h"

struct policy {
	struct core_policy core;
	uint32_t controller_uid, agent_uid;
	bool starting;
	struct arena *arena;
};

/* An unknown user or group is refused with the key that names it. */
int policy_new(struct policy **ret_policy, const struct conf *conf, struct err *err);
/*
 * The same for a controller that starts: who is named as an administrator, in queues, in permissions
 * or in what users may have, and has left the site since, is warned of, and stops nothing (F13).
 */
int policy_start(struct policy **ret_policy, const struct conf *conf, struct err *err);
void policy_free(struct policy *p);

/* A user's or group's name, or its number written out. -ENOENT when there is none. */
int policy_user(const char *name, uint32_t *ret_uid, struct err *err);
int policy_group(const char *name, uint32_t *ret_gid, struct err *err);
/* By its name alone: callers are known by theirs, so that in a queue a number would be nobody. */
int policy_find_user(const char *name, uint32_t *ret_uid, struct err *err);
int policy_find_group(const char *name, uint32_t *ret_gid, struct err *err);

/*
 * policy_queue.c: queues, permissions and what users may have at most. Who is named in them must
 * exist, but at a start; of a queue that is in the log nobody asks that any more.
 */
int policy_queues(struct policy *p, const struct conf *conf, struct err *err);

#endif

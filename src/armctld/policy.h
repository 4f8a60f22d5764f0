/*
 * What the core obeys, made from armada.conf: names become uids and gids here.
 *
 * A policy owns everything its core_policy points to, but borrows the strings of the conf it was
 * made from, which must outlive it. Making one looks names up and so may block: at start, or on a
 * worker thread.
 */
#ifndef ARMCTLD_POLICY_H
#define ARMCTLD_POLICY_H

#include "conf/conf.h"
#include "core/core.h"

struct policy {
	struct core_policy core;
	uint32_t controller_uid, agent_uid;
	struct arena *arena;
};

/* An unknown user or group is refused with the key that names it. */
int policy_new(struct policy **ret_policy, const struct conf *conf, struct err *err);
void policy_free(struct policy *p);

/* A user's or group's name, or its number written out. -ENOENT when there is none. */
int policy_user(const char *name, uint32_t *ret_uid, struct err *err);
int policy_group(const char *name, uint32_t *ret_gid, struct err *err);

#endif

/*
 * The core's policy, made from armada.conf: names become uids and gids here.
 *
 * A policy owns everything its core_policy points to, but borrows the strings and the nodes of the conf
 * it was made from, which must outlive it. Making one looks names up and so may block: at start, or on a
 * worker thread.
 */
#pragma once

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
 * The same at startup: unknown users and groups, named as administrators, in queues, in permissions
 * or in limits, only produce a warning.
 */
int policy_start(struct policy **ret_policy, const struct conf *conf, struct err *err);
void policy_free(struct policy *p);

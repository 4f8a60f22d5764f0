/*
 * The core's policy, made from armada.conf: names become uids and gids here.
 *
 * A policy owns everything its core_policy points to, but borrows the strings and the nodes of its conf,
 * which must outlive it. The functions look up names and so may block: they are called at startup or on
 * a worker thread.
 */
#pragma once

#include "core/core.h"

struct policy {
	struct core_policy core;
	uint32_t controller_uid, agent_uid;
	const uint32_t *gateway_uids; /* parallel to conf.gateways; UINT32_MAX: no such user */
	bool starting;
	struct arena *arena;
};

/* An unknown user or group is refused with the key that names it. */
int policy_new(struct policy **ret_policy, const struct conf *conf, struct err *err);
/*
 * The same at startup. Unknown users and groups only produce a warning, wherever armada.conf names
 * them: as administrators, in queues, permissions or limits.
 */
int policy_start(struct policy **ret_policy, const struct conf *conf, struct err *err);
void policy_free(struct policy *p);

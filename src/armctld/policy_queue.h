/*
 * Queues, permissions and limits of users, from armada.conf. Every user and group that is named
 * must exist, except at startup. Queues in the log are not checked again.
 */
#pragma once

#include "armctld/policy.h"

int policy_queues(struct policy *p, const struct conf *conf, struct err *err);

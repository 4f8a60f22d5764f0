/*
 * Queues, permissions and what users may have at most, from armada.conf. Who is named in them must
 * exist, but at a start; of a queue that is in the log nobody asks that any more.
 */
#pragma once

#include "armctld/policy.h"

int policy_queues(struct policy *p, const struct conf *conf, struct err *err);

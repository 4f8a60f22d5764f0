/*
 * actl ping: the controllers, the copies of their state, and the cluster in a few numbers. actl takeover.
 */
#pragma once

#include "cmd/actl/actl.h"

int actl_ping(struct actl *a, struct err *err);
int actl_takeover(struct actl *a, struct err *err);
/* The JSON of actl ping, also that of GET /v1/cluster. */
json_t *ping_json(const Armada__PingReply *p, const Armada__ControllersReply *c);

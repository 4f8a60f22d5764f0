/*
 * Requests about nodes, and a node that stops sending heartbeats, for the tests of nodes.
 */
#pragma once

#include "core/state/state_machine.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define NODE(name)   ARMADA__NODE_STATE__NODE_##name
#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define ACTION(name) ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_##name

#define S INT64_C(1000000)

const Armada__NodeRow *node_row(struct test_world *w, const char *name);
bool node_update(struct test_world *w, const char *name, Armada__UpdateNodeRequest *m);
bool node_change(struct test_world *w, const char *name, int action, const char *reason);
/* Starts a job on n1; then the heartbeats of n1 on connection 1 stop. Returns the id of the job. */
uint64_t node_run_silent(struct test_world *w);
void node_run_one(struct test_world *w);

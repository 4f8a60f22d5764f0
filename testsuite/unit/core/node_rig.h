/*
 * What the tests about nodes share: asking for them, changing them, and one that falls silent.
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
/* A job that runs on n1, of which conn 1 then falls silent. */
uint64_t node_run_silent(struct test_world *w);
void node_run_one(struct test_world *w);

/*
 * Copies of reports, each in one block of memory.
 */
#pragma once

#include "proto/msg.h"
#include "proto/order.h"

/* Returns a new copy of key, kind, seq, start and end; freed with free(). r->key must be set. */
Armada__Report *report_dup(const Armada__Report *r);

struct task_key report_key(const Armada__TaskKey *key);
/* The other way round; in the arena. */
Armada__TaskKey *report_key_message(const struct task_key *key, struct arena *arena);

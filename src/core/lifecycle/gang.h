/*
 * Gangs of jobs: their members start together, are preempted together, and are requeued together.
 */
#pragma once

#include "core/txn/txn.h"

/* Starts a gang. The decision names the lead's job. False: the decision no longer holds. */
bool gang_start(struct txn *txn, const struct gang *g, const struct sched_decision *d);
/*
 * True if preempting the gang would free room. False if a member is being ended already, or is
 * UNKNOWN: its node is silent.
 */
bool gang_may_go(const struct gang *g);
void gang_preempt(struct txn *txn, const struct gang *g, const char *text, uint32_t by_uid);
/* Ends the other active members after one member was requeued: they wait again too. */
void gang_go_back(struct txn *txn, const struct job *member, const char *reason);

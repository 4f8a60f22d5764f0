/*
 * Gangs of jobs at work: begun together, preempted together, and back together.
 */
#pragma once

#include "core/txn/txn.h"

/* the scheduler's decisions, for the job of the lead; false: it no longer holds. */
bool gang_start(struct txn *txn, const struct gang *g, const struct sched_decision *d);
/* Would it make room? What is being ended already, or may run where nobody can be asked, does not. */
bool gang_may_go(const struct gang *g);
void gang_preempt(struct txn *txn, const struct gang *g, const char *text, uint32_t by_uid);
/* A member waits again: so shall the others. */
void gang_go_back(struct txn *txn, const struct job *member, const char *reason);

/*
 * Inputs that are not requests: beginning, ticks, closed connections, decisions of the scheduler.
 */
#ifndef CORE_INPUTS_H
#define CORE_INPUTS_H

#include "core/txn/txn.h"

void input_begin(struct txn *txn);
void input_closed(struct txn *txn);
void input_tick(struct txn *txn);
void input_decisions(struct txn *txn);

#endif

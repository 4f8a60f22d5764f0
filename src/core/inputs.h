/*
 * Inputs that are not requests: begin, ticks, closed connections, decisions of the scheduler.
 */
#pragma once

#include "core/txn/txn.h"

void input_begin(struct txn *txn);
void input_closed(struct txn *txn);
void input_tick(struct txn *txn);
void input_decisions(struct txn *txn);

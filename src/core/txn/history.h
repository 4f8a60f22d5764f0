/*
 * What an event adds to the history, and the answers to clients that wait for a job. These effects
 * are the same when an event is made and when it is replayed.
 */
#pragma once

#include "core/txn/txn.h"

/* Call just before an event is applied: rows of elements that end, samples of shares. */
void history_of_event(struct txn *txn, const Armada__Event *ev);
/*
 * Call when the last element of a job has ended: add its row, and answer the clients that wait for
 * it.
 */
void history_of_job(struct txn *txn, const struct job *j);

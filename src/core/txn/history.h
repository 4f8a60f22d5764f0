/*
 * What an event leaves in the history, and the answers to those who waited for a job: effects that
 * follow from events alike when they are made and when they are replayed.
 */
#pragma once

#include "core/txn/txn.h"

/* Just before it is applied: the rows of elements that end, samples of shares. */
void history_of_event(struct txn *txn, const Armada__Event *ev);
/* Its last element has ended: its row, and who waits for it is answered. */
void history_of_job(struct txn *txn, const struct job *j);

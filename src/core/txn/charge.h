/*
 * What accounting charges for an attempt of an elastic job: its tasks do not all run for the whole attempt.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Sets row->charged, in the arena, from the times of the row: the resources of the tasks that started
 * together, and those of each extra task for the part of the attempt in which it ran, earlier attempts
 * of it included. The tasks that started together count for the whole attempt, as with any other job.
 * Nothing is set for an element without extra tasks, or one that did not run. O(tasks + groups * resources).
 */
void charge_fill(const struct txn *txn, const struct element *e, Armada__JobRow *row);

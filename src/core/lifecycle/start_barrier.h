/*
 * The gate of tasks that start together: all tasks of an element, or of all jobs of a gang.
 *
 * Each is set up in full on its node, which says that it is ready, and runs nothing before it is
 * released. It is released when every one that was leased with it is ready or has started; those of
 * jobs of the gang whose element is over need not be waited for. Who fails before that ends the
 * attempt of all: it goes back whole, unless the failure is the job's own.
 *
 * Nothing of this is in the log: who is ready is reported again and again, and that the gate was open
 * once follows from a start that is. Whoever is ready behind an open gate is released.
 *
 * A task alone has no gate.
 */
#pragma once

#include "core/txn/txn.h"

/* Its node says that it waits. start_barrier_check follows. */
void start_barrier_ready(struct txn *txn, const struct task *t);
/* Is it behind a gate that was never opened for any that it starts with? */
bool start_barrier_is_shut(struct txn *txn, const struct task *t);
/* Something has changed for this element: open the gate, or release who came late, if it is time. */
void start_barrier_check(struct txn *txn, const struct element *e);

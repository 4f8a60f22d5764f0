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
#ifndef CORE_GATE_H
#define CORE_GATE_H

#include "core/request.h"

bool gate_has(const struct task *t);
/* Its node says that it waits. gate_look follows. */
void gate_ready(struct task *t);
/* Something has changed for this element: open the gate, or release who came late, if it is time. */
void gate_look(struct core *c, struct element *e);
/* orders.c: it may pass. */
void order_release_task(struct core *c, struct task *t);
/* Run something more in it; the payload, whose digest is given, must live as long as the input. */
void order_step_task(struct core *c, struct task *t, const ProtobufCBinaryData *payload,
		     const uint8_t digest[32]);

/* Is it behind a gate that was never opened for any that it starts with? */
bool gate_is_shut(const struct task *t);

#endif

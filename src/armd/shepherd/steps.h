/*
 * The steps that run in a task, or have run in it: children of the shepherd whose program is the io stub.
 *
 * The launcher is told when a step begins and ends, and of all steps when it asks. STEPS_KEPT that have
 * ended are kept for that. A step of an earlier controller has no number: nothing is told of it.
 */
#pragma once

#include "armd/shepherd/control.h"
#include "armd/shepherd/state.h"

#include <sys/resource.h>

struct child_step {
	struct step_state state;
	pid_t pid;
	bool told; /* the launcher has the latest state */
};

/* Runs a step; o: the CONTROL_STEP order. */
void shepherd_step_begin(struct shepherd *s, const struct control_order *o, int payload_fd);
/* Tells the stub of a step to signal its program, or to end it; o: the CONTROL_SIGNAL_STEP order. */
void shepherd_step_signal(const struct shepherd *s, const struct control_order *o);
/* A child has ended; it need not be a step. */
void shepherd_step_reaped(struct shepherd *s, pid_t pid, int status, const struct rusage *used);
/* Tells the launcher of each step again. */
void shepherd_steps_tell_all(struct shepherd *s);
/* Sends again what the launcher did not take, once s->steps_due_us has come. */
void shepherd_steps_tick(struct shepherd *s);

/*
 * Sends signals to the processes of a task.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_send(struct shepherd *s, int sig, bool to_first);
void shepherd_send_term(struct shepherd *s);
/* Send SIGTERM to the remaining processes after the first one, which alone had got it, has died. */
void shepherd_send_term_rest(struct shepherd *s);
/* Send SIGKILL to all processes; sets when to send it again. */
void shepherd_send_kill(struct shepherd *s);

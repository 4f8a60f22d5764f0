/*
 * What is sent to a task, and to which of its processes.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_send(struct shepherd *s, int sig, bool to_first);
void shepherd_send_term(struct shepherd *s);
/* To the processes that did not get it when it went to the first alone, which is dead now. */
void shepherd_send_term_rest(struct shepherd *s);
/* SIGKILL to all; sets when to look again. */
void shepherd_send_kill(struct shepherd *s);

/*
 * Settings of a running task: its time limit, and whether it is suspended.
 */
#pragma once

#include "armd/shepherd/state.h"

/*
 * Obeys the settings in a sealed memfd (a packed TaskSettings) if their number is larger than that of the
 * settings in effect, and confirms. alive: the task is not being ended; otherwise it is not suspended.
 */
void shepherd_take_settings(struct shepherd *s, int fd, bool alive);
/* Freezes or thaws the processes of the task. Without effect if the contain plugin cannot. */
void shepherd_freeze(struct shepherd *s, bool frozen);

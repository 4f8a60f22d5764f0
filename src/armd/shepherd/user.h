/*
 * Is the task's user the one that the controller signed?
 */
#pragma once

#include "armd/shepherd/state.h"

/*
 * Looks the user up on this machine, unless one of its shepherds did so lately. The groups that both sides
 * give stay in the body. 0, or an error with why and cause set.
 */
int shepherd_user(struct shepherd *s);

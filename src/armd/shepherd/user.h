/*
 * Checks that the task's user on this machine is the user that the controller signed.
 */
#pragma once

#include "armd/shepherd/state.h"

/*
 * Look up the user on this machine, unless another shepherd did so recently. The body keeps the
 * groups that both sides know. 0, or an error with why and cause set.
 */
int shepherd_user(struct shepherd *s);

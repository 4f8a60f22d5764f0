/*
 * Variables that the shepherd adds to the task's environment.
 */
#pragma once

#include "armd/shepherd/state.h"

/* The value wins over what the user has. */
void shepherd_environment_set(struct shepherd *s, const char *name, const char *value);
/* The user's own value wins. */
void shepherd_environment_default(struct shepherd *s, const char *name, const char *value);

/*
 * Variables that the shepherd adds to the task's environment.
 */
#pragma once

#include "armd/shepherd/state.h"

/* Overrides a value of the user. */
void shepherd_environment_set(struct shepherd *s, const char *name, const char *value);
/* A value of the user has priority. */
void shepherd_environment_default(struct shepherd *s, const char *name, const char *value);

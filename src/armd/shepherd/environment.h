/*
 * Variables that the shepherd adds to the task's environment.
 */
#pragma once

#include "armd/shepherd/state.h"

/* Overrides a value of the user. */
void shepherd_environment_set(struct shepherd *s, const char *name, const char *value);
/* Replaces the value that was set before. */
void shepherd_environment_replace(struct shepherd *s, const char *name, const char *value);
/* The first entry NAME=value of the variables that override the user's; NULL: none. */
const char *shepherd_environment_entry(const Armada__TaskBody *b, const char *name);
/* A value of the user has priority. */
void shepherd_environment_default(struct shepherd *s, const char *name, const char *value);

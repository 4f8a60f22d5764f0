/*
 * The body of a launch order, as the launcher, the shepherd and the task read it.
 *
 * The controller signed its digest; its strings are the user's.
 */
#pragma once

#include "proto/msg.h"

/* The amount of a resource of the task; 0: none. */
int64_t task_body_amount(const Armada__TaskBody *body, const char *name);

/* NULL-terminated, in arena; they borrow the body's strings. script: its path, or NULL. */
char **task_body_argv(const Armada__TaskBody *body, const char *script, struct arena *arena);
char **task_body_environment(const Armada__TaskBody *body, struct arena *arena);

/*
 * Options of a job for how its tasks run and end.
 *
 * The target of each function is a struct spec. It takes the whole value or refuses it with a
 * sentence that says what would be accepted, and then has changed nothing. A value of NULL comes
 * with options that take none, or that were given none.
 */
#pragma once

#include "util/err.h"

int spec_set_requeue(void *target, const char *value, struct err *err);
int spec_set_no_requeue(void *target, const char *value, struct err *err);
int spec_set_lease(void *target, const char *value, struct err *err);
int spec_set_no_fence(void *target, const char *value, struct err *err);
int spec_set_launch(void *target, const char *value, struct err *err);
int spec_set_on_task_failure(void *target, const char *value, struct err *err);
int spec_set_time(void *target, const char *value, struct err *err);
int spec_set_grace(void *target, const char *value, struct err *err);
int spec_set_signal(void *target, const char *value, struct err *err);
int spec_set_open_mode(void *target, const char *value, struct err *err);
int spec_set_umask(void *target, const char *value, struct err *err);
int spec_set_export(void *target, const char *value, struct err *err);

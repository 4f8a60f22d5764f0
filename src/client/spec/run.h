/*
 * Options for how the tasks of a job run and end.
 *
 * The target of each function is a struct spec. A function accepts the whole value, or refuses it
 * with a message that gives the accepted values; then nothing has changed. The value is NULL if the
 * option takes no value, or if an optional value is missing.
 */
#pragma once

#include "util/err.h"

int spec_set_requeue(void *target, const char *value, struct err *err);
int spec_set_no_requeue(void *target, const char *value, struct err *err);
int spec_set_scavenge(void *target, const char *value, struct err *err);
int spec_set_lease(void *target, const char *value, struct err *err);
int spec_set_no_fence(void *target, const char *value, struct err *err);
int spec_set_launch(void *target, const char *value, struct err *err);
int spec_set_on_task_failure(void *target, const char *value, struct err *err);
int spec_set_time(void *target, const char *value, struct err *err);
int spec_set_time_min(void *target, const char *value, struct err *err);
int spec_set_grace(void *target, const char *value, struct err *err);
int spec_set_elastic(void *target, const char *value, struct err *err);
int spec_set_elastic_signal(void *target, const char *value, struct err *err);
int spec_set_signal(void *target, const char *value, struct err *err);
int spec_set_open_mode(void *target, const char *value, struct err *err);
int spec_set_umask(void *target, const char *value, struct err *err);
int spec_set_login_env(void *target, const char *value, struct err *err);
int spec_set_export(void *target, const char *value, struct err *err);

/* Options that ask for what is always done. */
int spec_accept(void *target, const char *value, struct err *err);
int spec_accept_wait_all_nodes(void *target, const char *value, struct err *err);

/*
 * Options of a job for the nodes it may run on.
 *
 * The target of each function is a struct spec. It takes the whole value or refuses it with a
 * sentence that says what would be accepted, and then has changed nothing. A value of NULL comes
 * with options that take none, or that were given none.
 */
#pragma once

#include "util/err.h"

int spec_set_labels(void *target, const char *value, struct err *err);
int spec_set_tolerations(void *target, const char *value, struct err *err);
int spec_set_nodelist(void *target, const char *value, struct err *err);
int spec_set_exclude(void *target, const char *value, struct err *err);
int spec_set_bind(void *target, const char *value, struct err *err);

/*
 * Options of a job for which job comes first.
 *
 * The target of each function is a struct spec. It takes the whole value or refuses it with a
 * sentence that says what would be accepted, and then has changed nothing. A value of NULL comes
 * with options that take none, or that were given none.
 */
#pragma once

#include "util/err.h"

int spec_set_priority(void *target, const char *value, struct err *err);
int spec_set_nice(void *target, const char *value, struct err *err);
int spec_set_priority_class(void *target, const char *value, struct err *err);
int spec_refuse_qos(void *target, const char *value, struct err *err);

struct spec;
/* The priority with what --nice adds. Part of spec_finish. */
int spec_finish_order(struct spec *s, struct err *err);

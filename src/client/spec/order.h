/*
 * Options for the order of jobs.
 *
 * The target of each function is a struct spec. A function accepts the whole value, or refuses it
 * with a message that gives the accepted values; then nothing has changed. The value is NULL if the
 * option takes no value, or if an optional value is missing.
 */
#pragma once

#include "util/err.h"

int spec_set_priority(void *target, const char *value, struct err *err);
int spec_set_nice(void *target, const char *value, struct err *err);
int spec_set_priority_class(void *target, const char *value, struct err *err);
/* A name as armada.conf has it. */
int spec_read_mail_types(void *field, const void *unused, const char *value, struct err *err);
int spec_read_mail_user(void *field, const void *unused, const char *value, struct err *err);
int spec_read_account(void *field, const void *unused, const char *value, struct err *err);
int spec_refuse_qos(void *target, const char *value, struct err *err);

struct spec;
/* Adds --nice to the priority. Part of spec_finish(). */
int spec_finish_order(struct spec *s, struct err *err);

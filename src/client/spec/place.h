/*
 * Options for the nodes of a job.
 *
 * The target of each function is a struct spec. A function accepts the whole value, or refuses it
 * with a message that gives the accepted values; then nothing has changed. The value is NULL if the
 * option takes no value, or if an optional value is missing.
 */
#pragma once

#include "util/err.h"

struct spec;

/* The node must have the label, besides what it must have already. */
void spec_add_label(struct spec *s, const char *key, const char *value);
int spec_set_labels(void *target, const char *value, struct err *err);
int spec_set_tolerations(void *target, const char *value, struct err *err);
int spec_set_nodelist(void *target, const char *value, struct err *err);
int spec_set_exclude(void *target, const char *value, struct err *err);
int spec_set_bind(void *target, const char *value, struct err *err);

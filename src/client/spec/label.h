/*
 * Labels and annotations of jobs. Labels select jobs: short keys and values. Annotations are notes of any
 * text. Those of one source are added up; a key of a stronger source replaces the same key.
 */
#pragma once

#include "util/err.h"

enum { LABELS_MAX = 64, ANNOTATION_LONGEST = 4096 };

/* "team=physics,run=7": value is a list. */
int spec_set_job_labels(void *target, const char *value, struct err *err);
/* "KEY=TEXT": one note, because a text may have commas. */
int spec_set_annotation(void *target, const char *value, struct err *err);

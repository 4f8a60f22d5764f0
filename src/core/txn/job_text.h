/*
 * Hiding jobs in sentences for readers who may not see all jobs: "job 17" becomes "another job".
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

typedef bool job_seen_fn(void *arg, uint64_t job);

/* The same text, or a changed copy in the arena. */
char *job_text_hide(char *text, job_seen_fn *seen, void *arg, struct arena *a);
/* Hide all jobs except own: a copy in the arena, or the same text. */
char *job_text_strip(char *text, uint64_t own, struct arena *a);
void job_text_strip_row(Armada__JobRow *row, struct arena *a);

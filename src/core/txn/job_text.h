/*
 * Sentences that name jobs, for readers who may not know of all of them: "job 17" becomes "another job".
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

typedef bool job_seen_fn(void *arg, uint64_t job);

/* The same text, or one in the arena. */
char *job_text_hide(char *text, job_seen_fn *seen, void *arg, struct arena *a);
/* Jobs other than this one are named no more: in the arena, or as it was. */
char *job_text_strip(char *text, uint64_t own, struct arena *a);
void job_text_strip_row(Armada__JobRow *row, struct arena *a);

/*
 * Sentences about elements that are held, have a pending lease, are on a silent node, or have fewer tasks
 * than requested.
 */
#pragma once

#include "core/txn/txn.h"

/* The reason of a held job; a constant text. */
const char *wait_text_held(const struct job *j, struct arena *a, enum sched_why *ret_why);
/*
 * Why tasks of an element wait for a replacement; "" when none does. In the arena, like all below.
 */
/* How many extra tasks of a running elastic element wait, and why; "": none. */
char *wait_text_extras(const struct txn *txn, const struct element *e, struct arena *a);
char *wait_text_task_replacements(const struct txn *txn, const struct element *e, struct arena *a);
char *wait_text_pending_lease(const struct element *e, struct arena *a);
/* For a CONFIGURING element: how many of its tasks are how far, and the first node that is not further. */
char *wait_text_starting(const struct txn *txn, const struct element *e, struct arena *a);
/* For an UNKNOWN element: which node is silent, for how long, and what ends that. */
char *wait_text_unknown(const struct txn *txn, const struct element *e, struct arena *a);
/* For an element that pauses before its restart: until when, and how the last attempt ended. */
char *wait_text_pause(const struct txn *txn, const struct element *e, struct arena *a);
/* "2 of 8 tasks were not started: ..."; "" if no task is missing. */
char *wait_text_gap(const struct element *e, struct arena *a);

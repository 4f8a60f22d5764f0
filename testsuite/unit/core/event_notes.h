/*
 * The job events of a test world, as its inputs made them.
 *
 * Each event is checked when it is noted: the numbers of a job set have no gap, and the event has only
 * fields that the table of its kind gives it. world_done() compares all of them with those of a replay.
 */
#pragma once

#include "core/core.h"
#include "proto/job_event_table.h"

struct event_notes;

struct event_notes *event_notes_new(void);
void event_notes_free(struct event_notes *n);
/* Note the events of an output. state: after it. */
void event_notes_add(struct event_notes *n, const struct state *state, const struct output *out);
/* Forget what was noted so far for event_notes_text; the numbers go on. */
void event_notes_clear(struct event_notes *n);
/* The kinds noted since the last clear, as "submitted queued"; of one job, or 0: all. */
const char *event_notes_kinds(struct event_notes *n, uint64_t job);
/* The last event of a kind since the last clear; NULL: none. Valid until the next call. */
const Armada__JobEvent *event_notes_last(struct event_notes *n, Armada__JobEventKind kind);
/* The job set of that event, as "queue/name". */
const char *event_notes_set(const struct event_notes *n);
/* True if both have the same events with the same numbers. */
bool event_notes_equal(const struct event_notes *a, const struct event_notes *b);

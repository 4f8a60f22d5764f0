/*
 * Which queue is served next: the rows with a head, as a heap by the order plugin, or as a list if
 * the plugin picks.
 */
#pragma once

#include "sched/round/round.h"

void next_queue_begin(struct round *r);
/* Find the head of each row again. */
void next_queue_again(struct round *r);
/* The cost or the evicted gangs of the row changed: its head is found again after the present one. */
void next_queue_changed(struct round *r, uint32_t row);
/* Serve the heads in the order of the order plugin until none is left. */
void next_queue_serve(struct round *r, void (*serve)(struct round *r, uint32_t row));

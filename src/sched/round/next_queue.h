/*
 * Which queue is served next: rows with a head as a heap by the order plugin, or a list for a plugin that
 * picks.
 */
#pragma once

#include "sched/round/round.h"

void next_queue_begin(struct round *r);
/* The rows with a head, from the beginning. */
void next_queue_again(struct round *r);
/* Serve the head that the order plugin wants next until there is none. */
void next_queue_serve(struct round *r, void (*serve)(struct round *r, uint32_t row));

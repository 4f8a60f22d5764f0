/*
 * What a scheduling round left behind, as ashare lists it: queues, and decisions.
 */
#pragma once

#include "cmd/listing/listing.h"
#include "proto/msg.h"

/* Rows are Armada__QueueShare. */
extern const struct listing share_listing;
/* Rows are Armada__RoundDecision; what was started, and what was preempted. */
extern const struct listing started_listing, preempted_listing;

/* "812" or "812_7". */
void round_element_id(uint64_t job, bool is_array, uint32_t element, struct buf *out);

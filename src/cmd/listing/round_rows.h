/*
 * The queues and the decisions of a scheduling round, as listings.
 */
#pragma once

#include "cmd/listing/listing.h"
#include "proto/msg.h"

/* Rows are Armada__QueueShare. */
extern const struct listing share_listing;
/* Rows are Armada__RoundDecision: started elements, and preempted elements. */
extern const struct listing started_listing, preempted_listing;

/* "812" or "812_7". */
void round_element_id(uint64_t job, bool is_array, uint32_t element, struct buf *out);

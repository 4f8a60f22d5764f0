/*
 * What a scheduling round left behind, as ashare lists it: queues, and decisions.
 */
#ifndef CMD_ROUND_ROWS_H
#define CMD_ROUND_ROWS_H

#include "cmd/command.h"
#include "cmd/listing.h"

/* Rows are Armada__QueueShare. */
extern const struct listing share_listing;
/* Rows are Armada__RoundDecision; what was started, and what was preempted. */
extern const struct listing started_listing, preempted_listing;

/* "812" or "812_7". */
void element_id(uint64_t job, bool is_array, uint32_t element, struct buf *out);
/* "33.3%" */
void percent(double fraction, struct buf *out);
/* The amount of a resource in a list of them; 0 without it. */
int64_t amount_of(Armada__Resource *const *list, size_t count, const char *name);

#endif

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
/* JSON has no word for what is not a number: null. */
json_t *real_json(double value);

/* The two functions of a column of a number: as a percentage, and as it is. */
#define PERCENT_COLUMN(fn, value)                                                                  \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		percent(value, out);                                                               \
	}                                                                                          \
	static json_t *fn##_json(const void *row)                                                  \
	{                                                                                          \
		return real_json(value);                                                           \
	}
#define REAL_COLUMN(fn, value)                                                                     \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		buf_addf(out, "%.4g", value);                                                      \
	}                                                                                          \
	static json_t *fn##_json(const void *row)                                                  \
	{                                                                                          \
		return real_json(value);                                                           \
	}
/* The amount of a resource in a list of them; 0 without it. */
int64_t amount_of(Armada__Resource *const *list, size_t count, const char *name);

#endif

/*
 * The invariants of a storm. A new one is a file of this folder that defines its row, and a word in
 * the list. Rows get an event in the order of the list.
 */
#pragma once

#include "asim/storm/invariant.h"

#define INVARIANT_TABLE(X)                                                                         \
	X(record_trace)                                                                            \
	X(changes)                                                                                 \
	X(group)                                                                                   \
	X(elastic)                                                                                 \
	X(start_barrier)                                                                           \
	X(gang)                                                                                    \
	X(pause)                                                                                   \
	X(deps)                                                                                    \
	X(journal)                                                                                 \
	X(order)                                                                                   \
	X(steps)                                                                                   \
	X(shutdown)                                                                                \
	X(quota)                                                                                   \
	X(sharing)                                                                                 \
	X(explain)                                                                                 \
	X(job_events)                                                                              \
	X(ends)                                                                                    \
	X(replay)

#define INVARIANT_DECLARE(name) extern const struct invariant invariant_##name;
INVARIANT_TABLE(INVARIANT_DECLARE)

/* All of them, ended by NULL. */
extern const struct invariant *const invariant_table[];

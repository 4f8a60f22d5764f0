/*
 * What the readers of a scenario share: the document, and what was read so far, by name.
 * scenario_load owns it. Readers check r->doc.bad only where going on would do harm.
 */
#pragma once

#include "asim/rounds/doc.h"
#include "asim/rounds/scenario.h"
#include "sched/model/map.h"

struct reader {
	struct doc doc;
	struct scenario *sc;
	struct arena *arena;
	struct map nodes, jobs, gangs, queues; /* by name */
	uint32_t default_class;
	bool *removed; /* nodes, by a round up to here */
};

/* Text that outlives the document. */
static inline const char *reader_keep(struct reader *r, const char *text)
{
	return arena_strdup(r->arena, text);
}

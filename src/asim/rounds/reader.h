/*
 * State that the readers of a scenario share: the document, and the names that were read so far.
 * scenario_load owns it. Readers check r->doc.bad only if it would be harmful to go on.
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
	const char *plugin_dir;                /* NULL: that of the configuration */
	uint32_t default_class;
	bool *removed; /* by node: removed in a round before this place */
};

/* A copy of the text that outlives the document. */
static inline const char *reader_keep(struct reader *r, const char *text)
{
	return arena_strdup(r->arena, text);
}

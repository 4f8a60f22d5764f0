/*
 * Copies of the core's output on their way through the commit.
 *
 * A batch holds the records of some inputs and the effects that may be sent once those are durable,
 * in the order of the inputs. Its arena owns everything in it.
 */
#pragma once

#include "armctld/snapshot.h"
#include "core/core.h"

#include <sys/queue.h>

/* The effects of one input, of a connection or (0) of none. */
struct outcome {
	STAILQ_ENTRY(outcome) entry;
	uint64_t conn;
	size_t record_len;
	struct effect *effects;
	size_t effect_count;
};

struct batch {
	STAILQ_ENTRY(batch) entry;
	struct arena *arena;
	struct armada_state_record *records;
	size_t record_count, record_cap;
	STAILQ_HEAD(, outcome) outcomes;
	uint64_t seq;              /* of the last record, 0: none */
	struct snapshot *snapshot; /* to be written after the records, or NULL; owned */
};

STAILQ_HEAD(batch_list, batch);

struct batch *batch_new(void);
void batch_free(struct batch *b);
/* Take a batch out of the list; NULL when it is empty. */
struct batch *batch_take(struct batch_list *list);
bool batch_empty(const struct batch *b);
/* conn: of the input; 0: none. Returns what was added, which the batch owns. */
const struct outcome *batch_add(struct batch *b, uint64_t conn, const struct output *out);

/* The following functions copy everything that is pointed to. */
void effect_copy(struct arena *a, const struct effect *from, struct effect *to);
void history_row_copy(struct arena *a, const struct armada_history_row *from,
		      struct armada_history_row *to);
/* The arena holds script and environment of the job; they are not copied. */
void history_job_copy(struct arena *a, const struct effect *from, struct armada_history_job *to);
/* last: the one before in the same arena, which may share the strings; NULL: none. */
void history_event_copy(struct arena *a, const struct armada_history_event *from,
			const struct armada_history_event *last, struct armada_history_event *to);
void history_share_copy(struct arena *a, const struct armada_history_share *from,
			struct armada_history_share *to);

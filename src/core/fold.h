/*
 * The fold: how each event of the log changes the state.
 *
 * The same code runs when an event has just been decided and when it is read back, so a replay
 * gives the same bytes (I8). It never decides and never refuses for policy: an event that does not
 * fit the state (a job that is not there) is damage, reported with a sentence by fold_record and
 * asserted on for events of our own making.
 *
 * It also keeps what must leave with a change wherever it comes from: the history rows of ended
 * elements, and the answers to those who wait for a job.
 */
#ifndef CORE_FOLD_H
#define CORE_FOLD_H

#include "core/tables.h"

/* Apply one event of the record being made or replayed. */
int fold_event(struct core *c, const Armada__Event *ev, struct err *err);
int fold_record(struct core *c, const Armada__Record *record, struct err *err);
/* Forget submission keys whose time is over at the record's time; before its first event. */
void keys_expire(struct core *c);

/* Add an effect of the current input; everything it points to must live as long as the input. */
struct effect *effect_add(struct core *c, enum effect_kind kind);
/* Pack a message into the input's arena and send it. */
void effect_send(struct core *c, uint64_t conn, uint32_t request, enum msg_type type,
		 const void *message);
void effect_log(struct core *c, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A zeroed event of this kind in the input's arena; its message is at *ret_message. */
Armada__Event *event_make(struct core *c, Armada__Event__KindCase kind, void *ret_message);
/* Apply it and put it in the record. */
void emit(struct core *c, Armada__Event *ev);

/*
 * rows.c: one line of a listing; e NULL: the waiting part, of which at most ROW_RANGES ranges are
 * named (its count says how many elements there are). Borrows from the state.
 */
enum { ROW_RANGES = 1000 };
void row_fill(const struct core *c, const struct job *j, const struct element *e, struct arena *a,
	      Armada__JobRow *ret_row);
/* The same without its elements: the caller names them, and how many they are. */
void row_fill_job(const struct core *c, const struct job *j, const struct element *e,
		  struct arena *a, Armada__JobRow *ret_row);
/* Nor why it waits, which costs what it waits for: of what ends. */
void row_fill_end(const struct core *c, const struct job *j, const struct element *e,
		  struct arena *a, Armada__JobRow *ret_row);
/* Several ranges as repeated IndexRange, the first max of them. */
Armada__IndexRange **ranges_of(const struct rangeset *s, size_t max, struct arena *a,
			       size_t *ret_count);
/* promise.c: how many tasks yield on the nodes of a promised element. */
uint32_t promise_awaits(const struct element *e);
/* "2 of 8 tasks were not started: ..."; "" when it has all. */
char *element_gap(const struct element *e, struct arena *a);
void wait_reply(const struct job *j, Armada__WaitJobReply *ret_reply);
void job_detail(const struct core *c, const struct job *j, struct arena *a,
		Armada__ShowJobReply *ret_reply);

#endif

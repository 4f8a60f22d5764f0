/*
 * Finished jobs on their way to the history, and questions about them.
 *
 * Rows of durable records come in from the loop and are written behind on one thread: once a
 * second, or sooner when many wait or somebody asks. Questions are answered on another thread, after
 * everything that was given before the question is written, so a job that ended a moment ago is
 * found. Answers come back on the loop.
 */
#pragma once

#include "armctld/history_query.h"

struct event_base;
struct history;

typedef void history_reply_fn(void *arg, uint64_t conn, uint32_t request,
			      const struct history_answer *answer);

/* EFFECT_PAST, once it is known what became of its jobs: whoever sent the message is answered then. */
typedef void history_past_fn(void *arg, const struct effect *e, const struct core_past *past,
			     size_t count);

/* state and handle are borrowed. seq: up to where the history is whole already. */
struct history *history_new(struct event_base *base, const struct armada_state_ops *state,
			    void *handle, uint64_t seq, history_reply_fn *reply,
			    history_past_fn *past, void *arg);
/* Writes what waits, answers nobody any more. */
void history_free(struct history *h);
/* EFFECT_HISTORY; copied. */
void history_add(struct history *h, const struct effect *e);
/* Everything of records up to seq has been given. */
void history_mark(struct history *h, uint64_t seq);
/*
 * EFFECT_FIND, EFFECT_SHARES, EFFECT_SHOW, EFFECT_PAST. When too many wait, the answer to try again
 * comes at once.
 */
void history_ask(struct history *h, const struct effect *e);

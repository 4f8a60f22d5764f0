/*
 * Builds replies about finished jobs from the history.
 *
 * Pure but for the state plugin's two read calls; runs on the query thread. The result is always a
 * message to send; a failure becomes an ERROR.
 */
#pragma once

#include "core/core.h"
#include <armada/state.h>

struct history_answer {
	enum msg_type type;
	struct buf body;
	uint64_t next, first, last; /* of history_events.h: the range that is kept; 0: none */
};

/* Replace the answer with an error. */
void history_answer_error(struct history_answer *answer, int code, const char *text);

/* Replace the answer with a message. */
void history_answer_set(struct history_answer *answer, enum msg_type type, const void *message);
/* The lists of the filter that the state plugin checks; in the arena and borrowed from f. */
void history_query_filter(const Armada__JobFilter *f, struct arena *arena,
			  struct armada_history_filter *ret);
/* Whether the row meets the other conditions: nodes, elements and classes. */
bool history_query_matches(const Armada__JobRow *row, const Armada__JobFilter *f);

/* The client that sent the request. */
struct history_viewer {
	uint32_t uid;
	bool admin, with_script, with_env; /* of SHOW: shown only to viewers who may see them */
	const struct core_viewer *sight;   /* whose jobs are visible; NULL: all */
};

/* body: a packed HistoryRequest. LIST_JOBS_REPLY. */
void history_query_find(const struct armada_state_ops *state, void *handle, const uint8_t *body,
			size_t len, const struct history_viewer *viewer,
			struct history_answer *ret_answer);
/* SHOW_JOB_REPLY. */
void history_query_show(const struct armada_state_ops *state, void *handle, uint64_t job,
			const struct history_viewer *viewer, struct history_answer *ret_answer);
/* WAIT_JOB_REPLY: worst state and highest exit code of its elements. */
void history_query_wait(const struct armada_state_ops *state, void *handle, uint64_t job,
			const struct history_viewer *viewer, struct history_answer *ret_answer);
/* EXPLAIN_REPLY: how the requested element ended, or the worst of all elements. */
void history_query_explain(const struct armada_state_ops *state, void *handle,
			   const struct explain_ask *ask, const struct history_viewer *viewer,
			   struct history_answer *ret_answer);

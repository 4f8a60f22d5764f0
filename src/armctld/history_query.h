/*
 * Answers about finished jobs, built from the history.
 *
 * Pure but for the state plugin's two read calls; runs on the query thread. Always yields a message
 * to send: what went wrong becomes an ERROR.
 */
#pragma once

#include "core/core.h"
#include <armada/state.h>

struct history_answer {
	enum msg_type type;
	struct buf body;
};

/* What went wrong, in place of what was there. */
void history_answer_error(struct history_answer *answer, int code, const char *text);

/* The client that asks. */
struct history_viewer {
	uint32_t uid;
	bool admin, with_script, with_env; /* of SHOW: only for those who may see them */
	const struct core_viewer *sight;   /* whose jobs are there at all; NULL: everybody's */
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
/* EXPLAIN_REPLY: how it ended, the worst of its elements or the one asked for. */
void history_query_explain(const struct armada_state_ops *state, void *handle,
			   const struct explain_ask *ask, const struct history_viewer *viewer,
			   struct history_answer *ret_answer);

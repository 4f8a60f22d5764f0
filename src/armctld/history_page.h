/*
 * A page of the history for another controller (CopyHistoryRequest).
 *
 * A page ends with some hundred kilobytes, or after some tens of milliseconds, so that other queries of the
 * history wait only for it. It says where the next one begins; the controller that asks keeps that place.
 */
#pragma once

#include "armctld/history_query.h"

/* What the history that answers has. */
struct history_extent {
	uint64_t complete; /* the rows of all records up to this one */
	bool lacks;        /* later ones are missing for some time */
};

/* body: a packed CopyHistoryRequest. COPY_HISTORY_REPLY. Runs on the query thread. */
void history_page(const struct armada_state_ops *state, void *handle, const uint8_t *body,
		  size_t len, const struct history_extent *extent,
		  struct history_answer *ret_answer);

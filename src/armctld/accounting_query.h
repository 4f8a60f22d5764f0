/*
 * Builds replies about attempts for accounting: pages of attempts, and sums.
 *
 * Pure but for the state plugin's calls; runs on the accounting thread. The result is always a message to
 * send; a failure becomes an ERROR.
 */
#pragma once

#include "armctld/history_query.h"

struct accounting_ask {
	const struct armada_state_ops *state;
	void *handle;
	enum msg_type type; /* ACCOUNTING or USAGE_SUMS */
	const uint8_t *body;
	size_t len;
	const struct core_viewer *sight; /* NULL: sees all */
	bool (*stop)(void *arg);         /* as in struct armada_attempt_filter */
	void *stop_arg;
};

void accounting_query(const struct accounting_ask *ask, struct history_answer *ret_answer);

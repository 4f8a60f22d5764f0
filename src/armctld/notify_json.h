/*
 * An end of the history as a JSON object for notify plugins (armada-plugins(7)).
 */
#pragma once

#include "proto/msg.h"
#include <armada/history.h>

/* Append the object to out, without a line feed. */
void notify_json(const struct armada_history_place *place, const Armada__JobRow *row,
		 struct buf *out);
/* "COMPLETED" */
const char *notify_state_word(int state);

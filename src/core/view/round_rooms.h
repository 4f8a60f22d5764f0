/*
 * The room that the last rounds left: used, reserved and idle, and recovered, for ROUND.
 *
 * A round is noted when its decisions have been carried out, and holds until the next one. A round with a
 * fault is not noted: it changes nothing.
 */
#pragma once

#include "core/view/round_report.h"

void round_rooms_note(struct txn *txn, const struct noted_round *n);
/* The noted rounds, the newest first. */
void round_rooms_list(const struct txn *txn, Armada__RoundReply *ret_reply);

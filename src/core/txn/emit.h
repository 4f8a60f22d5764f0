/*
 * Events, decided by a handler or read from the log. Only the functions here change the state.
 */
#pragma once

#include "core/txn/effects.h"

/* Make a zeroed event of this kind in the input's arena; *ret_message is its message. */
Armada__Event *emit_make(struct txn *txn, Armada__Event__KindCase kind, void *ret_message);
/*
 * Apply the event and add it to the record. It must fit the state: otherwise this program has a
 * defect.
 */
void emit_event(struct txn *txn, Armada__Event *ev);
/*
 * Apply a record from the log or from a snapshot. Its consequences are the same as when it was
 * made.
 */
int txn_replay(struct txn *txn, const Armada__Record *record, struct err *err);

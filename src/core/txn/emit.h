/*
 * Events: decided by a handler or read from the log, they change the state here and nowhere else.
 */
#pragma once

#include "core/txn/effects.h"

/* A zeroed event of this kind in the input's arena; its message is at *ret_message. */
Armada__Event *emit_make(struct txn *txn, Armada__Event__KindCase kind, void *ret_message);
/* Apply it and put it in the record. It must fit the state: anything else is a defect of ours. */
void emit_event(struct txn *txn, Armada__Event *ev);
/* Apply a record that was read, or one of a snapshot: what follows from it follows as if it was made. */
int txn_replay(struct txn *txn, const Armada__Record *record, struct err *err);

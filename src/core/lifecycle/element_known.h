/*
 * Elements on nodes that were silent: what their tasks say of them, once all of these can be asked.
 */
#pragma once

#include "core/txn/txn.h"

/* Can all that run be asked? n has registered just now; NULL: none has. */
bool element_answers(struct txn *txn, const struct element *e, const struct node *n);
/* It can be asked: its state is what its tasks say. */
void element_is_known(struct txn *txn, const struct element *e);
/* All that are left have started, or can be asked again, now that one task is no part of it. */
void element_look_again(struct txn *txn, const struct element *e);

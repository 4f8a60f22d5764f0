/*
 * Elements on nodes that were silent: what their tasks say of them, once all of these can be asked.
 */
#ifndef CORE_LIFECYCLE_ELEMENT_KNOWN_H
#define CORE_LIFECYCLE_ELEMENT_KNOWN_H

#include "core/txn/txn.h"

/* The state that its tasks say an element is in. */
Armada__JobState element_true_state(const struct element *e);
/* Can all that run be asked? n has registered just now; NULL: none has. */
bool element_answers(struct txn *txn, const struct element *e, const struct node *n);
/* All that are left have started, or can be asked again, now that one task is no part of it. */
void element_look_again(struct txn *txn, const struct element *e);

#endif

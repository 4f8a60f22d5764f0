/*
 * armada.conf was read again: what becomes of it, and what a dry run says would.
 */
#ifndef CORE_RECONFIGURE_H
#define CORE_RECONFIGURE_H

#include "core/reconfigure_notes.h"

/* A new row; what and key are borrowed. */
Armada__ConfChange *findings_add(struct findings *f, const char *what, const char *key);
/* what armada.conf says of nodes may be another thing than it was. */
void nodes_expect(struct txn *txn);
void input_policy(struct txn *txn);

#endif

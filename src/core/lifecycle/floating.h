/* The totals of floating resources, and what others use of them. */
#pragma once

#include "core/txn/txn.h"

/* The totals follow armada.conf, where it has changed. */
void floating_follow(struct txn *txn);
/* Another total, until armada.conf has another one. */
void floating_set_total(struct txn *txn, const struct conf_floating *f, int64_t total);
/* INPUT_FLOATING: a program said what others use, or has failed for too long. */
void floating_input(struct txn *txn);

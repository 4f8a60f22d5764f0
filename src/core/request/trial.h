/*
 * SUBMIT with test_only: nothing is stored. The reply says whether the jobs would be accepted, and for a
 * single job when it would start.
 */
#pragma once

#include "core/txn/txn.h"

/* The jobs were admitted. Replies at once, or with INPUT_TRIED. */
void trial_begin(struct txn *txn, const Armada__SubmitRequest *m);

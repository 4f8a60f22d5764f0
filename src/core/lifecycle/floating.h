/* Floating resources: their totals follow armada.conf. */
#pragma once

#include "core/txn/txn.h"

/* The policy has taken effect: a total that differs from what armada.conf said before is noted. */
void floating_follow(struct txn *txn);

/* The rules of one floating resource of armada.conf. */
#pragma once

#include "util/err.h"

#include <stdbool.h>

enum { FLOATING_QUEUES_MAX = 64 };

/* After an entry was read: the reservations are whole numbers, and their sum is at most the total. */
int conf_settle_floating(void *one, bool *set, struct err *err);

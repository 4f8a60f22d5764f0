/*
 * ashare: the last scheduling round.
 */
#pragma once

#include "cmd/ashare/ashare.h"

/* names: the queues; none: all. Returns 0, a negative errno with err, or an exit code. */
int ashare_round(const struct ashare *r, const char *const *names, size_t count, struct err *err);

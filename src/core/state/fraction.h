/*
 * Fractions of the cluster for each resource, as messages and as the scheduler stores them.
 *
 * names are the resources in the order of the vector. A message may name resources that this
 * release does not count; they are left out.
 */
#pragma once

#include "proto/msg.h"
#include "sched/limits.h"

void fraction_take(const char *const *names, size_t count, Armada__Fraction *const *list, size_t n,
		   struct sched_fraction *ret);
/* The list for a message. It lives in the arena and borrows the names. */
Armada__Fraction **fraction_give(const char *const *names, size_t count,
				 const struct sched_fraction *f, struct arena *a, size_t *ret_n);
/* Check a request: known resources, each at most once, and fractions from 0 to 1. */
int fraction_check(const char *const *names, size_t count, Armada__Fraction *const *list, size_t n,
		   struct err *err);

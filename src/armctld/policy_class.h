/*
 * Priority classes, from armada.conf.
 */
#pragma once

#include "armctld/policy.h"

/* Fractions of resources; the configuration has checked the names. */
struct sched_fraction policy_fraction(const struct armada_option_pair *pairs, size_t count);
int policy_classes(struct policy *p, const struct conf *conf, struct err *err);

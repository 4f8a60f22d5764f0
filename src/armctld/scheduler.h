/*
 * The scheduler of this controller: start and reconfiguration.
 */
#pragma once

#include "armctld/ctld.h"

int scheduler_start(struct ctld *c, struct err *err);
/* Apply another configuration. Takes next; on failure nothing has changed. */
int scheduler_reconfigure(struct ctld *c, const struct conf *conf, const struct policy *policy,
			  struct plugins *next, struct err *err);
/* Check whether the scheduler would accept it. */
int scheduler_try(const struct conf *conf, const struct policy *policy, const struct plugins *next,
		  struct err *err);

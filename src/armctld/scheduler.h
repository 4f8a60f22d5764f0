/*
 * The scheduler of this controller, and what a reload changes of it.
 */
#pragma once

#include "armctld/ctld.h"

int scheduler_start(struct ctld *c, struct err *err);
/* Another configuration. Takes next; on failure nothing has changed. */
int scheduler_reconfigure(struct ctld *c, const struct conf *conf, const struct policy *policy,
			  struct plugins *next, struct err *err);
/* Would the scheduler take it? */
int scheduler_try(const struct conf *conf, const struct policy *policy, const struct plugins *next,
		  struct err *err);

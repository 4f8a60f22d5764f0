/*
 * The outcome of a probed round for its job, in words.
 */
#pragma once

#include "sched/round/explain_probe.h"

struct reason explain_outcome(const struct model *m, const struct explain_probe *w,
			      const struct sched_result *res, struct arena *a);

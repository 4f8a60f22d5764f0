/* What a change of jobs did, as the controller says. */
#pragma once

#include "armrestd/exchange.h"

/* absent: ids that no job in memory has. */
struct outcome {
	uint64_t denied, refused, done;
	char *const *problems;
	size_t problem_count, absent;
};

/* 0, or the reason why nothing was done. */
int outcome_judge(const struct exchange *x, const struct outcome *o, struct err *err);
/* A member of the answer. */
void outcome_count(struct exchange *x, const char *name, uint64_t n);

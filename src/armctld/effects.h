/*
 * Applies effects of the core.
 */
#pragma once

#include "armctld/ctld.h"

void effects_apply(struct ctld *c, const struct effect *e);
/*
 * Bytes that a question (to the history, or of names) counts as output of its connection until it is
 * answered: the request, and about what the answer may have. So one user has few large answers in
 * preparation.
 */
int64_t effect_answer_size(const struct effect *e);

/*
 * oom_score_adj of this process: when memory is short, the kernel kills the process with the highest
 * score.
 */
#pragma once

#include <stdbool.h>

/* False: the kernel does not allow it. */
bool oom_score_set(int score);
/* -1001, which is not a score: it cannot be read. */
int oom_score_get(void);

/*
 * oom_score_adj of this process: when memory is short the kernel takes the process with the highest.
 */
#pragma once

#include <stdbool.h>

/* False: that is not allowed. */
bool oom_score_set(int score);
/* -1001, which is none: it cannot be read. */
int oom_score_get(void);

/* The mode --recover: shows what can be kept of a damaged state, and keeps it. */
#pragma once

#include <stdbool.h>

/* act: false: only show. Returns an exit code: 0: the state is good, or was recovered, or can be. */
int recover_state(const char *conf_file, const char *name, bool act);

/*
 * Uses of the contain plugin while the task runs.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_kill_all(struct shepherd *s);
/* For poll; negative: none. */
int shepherd_watch_fd(const struct shepherd *s);
/*
 * True if the kernel killed a process for lack of memory. notified: the watched descriptor was
 * readable.
 */
bool shepherd_check_oom(struct shepherd *s, bool notified);
/* "oom: used 512M, the limit of its memory is 512M", in the arena. */
const char *shepherd_oom_text(const struct shepherd *s, int64_t used_bytes);

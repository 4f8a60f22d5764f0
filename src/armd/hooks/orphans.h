/*
 * Processes that a dead child left behind. A subreaper (the launcher, the runner of a hook)
 * inherits every process that its children leave. So every child that the subreaper did not fork
 * itself is such an orphan.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * Kill and reap every child except the known ones (entries of 0 are ignored). Returns the number of
 * children that remain after a moment; the caller tries again later.
 */
size_t orphans_kill(const pid_t *known, size_t count);

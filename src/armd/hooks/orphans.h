/*
 * What a dead child left behind. A subreaper (the launcher, the runner of a hook) inherits every process
 * that its children leave: a child that it does not know can be nothing else.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * Kill, and reap, every child but the known ones (0: none). Returns how many are still there after a
 * moment: ask again later.
 */
size_t orphans_kill(const pid_t *known, size_t count);

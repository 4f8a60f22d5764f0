/*
 * What a dead shepherd left behind. Its task's first process dies with it; all others become
 * children of the launcher, the next subreaper above. A child of the launcher that is none of those
 * it knows can be nothing else.
 */
#ifndef ARMD_ORPHANS_H
#define ARMD_ORPHANS_H

#include <stddef.h>
#include <sys/types.h>

struct live;

/*
 * Kill, and reap, every child but the known ones (0: none) and the shepherds. Returns how many are
 * still there after a moment: ask again later.
 */
size_t orphans_kill(const pid_t *known, size_t known_count, const struct live *shepherds,
		    size_t shepherd_count);

#endif

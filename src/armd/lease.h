/*
 * When the controller was last heard of: a file of the spool that the launcher writes and its
 * shepherds read, those too that outlived the launcher which forked them.
 *
 * Time is that of CLOCK_BOOTTIME: it goes on while the machine sleeps and no administrator sets it.
 * A value from before the last boot is forgotten. It is a file and no shared memory, because the
 * network process is forked from the launcher too, and has no say in it.
 */
#ifndef ARMD_LEASE_H
#define ARMD_LEASE_H

#include "util/err.h"

#include <stdint.h>

/* Returns the descriptor or a negative errno. */
int lease_open(int spool_dir, struct err *err);
/* The controller acknowledged what was sent at boot_us: leases count from there. Never goes back. */
void lease_renew(int fd, int64_t boot_us);
/* Never in the future; 0: not since the last boot. */
int64_t lease_renewed_us(int fd);

/* CLOCK_BOOTTIME now. */
int64_t boottime_us(void);

#endif

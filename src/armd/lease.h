/*
 * When the controller was last heard of, in memory that the launcher and its shepherds share.
 *
 * Time is that of CLOCK_BOOTTIME: it goes on while the machine sleeps and no administrator sets it.
 * The page is a file of the spool, so that a shepherd that outlives its launcher sees what the next
 * one writes. A value from before the last boot is forgotten.
 */
#ifndef ARMD_LEASE_H
#define ARMD_LEASE_H

#include "util/err.h"

#include <stdint.h>

struct lease;

int lease_open(struct lease **ret_lease, int spool_dir, struct err *err);
void lease_close(struct lease *l);
/* The controller acknowledged what was sent at boot_us: leases count from there. Never goes back. */
void lease_renew(struct lease *l, int64_t boot_us);
int64_t lease_renewed_us(const struct lease *l);

/* CLOCK_BOOTTIME now. */
int64_t boottime_us(void);

#endif

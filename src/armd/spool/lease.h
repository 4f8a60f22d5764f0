/*
 * What lease orders have said (agent/lease.h): a file of the spool that the launcher writes and its
 * shepherds read, those too that outlived the launcher which forked them.
 *
 * Time is that of CLOCK_BOOTTIME: it goes on while the machine sleeps and no administrator sets it.
 * Values of another boot are forgotten. It is a file and no shared memory, because the network
 * process is forked from the launcher too, and has no say in it.
 */
#pragma once

#include "agent/lease.h"
#include "util/err.h"

#include <stdint.h>

/* Returns the descriptor or a negative errno. */
int lease_open(int spool_dir, const char *boot_id, struct err *err);
/* The controller has heard of this node since boot_us. Never goes back, never into the future. */
void lease_renew(int fd, int64_t boot_us);
/* Leases hold until then at least. Never goes back; at most LEASE_EXTENSION_MAX_US from now. */
void lease_extend(int fd, int64_t until_us);
void lease_read(int fd, struct lease_times *ret_times);

#define LEASE_EXTENSION_MAX_US (INT64_C(400) * 86400 * 1000000)

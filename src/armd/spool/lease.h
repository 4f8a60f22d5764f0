/*
 * The times from lease orders (agent/lease.h): a file of the spool that the launcher writes and all
 * shepherds read, including shepherds of an earlier launcher.
 *
 * Times are CLOCK_BOOTTIME, which advances while the machine sleeps and cannot be set. Values of an
 * earlier boot are discarded. It is a file and not shared memory, because the network process is
 * also forked from the launcher and must not be able to write it.
 */
#pragma once

#include "agent/lease.h"
#include "util/err.h"

#include <stdint.h>

/* Returns the descriptor or a negative errno. */
int lease_open(int spool_dir, const char *boot_id, struct err *err);
/* The controller had contact with this node at boot_us. Never decreases, never in the future. */
void lease_renew(int fd, int64_t boot_us);
/* Leases hold at least until then. Never decreases; at most LEASE_EXTENSION_MAX_US from now. */
void lease_extend(int fd, int64_t until_us);
void lease_read(int fd, struct lease_times *ret_times);

#define LEASE_EXTENSION_MAX_US (INT64_C(400) * 86400 * 1000000)

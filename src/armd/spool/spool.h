/*
 * The node's memory on disk: a directory of its own, owned by whoever runs armd.
 *
 *	<spool>/lock	 held for as long as a launcher owns the spool
 *	<spool>/meta	 struct ledger_meta
 *	<spool>/lease	 when the controller was last heard of (see armd/spool/lease.h)
 *	<spool>/tasks/	 one file for each attempt (see armd/spool/attempt.h) and the sockets of shepherds
 *	<spool>/scripts/ the scripts of the tasks that run, each readable by its own user alone
 *
 * Names under it are made of integers only, everything is opened relative to a descriptor and never
 * through a symbolic link (S14). The spool itself and scripts may be entered by all, for a task must
 * reach its script, but listed by nobody else; tasks is private.
 */
#pragma once

#include "agent/ledger.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>

enum { DISK_RESERVE_MAX = 256, SPOOL_CONTAIN_PREFIX = 32 };

/* See armd/spool/disk_reserve.h. Numbers of those that may be taken, then of those that wait for a sync. */
struct disk_reserve {
	uint64_t numbers[DISK_RESERVE_MAX + 1];
	unsigned ready, waiting;
	uint64_t next;
};

struct spool {
	char *path;
	int dir, tasks, scripts, lock;
	int lease;        /* see armd/spool/lease.h */
	char boot_id[64]; /* of the kernel that runs now */
	bool dirty;       /* tasks has names that are not yet durable */
	/* "armada-0123456789abcdef-", of this spool alone: containment of its tasks is named so. */
	char contain_prefix[SPOOL_CONTAIN_PREFIX];
	struct disk_reserve reserve;
};

/*
 * Make the spool if it is not there, and own it. -EBUSY: another launcher does, err says which;
 * -EPERM: others may write to it.
 */
int spool_open(struct spool *ret_spool, const char *path, struct err *err);
void spool_close(struct spool *s);

/* Returns 1, or 0 when the spool is new. A meta file that does not hold together is -EBADMSG. */
int spool_read_meta(const struct spool *s, struct ledger_meta *ret_meta, struct err *err);
/* Durable when it returns. */
int spool_write_meta(struct spool *s, const struct ledger_meta *meta, struct err *err);

/* Name the containment of tasks after this spool. */
void spool_set_prefix(struct spool *s, const uint8_t spool_id[16]);

/* Make the names under tasks durable, if there are new ones. */
int spool_sync(struct spool *s, struct err *err);

/* Take the lock of an open file, for as long as it or a copy of it is open. False: somebody holds it. */
static inline bool spool_lock_file(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Below this the spool takes no new work: what runs must be able to end. */
enum { SPOOL_RESERVE_BYTES = 16 << 20 };

/* Bytes that can still be written to the spool; 0 when that cannot be told. */
uint64_t spool_free_bytes(const struct spool *s);

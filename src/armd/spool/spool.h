/*
 * The durable state of the node: a directory that belongs to the user who runs armd.
 *
 *	<spool>/lock	 held for as long as a launcher owns the spool
 *	<spool>/meta	 struct ledger_meta
 *	<spool>/lease	 times of the lease (see armd/spool/lease.h)
 *	<spool>/tasks/	 one file for each attempt (see armd/spool/attempt.h) and the sockets of shepherds
 *	<spool>/scripts/ the scripts of live tasks, each readable by its own user only
 *
 * Names under it consist of integers only. Everything is opened relative to a descriptor and never
 * through a symbolic link. All users may enter the spool and scripts, because a task must
 * reach its script, but only the owner may list them; tasks is private.
 */
#pragma once

#include "agent/ledger.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>

enum { DISK_RESERVE_MAX = 256, SPOOL_CONTAIN_PREFIX = 32 };

/*
 * See armd/spool/disk_reserve.h. The numbers of the files that may be reused, then of those that
 * wait for a sync.
 */
struct disk_reserve {
	uint64_t numbers[DISK_RESERVE_MAX + 1];
	unsigned ready, waiting;
	uint64_t next;
};

struct spool {
	char *path;
	int dir, tasks, scripts, lock;
	int lease;        /* see armd/spool/lease.h */
	char boot_id[64]; /* of the running kernel */
	bool dirty;       /* tasks has new names that are not durable yet */
	/*
	 * "armada-0123456789abcdef-", unique to this spool: the prefix of its tasks' containment.
	 */
	char contain_prefix[SPOOL_CONTAIN_PREFIX];
	struct disk_reserve reserve;
};

/*
 * Open the spool, create it if needed, and lock it. -EBUSY: another launcher has it, err names its
 * pid; -EPERM: other users may write to it.
 */
int spool_open(struct spool *ret_spool, const char *path, struct err *err);
void spool_close(struct spool *s);

/* Returns 1, or 0 when the spool is new. A damaged meta file is -EBADMSG. */
int spool_read_meta(const struct spool *s, struct ledger_meta *ret_meta, struct err *err);
/* Durable when it returns. */
int spool_write_meta(struct spool *s, const struct ledger_meta *meta, struct err *err);

/* Name the containment of tasks after this spool. */
void spool_set_prefix(struct spool *s, const uint8_t spool_id[16]);

/* Make new names under tasks durable, if there are any. */
int spool_sync(struct spool *s, struct err *err);

/*
 * Lock an open file, until all copies of its descriptor are closed. False: another process holds
 * the lock.
 */
static inline bool spool_lock_file(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* With less free space the spool takes no new work, so that running tasks can end. */
enum { SPOOL_RESERVE_BYTES = 16 << 20 };

/* Free bytes for the spool; 0 if unknown. */
uint64_t spool_free_bytes(const struct spool *s);

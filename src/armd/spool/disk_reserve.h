/*
 * Reserve files: files of removed attempts that later attempts overwrite.
 *
 * Creating and removing a file for each task is expensive: a file system without a journal searches
 * for an inode that was not freed recently, and takes longer the more were freed. Overwriting a
 * file changes only its data, and syncs faster.
 *
 * After a crash, no new order may be found under an old name. So a kept file is reused only after
 * its new name is durable, that is after the next spool_sync. Files with such a name are removed
 * when the spool is listed. A file that a process still locks (a shepherd that has reported the end
 * and still runs) is not kept.
 */
#pragma once

#include "armd/spool/spool.h"

#define DISK_RESERVE_PREFIX "spare."

/*
 * Keep tasks/name as a reserve file. False: it cannot be reused, or there are enough; it is
 * unchanged.
 */
bool disk_reserve_keep(struct spool *s, const char *name);
/* Rename a reserve file to tasks/name. False: there is none. */
bool disk_reserve_take(struct spool *s, const char *name);
/* The names under tasks are durable. */
void disk_reserve_synced(struct spool *s);
/*
 * Create reserve files up to the minimum while the disk has room; they hold refusals when it is
 * full.
 */
void disk_reserve_fill(struct spool *s);
static inline unsigned disk_reserve_ready(const struct spool *s)
{
	return s->reserve.ready;
}

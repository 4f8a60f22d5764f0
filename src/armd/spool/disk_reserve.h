/*
 * Files of attempts that are forgotten, kept to be written over by the next ones.
 *
 * Making and removing a file for each task is dear: a file system that keeps no journal looks for
 * an inode that was not freed lately, and takes the longer the more were. Writing over a file
 * changes nothing but its data, and syncs faster.
 *
 * A crash must not find a new order under an old name. So a file that is given back is taken only
 * after its new name is durable, that is after the next spool_sync; and what bears such a name is
 * removed when the spool is listed. A file that somebody still holds open under its lock (a
 * shepherd that has reported and not yet ended) is never kept.
 */
#pragma once

#include "armd/spool/spool.h"

#define DISK_RESERVE_PREFIX "spare."

/* Keep tasks/name as a spare. False: it is not fit, or there are enough; it is still there. */
bool disk_reserve_keep(struct spool *s, const char *name);
/* Rename a spare to tasks/name. False: there is none. */
bool disk_reserve_take(struct spool *s, const char *name);
/* The names under tasks are durable. */
void disk_reserve_synced(struct spool *s);
/* See to it that there are some while there is room: with them orders are refused when there is none. */
void disk_reserve_fill(struct spool *s);
static inline unsigned disk_reserve_ready(const struct spool *s)
{
	return s->reserve.ready;
}

#include "armd/spool/disk_reserve.h"

#include "util/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger files, which hold an unusual script or environment, are not kept. */
enum { RESERVE_FILE_BYTES = 65536, RESERVE_FILE_NAME = 32 };
/* The minimum number of reserve files, each with room for the record of a refusal. */
enum { RESERVE_MIN = 32, REFUSAL_BYTES = 8192 };

static void reserve_name(uint64_t number, char ret_name[RESERVE_FILE_NAME])
{
	snprintf(ret_name, RESERVE_FILE_NAME, DISK_RESERVE_PREFIX "%llu",
		 (unsigned long long)number);
}

/* True if the file can be reused: regular, small, and not locked by a process. */
static bool fit(const struct spool *s, const char *name)
{
	CLEANUP_CLOSE int fd = openat(s->tasks, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       st.st_size <= RESERVE_FILE_BYTES && spool_lock_file(fd);
}

bool disk_reserve_keep(struct spool *s, const char *name)
{
	struct disk_reserve *sp = &s->reserve;
	char spare[RESERVE_FILE_NAME];

	if (sp->ready + sp->waiting >= DISK_RESERVE_MAX || !fit(s, name))
		return false;
	reserve_name(sp->next, spare);
	if (renameat(s->tasks, name, s->tasks, spare) < 0)
		return false;
	sp->numbers[sp->ready + sp->waiting++] = sp->next++;
	return true;
}

bool disk_reserve_take(struct spool *s, const char *name)
{
	struct disk_reserve *sp = &s->reserve;
	char spare[RESERVE_FILE_NAME];

	if (sp->ready == 0)
		return false;
	/*
	 * The array has ready files first, then files that wait for a sync; keep both parts
	 * contiguous.
	 */
	reserve_name(sp->numbers[--sp->ready], spare);
	sp->numbers[sp->ready] = sp->numbers[sp->ready + sp->waiting];
	return renameat(s->tasks, spare, s->tasks, name) == 0;
}

void disk_reserve_synced(struct spool *s)
{
	s->reserve.ready += s->reserve.waiting;
	s->reserve.waiting = 0;
}

static bool make_one(const struct spool *s, const char *name)
{
	CLEANUP_CLOSE int fd =
		openat(s->tasks, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	if (posix_fallocate(fd, 0, REFUSAL_BYTES) == 0)
		return true;
	unlinkat(s->tasks, name, 0);
	return false;
}

void disk_reserve_fill(struct spool *s)
{
	struct disk_reserve *sp = &s->reserve;
	char name[RESERVE_FILE_NAME];

	while (sp->ready + sp->waiting < RESERVE_MIN) {
		reserve_name(sp->next, name);
		if (!make_one(s, name))
			return;
		sp->numbers[sp->ready + sp->waiting++] = sp->next++;
		s->dirty = true;
	}
}

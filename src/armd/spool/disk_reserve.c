#include "armd/spool/disk_reserve.h"

#include "util/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger ones hold the script or environment of somebody unusual. */
enum { SPARE_BYTES = 65536, SPARE_NAME = 32 };
/* So many there are from the start, each with room for what is refused without having been accepted. */
enum { SPARES_LEAST = 32, REFUSAL_BYTES = 8192 };

static void spare_name(uint64_t number, char ret_name[SPARE_NAME])
{
	snprintf(ret_name, SPARE_NAME, DISK_RESERVE_PREFIX "%llu", (unsigned long long)number);
}

/* Whole, and nobody's. */
static bool fit(const struct spool *s, const char *name)
{
	CLEANUP_CLOSE int fd = openat(s->tasks, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       st.st_size <= SPARE_BYTES && spool_lock_file(fd);
}

bool disk_reserve_keep(struct spool *s, const char *name)
{
	struct spares *sp = &s->spares;
	char spare[SPARE_NAME];

	if (sp->ready + sp->waiting >= SPARES || !fit(s, name))
		return false;
	spare_name(sp->next, spare);
	if (renameat(s->tasks, name, s->tasks, spare) < 0)
		return false;
	sp->numbers[sp->ready + sp->waiting++] = sp->next++;
	return true;
}

bool disk_reserve_take(struct spool *s, const char *name)
{
	struct spares *sp = &s->spares;
	char spare[SPARE_NAME];

	if (sp->ready == 0)
		return false;
	/* The last of both kinds takes the place, and waits if that is what it does. */
	spare_name(sp->numbers[--sp->ready], spare);
	sp->numbers[sp->ready] = sp->numbers[sp->ready + sp->waiting];
	return renameat(s->tasks, spare, s->tasks, name) == 0;
}

void disk_reserve_synced(struct spool *s)
{
	s->spares.ready += s->spares.waiting;
	s->spares.waiting = 0;
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
	struct spares *sp = &s->spares;
	char name[SPARE_NAME];

	while (sp->ready + sp->waiting < SPARES_LEAST) {
		spare_name(sp->next, name);
		if (!make_one(s, name))
			return;
		sp->numbers[sp->ready + sp->waiting++] = sp->next++;
		s->dirty = true;
	}
}

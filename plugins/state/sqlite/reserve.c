/*
 * The reserve of disk space.
 *
 * In: the option `reserve`. While the disk has room, the file `reserve` occupies that many bytes. When a
 * write finds no room, a slice of it is cut off and the write is repeated. So a controller on a full disk
 * still records the ends of jobs and what cancels them. It is given up in slices, because another program
 * that fills the disk takes what it can get.
 *
 * The disk counts as full when less than `low` is free or a part of the reserve was given up. It counts as
 * usable again when the reserve is whole and twice `low` is free.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "error.h"
#include "reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { SLICES = 16, LOW_BYTES_MIN = 256 << 10 };

/* The bytes that this process may still write; the size of the reserve fits a small file system. */
static int look(const struct store *s, uint64_t *ret_free, uint64_t *ret_reserve)
{
	struct statvfs fs;
	uint64_t whole;

	*ret_free = *ret_reserve = 0;
	if (fstatvfs(s->dir_fd, &fs))
		return -errno;
	whole = (uint64_t)fs.f_blocks * fs.f_frsize;
	*ret_free = (uint64_t)fs.f_bavail * fs.f_frsize;
	*ret_reserve = s->reserve_option < whole / 4 ? s->reserve_option : whole / 4;
	return 0;
}

static uint64_t low_bytes(const struct store *s, uint64_t reserve)
{
	uint64_t low = reserve / 8;

	if (low < 2 * s->wal_limit_bytes && 2 * s->wal_limit_bytes < reserve / 4)
		low = 2 * s->wal_limit_bytes;
	return low > LOW_BYTES_MIN ? low : LOW_BYTES_MIN;
}

/* Locked. */
static void make(struct store *s, uint64_t bytes)
{
	int rc = fallocate(s->reserve_fd, 0, 0, (off_t)bytes) ? errno : 0;

	if (rc == EOPNOTSUPP)
		rc = posix_fallocate(s->reserve_fd, 0, (off_t)bytes);
	if (!rc && ftruncate(s->reserve_fd, (off_t)bytes))
		rc = errno;
	if (!rc)
		s->reserve_left = bytes;
	else if (ftruncate(s->reserve_fd, (off_t)s->reserve_left))
		store_log(s, 4, "%s/reserve: cannot be made: %s", s->dir, strerror(rc));
}

void reserve_open(struct store *s)
{
	uint64_t room, reserve;
	struct stat st;

	s->reserve_fd =
		openat(s->dir_fd, "reserve", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->reserve_fd < 0 || fstat(s->reserve_fd, &st) || look(s, &room, &reserve)) {
		store_log(s, 4, "%s/reserve: cannot be made: %s", s->dir, strerror(errno));
		return;
	}
	/* A copy of the file may have holes. */
	s->reserve_left = (uint64_t)st.st_size;
	if ((uint64_t)st.st_blocks * 512 < s->reserve_left)
		s->reserve_left = (uint64_t)st.st_blocks * 512;
	if (s->reserve_left > reserve ||
	    (s->reserve_left < reserve &&
	     room >= reserve - s->reserve_left + 2 * low_bytes(s, reserve)))
		make(s, reserve);
	while (!look(s, &room, &reserve) && room < low_bytes(s, reserve) && reserve_release(s))
		;
}

bool reserve_release(struct store *s)
{
	uint64_t slice = s->reserve_option / SLICES, left;
	bool done;

	pthread_mutex_lock(&s->reserve_lock);
	if (slice < LOW_BYTES_MIN)
		slice = LOW_BYTES_MIN;
	left = s->reserve_left > slice ? s->reserve_left - slice : 0;
	done = s->reserve_left && ftruncate(s->reserve_fd, (off_t)left) == 0;
	if (done)
		s->reserve_left = left;
	pthread_mutex_unlock(&s->reserve_lock);
	atomic_store(&s->full, true);
	return done;
}

int store_space(void *handle, struct armada_state_space *ret_space, struct armada_error *err)
{
	struct store *s = handle;
	uint64_t room, reserve, low;
	int rc = look(s, &room, &reserve);
	bool full = atomic_load(&s->full);

	if (rc)
		return fail_sys(err, rc, "%s", s->dir);
	low = low_bytes(s, reserve);
	pthread_mutex_lock(&s->reserve_lock);
	if (s->reserve_left < reserve && s->reserve_fd >= 0 &&
	    room >= reserve - s->reserve_left + 2 * low) {
		make(s, reserve);
		look(s, &room, &reserve);
	}
	if (room < low || s->reserve_left < reserve)
		full = true;
	else if (room >= 2 * low)
		full = false;
	*ret_space = (struct armada_state_space){
		.free_bytes = room,
		.needed_bytes =
			(reserve > s->reserve_left ? reserve - s->reserve_left : 0) + 2 * low,
		.reserve_bytes = reserve,
		.reserve_left = s->reserve_left,
		.snapshot_seq = atomic_load(&s->snapshot_seq),
		.full = full,
	};
	pthread_mutex_unlock(&s->reserve_lock);
	atomic_store(&s->full, full);
	return 0;
}

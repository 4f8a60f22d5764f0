/*
 * The state directory: owner and modes are checked, and one controller at a time holds its lock.
 *
 * In: a path. Out: descriptors of the directory and of the lock. Nothing but the lock file is created here,
 * except by dir_make for a new state.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dir.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Permission bits that our files must not have. A group may read the history, for accounting: an
 * administrator gives it access with chgrp and chmod g+x on the directory.
 */
static const struct {
	const char *name;
	mode_t refused;
	const char *wanted;
} files[] = {
	{"log.db", 0077, "0600"},         {"log.db-wal", 0077, "0600"},
	{"log.mark", 0077, "0600"},       {"lock", 0077, "0600"},
	{"history.db", 0037, "0640"},     {"history.db-wal", 0037, "0640"},
	{"history.db-shm", 0037, "0640"}, {"reserve", 0077, "0600"},
	{"owner", 0077, "0600"},
};

char *dir_path(const char *path, const char *name)
{
	char *full;

	if (asprintf(&full, "%s/%s", path, name) < 0)
		abort();
	return full;
}

int dir_make(const char *path, struct armada_error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	if (errno == ENOENT)
		return fail(err, -ENOENT, "%s: the directory above it does not exist", path);
	return fail_sys(err, -errno, "%s: cannot make the state directory", path);
}

static int check_mode(const struct stat *st, const char *path, const char *name, mode_t refused,
		      const char *wanted, struct armada_error *err)
{
	if (st->st_uid != geteuid())
		return fail(err, -EPERM, "%s%s is owned by uid %u, but this program runs as uid %u",
			    path, name, (unsigned)st->st_uid, (unsigned)geteuid());
	if (st->st_mode & refused)
		return fail(err, -EPERM,
			    "%s%s has mode %04o, so others could read or change the state: it "
			    "must be %s or less",
			    path, name, (unsigned)st->st_mode & 07777, wanted);
	return 0;
}

int dir_open(const char *path, int *ret_fd, struct armada_error *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0 && errno == ENOENT)
		return fail(err, -ENOENT,
			    "%s: there is no state here: the directory does not exist (is its "
			    "file system mounted? a new cluster's state is made with `armctld "
			    "--init`)",
			    path);
	if (fd < 0)
		return fail_sys(err, -errno, "%s: cannot open the state directory", path);
	rc = fstat(fd, &st) ? fail_sys(err, -errno, "%s", path)
			    : check_mode(&st, path, "", 0067, "0700", err);
	if (rc) {
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}

bool dir_has(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int dir_check_files(int dir_fd, const char *path, struct armada_error *err)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char name[64];
		struct stat st;
		int rc;

		snprintf(name, sizeof(name), "/%s", files[i].name);
		if (fstatat(dir_fd, files[i].name, &st, AT_SYMLINK_NOFOLLOW)) {
			if (errno == ENOENT)
				continue;
			return fail_sys(err, -errno, "%s%s", path, name);
		}
		if (!S_ISREG(st.st_mode))
			return fail(err, -EPERM, "%s%s is not a plain file", path, name);
		rc = check_mode(&st, path, name, files[i].refused, files[i].wanted, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int held(int fd, const char *path, struct armada_error *err)
{
	char text[32] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long pid = n > 0 ? strtol(text, NULL, 10) : 0;

	if (pid > 0)
		return fail(err, -EBUSY, "%s is held by another controller (pid %ld)", path, pid);
	return fail(err, -EBUSY, "%s is held by another controller", path);
}

/* An OFD lock: it ends with the descriptor, also when the process is killed, and works over NFS. */
int dir_lock(int dir_fd, const char *path, int *ret_fd, struct armada_error *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char text[32];
	int fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), rc, len;

	if (fd < 0 && errno == EROFS)
		return fail(err, -EROFS, "%s is on a file system that is mounted read-only", path);
	if (fd < 0)
		return fail_sys(err, -errno, "%s/lock: cannot take the lock of the state", path);
	if (fcntl(fd, F_OFD_SETLK, &lock)) {
		rc = errno == EAGAIN || errno == EACCES
			     ? held(fd, path, err)
			     : fail_sys(err, -errno, "%s/lock: cannot lock", path);
		close(fd);
		return rc;
	}
	/* The pid is only for the message of a second controller; a full disk may prevent it. */
	len = snprintf(text, sizeof(text), "%-20ld\n", (long)getpid());
	if (pwrite(fd, text, (size_t)len, 0) != len && ftruncate(fd, 0) != 0)
		errno = 0;
	*ret_fd = fd;
	return 0;
}

int dir_scan_wal(int dir_fd, const char *path, const char *name, struct wal_scan *ret_scan,
		 struct armada_error *err)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc;

	*ret_scan = (struct wal_scan){0};
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fail_sys(err, -errno, "%s/%s: cannot be opened", path, name);
	rc = wal_scan(fd, ret_scan);
	close(fd);
	if (rc)
		return fail_sys(err, rc, "%s/%s: cannot be read", path, name);
	if (!ret_scan->damaged)
		return 0;
	return fail(err, -EUCLEAN,
		    "%s/%s is damaged at byte %" PRIu64 " (%s %" PRIu64 "): records after it were "
		    "acknowledged and would be lost if the file were opened",
		    path, name, ret_scan->bad_offset,
		    ret_scan->bad_frame ? "frame" : "header, frame", ret_scan->bad_frame);
}

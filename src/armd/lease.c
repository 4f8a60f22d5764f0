#include "armd/lease.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int64_t boottime_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int64_t read_raw(int fd)
{
	uint64_t le = 0;

	return pread(fd, &le, sizeof(le), 0) == (ssize_t)sizeof(le) ? (int64_t)le64toh(le) : 0;
}

/* Eight bytes in one block: whoever reads sees the old or the new ones. Not synced: see the boot. */
static int write_raw(int fd, int64_t boot_us)
{
	uint64_t le = htole64((uint64_t)boot_us);

	return pwrite(fd, &le, sizeof(le), 0) == (ssize_t)sizeof(le) ? 0 : -errno;
}

int lease_open(int spool_dir, struct err *err)
{
	int fd = openat(spool_dir, "lease", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int64_t old_us = fd < 0 ? 0 : read_raw(fd);
	int rc;

	if (fd < 0)
		return err_sys(err, -errno, "cannot open lease");
	/* Written at once, so that there is room for it when the disk is full. */
	rc = write_raw(fd, old_us < 0 || old_us > boottime_us() ? 0 : old_us);
	if (rc < 0) {
		close(fd);
		return err_sys(err, rc, "cannot write lease");
	}
	return fd;
}

void lease_renew(int fd, int64_t boot_us)
{
	int64_t now_us = boottime_us();

	if (boot_us > now_us)
		boot_us = now_us;
	if (boot_us > read_raw(fd))
		write_raw(fd, boot_us);
}

int64_t lease_renewed_us(int fd)
{
	int64_t at_us = read_raw(fd), now_us = boottime_us();

	return at_us < 0 ? 0 : at_us > now_us ? now_us : at_us;
}

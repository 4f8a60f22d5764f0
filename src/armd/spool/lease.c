/*
 * The file of lease times (lease.h): reads and writes its two numbers in place. Input: times of
 * lease orders. Output: struct lease_times. Values that are impossible (negative, in the future, of
 * another boot) are ignored or limited, because the file decides whether tasks continue.
 */
#include "armd/spool/lease.h"

#include "proto/order.h"
#include "util/clock.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The file: renewed 8, extended 8, order_boot of the boot 16. Integers are little endian. */
enum { RENEWED_AT = 0, EXTENDED_AT = 8, BOOT_AT = 16, BOOT_SIZE = 16 };

static int64_t read_raw(int fd, off_t at)
{
	uint64_t le = 0;

	return pread(fd, &le, sizeof(le), at) == (ssize_t)sizeof(le) ? (int64_t)le64toh(le) : 0;
}

/*
 * Eight bytes in one block: a reader sees either the old or the new value. Not synced, because
 * values of an earlier boot do not count.
 */
static int write_raw(int fd, off_t at, int64_t boot_us)
{
	uint64_t le = htole64((uint64_t)boot_us);

	return pwrite(fd, &le, sizeof(le), at) == (ssize_t)sizeof(le) ? 0 : -errno;
}

/*
 * Initialize the file at startup, so that it has its room when the disk is full. A file of an
 * earlier release without extensions keeps its time, because shepherds of that release use it.
 */
static int begin(int fd, const char *boot_id)
{
	uint8_t boot[BOOT_SIZE], was[BOOT_SIZE];
	ssize_t n = pread(fd, was, sizeof(was), BOOT_AT);
	int64_t renewed_us = read_raw(fd, RENEWED_AT);
	int rc;

	order_boot(boot_id, boot);
	if (n == BOOT_SIZE && memcmp(was, boot, BOOT_SIZE) == 0)
		return 0;
	if (n == BOOT_SIZE || renewed_us < 0 || renewed_us > clock_us(CLOCK_BOOTTIME))
		renewed_us = 0;
	rc = write_raw(fd, EXTENDED_AT, 0);
	if (rc == 0)
		rc = write_raw(fd, RENEWED_AT, renewed_us);
	if (rc == 0 && pwrite(fd, boot, BOOT_SIZE, BOOT_AT) != BOOT_SIZE)
		rc = -errno;
	return rc;
}

int lease_open(int spool_dir, const char *boot_id, struct err *err)
{
	int fd = openat(spool_dir, "lease", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return err_sys(err, -errno, "cannot open lease");
	rc = begin(fd, boot_id);
	if (rc < 0) {
		close(fd);
		return err_sys(err, rc, "cannot write lease");
	}
	return fd;
}

void lease_renew(int fd, int64_t boot_us)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);

	if (boot_us > now_us)
		boot_us = now_us;
	if (boot_us > read_raw(fd, RENEWED_AT))
		write_raw(fd, RENEWED_AT, boot_us);
}

void lease_extend(int fd, int64_t until_us)
{
	int64_t max_us = clock_us(CLOCK_BOOTTIME) + LEASE_EXTENSION_MAX_US;

	if (until_us > max_us)
		until_us = max_us;
	if (until_us > read_raw(fd, EXTENDED_AT))
		write_raw(fd, EXTENDED_AT, until_us);
}

void lease_read(int fd, struct lease_times *ret_times)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);
	struct lease_times t = {read_raw(fd, RENEWED_AT), read_raw(fd, EXTENDED_AT)};

	if (t.renewed_us < 0 || t.renewed_us > now_us)
		t.renewed_us = t.renewed_us < 0 ? 0 : now_us;
	if (t.extended_us < 0 || t.extended_us > now_us + LEASE_EXTENSION_MAX_US)
		t.extended_us = 0;
	*ret_times = t;
}

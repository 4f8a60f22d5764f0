#include "armd/lease.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LEASE_BYTES = 4096 };

struct lease {
	_Atomic int64_t renewed_us;
};

int64_t boottime_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int lease_open(struct lease **ret_lease, int spool_dir, struct err *err)
{
	CLEANUP_CLOSE int fd =
		openat(spool_dir, "lease", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct lease *l;
	int rc;

	if (fd < 0)
		return err_sys(err, -errno, "cannot open lease");
	/* A hole would be a SIGBUS on a full disk. */
	rc = -posix_fallocate(fd, 0, LEASE_BYTES);
	if (rc < 0)
		return err_sys(err, rc, "cannot make room for lease");
	l = mmap(NULL, LEASE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (l == MAP_FAILED)
		return err_sys(err, -errno, "cannot map lease");
	if (atomic_load(&l->renewed_us) > boottime_us())
		atomic_store(&l->renewed_us, 0);
	*ret_lease = l;
	return 0;
}

void lease_close(struct lease *l)
{
	if (l)
		munmap(l, LEASE_BYTES);
}

void lease_renew(struct lease *l, int64_t boot_us)
{
	int64_t now_us = boottime_us();

	if (boot_us > now_us)
		boot_us = now_us;
	if (boot_us > atomic_load(&l->renewed_us))
		atomic_store(&l->renewed_us, boot_us);
}

int64_t lease_renewed_us(const struct lease *l)
{
	return atomic_load(&l->renewed_us);
}

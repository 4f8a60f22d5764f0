#include "armd/pipe/body.h"

#include "armd/pipe/pipe.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

int pipe_body_open(struct err *err)
{
	int fd = memfd_create("armada-body", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? err_sys(err, -errno, "cannot create a memfd") : fd;
}

int pipe_body_seal(int fd, struct err *err)
{
	return fcntl(fd, F_ADD_SEALS, SEALS) < 0 ? err_sys(err, -errno, "cannot seal a memfd") : 0;
}

int pipe_body_new(const void *data, size_t len, struct err *err)
{
	CLEANUP_CLOSE int fd = pipe_body_open(err);
	const uint8_t *p = data;
	int ret;

	if (fd < 0)
		return fd;
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, p + at, len - at);

		if (n < 0 && errno != EINTR)
			return err_sys(err, -errno, "cannot write %zu bytes to a memfd", len);
		at += n > 0 ? (size_t)n : 0;
	}
	if (pipe_body_seal(fd, err) < 0)
		return -EIO;
	ret = fd;
	fd = -1;
	return ret;
}

int pipe_body_read(int fd, uint8_t **ret_data, size_t *ret_len, struct err *err)
{
	CLEANUP_FREE uint8_t *data = NULL;
	struct stat st;
	int seals;
	size_t len;

	/* Only a memfd has seals. A sealed one cannot change, block or shrink while it is read. */
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SEALS) != SEALS)
		return err_set(err, -EBADMSG, "the body of the order is not sealed");
	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot stat the body of the order");
	if (!S_ISREG(st.st_mode) || st.st_size < 0 || st.st_size > PIPE_BODY_MAX)
		return err_set(err, -E2BIG,
			       "the body of the order has %lld bytes, more than the maximum of %d",
			       (long long)st.st_size, PIPE_BODY_MAX);
	len = (size_t)st.st_size;
	data = xmalloc(len + 1);
	for (size_t at = 0; at < len;) {
		ssize_t n = pread(fd, data + at, len - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(err, n < 0 ? -errno : -EIO,
				       "cannot read the body of the order");
		at += (size_t)n;
	}
	data[len] = 0;
	*ret_data = data;
	*ret_len = len;
	data = NULL;
	return 0;
}

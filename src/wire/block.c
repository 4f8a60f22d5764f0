#include "wire/block.h"

#include "util/clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int64_t block_now_ms(void)
{
	return clock_us(CLOCK_MONOTONIC) / 1000;
}

int block_ready(int fd, short events, int64_t deadline_ms)
{
	for (;;) {
		int64_t left = deadline_ms - block_now_ms();
		struct pollfd p = {.fd = fd, .events = events};
		int n = poll(&p, 1, left > 0 ? (int)left : 0);

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

int block_connect(const struct address *a, int64_t deadline_ms)
{
	int fd = address_socket(a), rc = 0, status = 0;
	socklen_t len = sizeof(status);

	if (fd < 0)
		return fd;
	if (connect(fd, (const struct sockaddr *)&a->sa, a->len) && errno != EINPROGRESS)
		rc = -errno;
	if (!rc)
		rc = block_ready(fd, POLLOUT, deadline_ms);
	if (!rc && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &status, &len))
		rc = -status;
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

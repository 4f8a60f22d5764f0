/*
 * Sends and receives messages over one end of the pipe (io.h). Input: messages to send, with the
 * descriptor of a body; datagrams. Output: decoded messages. Messages that find the socket full are
 * queued in order until pipe_flush. Descriptors of invalid datagrams are closed.
 */
#include "armd/pipe/io.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

/* A datagram that waits for room in the socket. */
struct waiting {
	STAILQ_ENTRY(waiting) entry;
	int fd; /* owned; -1: none */
	size_t len;
	uint8_t bytes[];
};

struct pipe {
	int fd;
	bool launcher;
	STAILQ_HEAD(, waiting) waiting;
	size_t count;
	uint8_t datagram[PIPE_DATAGRAM];
};

struct pipe *pipe_new(int fd, bool launcher)
{
	struct pipe *p = xcalloc(1, sizeof(*p));

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	p->fd = fd;
	p->launcher = launcher;
	STAILQ_INIT(&p->waiting);
	return p;
}

static void drop_first(struct pipe *p)
{
	struct waiting *w = STAILQ_FIRST(&p->waiting);

	STAILQ_REMOVE_HEAD(&p->waiting, entry);
	p->count--;
	close_fd(&w->fd);
	free(w);
}

void pipe_free(struct pipe *p)
{
	if (!p)
		return;
	while (p->count)
		drop_first(p);
	close(p->fd);
	free(p);
}

int pipe_fd(const struct pipe *p)
{
	return p->fd;
}

size_t pipe_waiting(const struct pipe *p)
{
	return p->count;
}

/* 0, -EAGAIN, or the end of the pipe. */
static int send_datagram(struct pipe *p, const uint8_t *bytes, size_t len, int body_fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {.iov_base = (void *)bytes, .iov_len = len};
	struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *cm;
	ssize_t n;

	if (body_fd >= 0) {
		mh.msg_control = control;
		mh.msg_controllen = sizeof(control);
		cm = CMSG_FIRSTHDR(&mh);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cm), &body_fd, sizeof(int));
	}
	do
		n = sendmsg(p->fd, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return 0;
	/* Too many descriptors in flight count as a full socket. */
	return errno == EWOULDBLOCK || errno == ENOBUFS || errno == ETOOMANYREFS ? -EAGAIN : -errno;
}

static int keep(struct pipe *p, size_t len, int body_fd)
{
	int fd = body_fd >= 0 ? fcntl(body_fd, F_DUPFD_CLOEXEC, 3) : -1;
	struct waiting *w;

	if (body_fd >= 0 && fd < 0)
		return -errno;
	w = xmalloc(sizeof(*w) + len);
	w->fd = fd;
	w->len = len;
	memcpy(w->bytes, p->datagram, len);
	STAILQ_INSERT_TAIL(&p->waiting, w, entry);
	p->count++;
	return 0;
}

int pipe_send(struct pipe *p, const struct pipe_msg *m)
{
	const int *of = pipe_body_fd((struct pipe_msg *)(uintptr_t)m);
	int body_fd = of ? *of : -1;
	size_t len = pipe_encode(m, p->datagram);
	int rc = -EAGAIN;

	if (!p->count)
		rc = send_datagram(p, p->datagram, len, body_fd);
	if (rc != -EAGAIN)
		return rc;
	return keep(p, len, body_fd);
}

int pipe_flush(struct pipe *p)
{
	for (struct waiting *w; (w = STAILQ_FIRST(&p->waiting));) {
		int rc = send_datagram(p, w->bytes, w->len, w->fd);

		if (rc == -EAGAIN)
			return 0;
		if (rc < 0)
			return rc;
		drop_first(p);
	}
	return 0;
}

/*
 * Take the descriptors of a datagram. A message has at most one; the others are closed. Returns how
 * many there were, the first in ret_fd.
 */
static int take_fds(struct msghdr *mh, int *ret_fd)
{
	int count = 0;

	*ret_fd = -1;
	for (struct cmsghdr *cm = CMSG_FIRSTHDR(mh); cm; cm = CMSG_NXTHDR(mh, cm)) {
		size_t n = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (cm->cmsg_level != SOL_SOCKET || cm->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cm) + i * sizeof(int), sizeof(int));
			if (count++ == 0)
				*ret_fd = fd;
			else
				close(fd);
		}
	}
	return count;
}

int pipe_receive(struct pipe *p, struct pipe_msg *ret_msg)
{
	char control[CMSG_SPACE(4 * sizeof(int))];
	struct iovec iov = {.iov_base = p->datagram, .iov_len = sizeof(p->datagram)};
	struct msghdr mh = {.msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control)};
	CLEANUP_CLOSE int fd = -1;
	ssize_t n;
	int fds, *body_fd;

	do
		n = recvmsg(p->fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -EPIPE;
	fds = take_fds(&mh, &fd);
	if (n == 0 && fds == 0)
		return -EPIPE;
	if (mh.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
	    !pipe_decode(p->datagram, (size_t)n, !p->launcher, ret_msg))
		return -EBADMSG;
	body_fd = pipe_body_fd(ret_msg);
	if (fds > (body_fd ? 1 : 0))
		return -EBADMSG;
	if (fds == 1) {
		*body_fd = fd;
		fd = -1;
	}
	return 1;
}

int pipe_pair(int ret_fds[2], struct err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ret_fds) < 0)
		return err_sys(err, -errno, "cannot make the pipe to the network process");
	return 0;
}

/*
 * Datagrams between launcher and shepherd (control.h). Input: a control order with an optional
 * descriptor, or a notice. Output: 0 or a negative errno when sending; 1 with a message when
 * receiving.
 *
 * The sockets are in the tasks directory of the spool, which is private. Their path may be longer
 * than a socket address allows, so they are addressed through /proc/self/fd. A sender waits for at
 * most a second for a busy launcher, and never for a shepherd.
 */
#include "armd/shepherd/control.h"

#include "armd/spool/attempt_name.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static const char notify_name[] = "notify";

/*
 * A socket address has room for 108 bytes, and the path of a spool may be longer: use the
 * descriptor.
 */
static struct sockaddr_un address_of(const struct spool *s, const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%s", s->tasks, name);
	return a;
}

static void control_name(const struct task_key *key, char ret_name[ATTEMPT_NAME + 8])
{
	char name[ATTEMPT_NAME];

	attempt_name(key, name);
	snprintf(ret_name, ATTEMPT_NAME + 8, "%s.ctl", name);
}

static int new_socket(int flags)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | flags, 0);

	return fd < 0 ? -errno : fd;
}

static int bind_at(const struct spool *s, const char *name, struct err *err)
{
	struct sockaddr_un a = address_of(s, name);
	int fd = new_socket(SOCK_NONBLOCK), rc;

	unlinkat(s->tasks, name, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	rc = fd < 0 ? fd : -errno;
	close_fd(&fd);
	return err_sys(err, rc, "cannot listen at %s/tasks/%s", s->path, name);
}

int control_listen(const struct spool *s, struct err *err)
{
	return bind_at(s, notify_name, err);
}

int control_bind(const struct spool *s, const struct task_key *key, struct err *err)
{
	char name[ATTEMPT_NAME + 8];

	control_name(key, name);
	return bind_at(s, name, err);
}

void control_unlink(const struct spool *s, const struct task_key *key)
{
	char name[ATTEMPT_NAME + 8];

	control_name(key, name);
	unlinkat(s->tasks, name, 0);
}

bool control_exists(const struct spool *s, const struct task_key *key)
{
	char name[ATTEMPT_NAME + 8];

	control_name(key, name);
	return faccessat(s->tasks, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Room for one descriptor beside a datagram. */
union fd_message {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static void attach_fd(struct msghdr *m, union fd_message *p, int fd)
{
	struct cmsghdr *h;

	memset(p, 0, sizeof(*p));
	m->msg_control = p->bytes;
	m->msg_controllen = sizeof(p->bytes);
	h = CMSG_FIRSTHDR(m);
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
}

static int send_to(const struct spool *s, const char *name, struct iovec *iov, int fd, int flags)
{
	struct sockaddr_un a = address_of(s, name);
	struct timeval patience = {.tv_sec = 1};
	CLEANUP_CLOSE int socket_fd = new_socket(flags);
	struct msghdr m = {
		.msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = iov, .msg_iovlen = 1};
	union fd_message along;

	if (socket_fd < 0)
		return socket_fd;
	if (fd >= 0)
		attach_fd(&m, &along, fd);
	setsockopt(socket_fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return sendmsg(socket_fd, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int control_send(const struct spool *s, const struct task_key *key, const struct control_order *o,
		 int fd)
{
	struct control_order copy = *o;
	struct iovec iov = {.iov_base = &copy, .iov_len = sizeof(copy)};
	char name[ATTEMPT_NAME + 8];

	control_name(key, name);
	return send_to(s, name, &iov, fd, SOCK_NONBLOCK);
}

enum { BARE_NOTICE = offsetof(struct control_notice, text) };

static int notify(const struct spool *s, const struct task_key *key, enum control_event event,
		  const void *more, size_t len, int flags)
{
	struct control_notice n;
	struct iovec iov = {.iov_base = &n, .iov_len = more ? sizeof(n) : BARE_NOTICE};

	memset(&n, 0, sizeof(n));
	n.magic = CONTROL_NOTICE_MAGIC;
	n.event = event;
	n.key = *key;
	if (len > 0)
		memcpy(n.text, more, len < sizeof(n.text) ? len : sizeof(n.text) - 1);
	/*
	 * The queue of the socket is short: wait up to a second for a busy launcher, but not
	 * longer. With SOCK_NONBLOCK the notice is dropped instead.
	 */
	return send_to(s, notify_name, &iov, -1, flags);
}

void control_notify(const struct spool *s, const struct task_key *key, enum control_event event)
{
	notify(s, key, event, NULL, 0, 0);
}

void control_settings_set(const struct spool *s, const struct task_key *key, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	notify(s, key, CONTROL_SETTINGS_SET, text, strlen(text), 0);
}

void control_send_log(const struct spool *s, const struct task_key *key, const char *text)
{
	notify(s, key, CONTROL_LOG, text, strlen(text), 0);
}

void control_cache_user(const struct spool *s, const struct task_key *key,
			const struct cached_user *u)
{
	static_assert(sizeof(*u) < CONTROL_TEXT, "there is room in a notice");
	notify(s, key, CONTROL_CACHE_USER, u, sizeof(*u), 0);
}

void control_send_usage(const struct spool *s, const struct task_key *key,
			const struct task_usage *u)
{
	static_assert(sizeof(*u) < CONTROL_TEXT, "there is room in a notice");
	notify(s, key, CONTROL_USAGE, u, sizeof(*u), SOCK_NONBLOCK);
}

bool control_send_step(const struct spool *s, const struct task_key *key,
		       const struct step_state *state)
{
	static_assert(sizeof(*state) < CONTROL_TEXT, "there is room in a notice");
	return notify(s, key, CONTROL_STEP_STATE, state, sizeof(*state), SOCK_NONBLOCK) == 0;
}

/* There is room for one descriptor; the kernel has closed the others. */
static int received_fd(struct msghdr *m)
{
	struct cmsghdr *h = CMSG_FIRSTHDR(m);
	int fd;

	if (!h || h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS ||
	    h->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(h), sizeof(fd));
	return fd;
}

int control_receive(int fd, struct control_order *ret_order, int *ret_fd)
{
	struct control_order o;
	struct iovec iov = {.iov_base = &o, .iov_len = sizeof(o)};
	union fd_message along;
	struct msghdr m;
	ssize_t n;

	for (;;) {
		m = (struct msghdr){.msg_iov = &iov,
				    .msg_iovlen = 1,
				    .msg_control = along.bytes,
				    .msg_controllen = sizeof(along.bytes)};
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
		if (n < 0)
			return 0;
		*ret_fd = received_fd(&m);
		if (n == (ssize_t)sizeof(o) && !(m.msg_flags & MSG_TRUNC)) {
			*ret_order = o;
			return 1;
		}
		close_fd(ret_fd);
	}
}

static bool has_text(uint32_t event)
{
	return event == CONTROL_LOG || event == CONTROL_CACHE_USER ||
	       event == CONTROL_SETTINGS_SET || event == CONTROL_USAGE ||
	       event == CONTROL_STEP_STATE;
}

int control_receive_notice(int fd, struct control_notice *ret_notice)
{
	struct control_notice k;
	ssize_t n;

	while (memset(&k, 0, sizeof(k)), (n = recv(fd, &k, sizeof(k), MSG_TRUNC)) >= 0) {
		if (k.magic != CONTROL_NOTICE_MAGIC ||
		    n != (has_text(k.event) ? (ssize_t)sizeof(k) : BARE_NOTICE))
			continue;
		k.text[sizeof(k.text) - 1] = '\0';
		*ret_notice = k;
		return 1;
	}
	return 0;
}

#include "armd/control.h"

#include "armd/attempt.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static const char notify_name[] = "notify";

/* A socket's name has 108 bytes, a spool's path may have more: go through the descriptor. */
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

static int send_to(const struct spool *s, const char *name, const void *p, size_t len, int flags)
{
	struct sockaddr_un a = address_of(s, name);
	struct timeval patience = {.tv_sec = 1};
	CLEANUP_CLOSE int fd = new_socket(flags);

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return sendto(fd, p, len, MSG_NOSIGNAL, (struct sockaddr *)&a, sizeof(a)) < 0 ? -errno : 0;
}

int control_send_kill(const struct spool *s, const struct task_key *key,
		      const struct control_kill *kill)
{
	struct control_kill k = *kill;
	char name[ATTEMPT_NAME + 8];

	control_name(key, name);
	k.magic = CONTROL_KILL_MAGIC;
	return send_to(s, name, &k, sizeof(k), SOCK_NONBLOCK);
}

void control_notify(const struct spool *s, const struct task_key *key, enum control_news news)
{
	struct control_notice n;

	memset(&n, 0, sizeof(n));
	n.magic = CONTROL_NOTICE_MAGIC;
	n.news = news;
	n.key = *key;
	/* Its queue is short: wait a moment for a launcher that is busy, not for one that hangs. */
	send_to(s, notify_name, &n, sizeof(n), 0);
}

int control_receive_kill(int fd, struct control_kill *ret_kill)
{
	struct control_kill k;
	ssize_t n;

	while ((n = recv(fd, &k, sizeof(k), MSG_TRUNC)) >= 0) {
		if (n != (ssize_t)sizeof(k) || k.magic != CONTROL_KILL_MAGIC)
			continue;
		*ret_kill = k;
		return 1;
	}
	return 0;
}

int control_receive_notice(int fd, struct control_notice *ret_notice)
{
	struct control_notice k;
	ssize_t n;

	while ((n = recv(fd, &k, sizeof(k), MSG_TRUNC)) >= 0) {
		if (n != (ssize_t)sizeof(k) || k.magic != CONTROL_NOTICE_MAGIC)
			continue;
		*ret_notice = k;
		return 1;
	}
	return 0;
}

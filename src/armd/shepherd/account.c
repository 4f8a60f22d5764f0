/*
 * Looks up a user in the machine's user database, in a child process (account.h). Input: a user
 * name. Output: uid, primary group and all groups; or a negative errno.
 *
 * The database may be a directory service that is slow or unavailable, so the child may block while
 * the shepherd polls the pipe. The child writes a head and then the groups. It closes all inherited
 * descriptors except the pipe: with the lock of the attempt's file open, a hanging child would be
 * taken for a live shepherd. The child dies with the shepherd (PDEATHSIG).
 */
#include "armd/shepherd/account.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 4096, ROOM_MAX = 1 << 20, GROUPS_FEW = 64, GROUPS_MAX = 65536 };

/* The first bytes that the child writes; the groups follow. */
struct head {
	int32_t code;
	uint32_t uid, gid, count;
};

/* ---- the child ---- */

static int find_groups(const char *user, struct account *a)
{
	int count = GROUPS_FEW;

	a->gids = xcalloc(GROUPS_FEW, sizeof(*a->gids));
	while (getgrouplist(user, a->gid, a->gids, &count) < 0) {
		if (count > GROUPS_MAX)
			return -E2BIG;
		a->gids = xreallocarray(a->gids, (size_t)count, sizeof(*a->gids));
	}
	a->gid_count = (size_t)count;
	return 0;
}

int account_find_here(const char *user, struct account *ret)
{
	for (size_t room = ROOM; room <= ROOM_MAX; room *= 4) {
		CLEANUP_FREE char *text = xmalloc(room);
		struct passwd pw, *found = NULL;
		int rc = getpwnam_r(user, &pw, text, room, &found);

		if (rc == ERANGE)
			continue;
		if (!found)
			return rc == 0 || rc == ENOENT || rc == ESRCH ? -ENOENT : -rc;
		ret->uid = found->pw_uid;
		ret->gid = found->pw_gid;
		return find_groups(user, ret);
	}
	return -ERANGE;
}

static bool write_all(int fd, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

enum { ANSWER_FD = 3, AGAIN_NS = 200000000 };

/* A child that hangs may outlive the shepherd. It must not hold the lock of the attempt's file. */
static void close_others(int *fd)
{
	if (*fd != ANSWER_FD && dup3(*fd, ANSWER_FD, O_CLOEXEC) < 0)
		_exit(1);
	*fd = ANSWER_FD;
	if (close_range(ANSWER_FD + 1, ~0U, 0) < 0)
		_exit(1);
}

/* Repeat a lookup that fails temporarily. The parent kills this process when it stops waiting. */
static int find_with_retry(const char *user, account_find *find, struct account *ret)
{
	const struct timespec pause = {.tv_nsec = AGAIN_NS};
	int rc;

	while ((rc = find(user, ret)) == -EAGAIN) {
		free(ret->gids);
		*ret = (struct account){0};
		nanosleep(&pause, NULL);
	}
	return rc > 0 ? -EIO : rc;
}

static _Noreturn void be_child(const char *user, account_find *find, int fd, pid_t parent)
{
	struct account a = {0};
	struct head h = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* the parent died before the prctl */
	signal(SIGPIPE, SIG_DFL);
	close_others(&fd);
	h.code = find_with_retry(user, find, &a);
	h.uid = a.uid;
	h.gid = a.gid;
	h.count = h.code == 0 ? (uint32_t)a.gid_count : 0;
	_exit(write_all(fd, &h, sizeof(h)) && write_all(fd, a.gids, h.count * sizeof(*a.gids)) ? 0
											       : 1);
}

/* ---- the caller ---- */

int account_begin(const char *user, account_find *find, struct account_lookup *ret, struct err *err)
{
	pid_t parent = getpid(), pid;
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "pipe");
	pid = fork();
	if (pid == 0)
		be_child(user, find ? find : account_find_here, fds[1], parent);
	rc = -errno;
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return err_sys(err, rc, "fork");
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*ret = (struct account_lookup){.pid = pid, .fd = fds[0]};
	return 0;
}

/* With WNOHANG, a child that hangs in the kernel is not waited for. */
static void lookup_done(struct account_lookup *lookup, int flags)
{
	waitpid(lookup->pid, NULL, flags);
	close_fd(&lookup->fd);
	free(lookup->bytes);
	*lookup = (struct account_lookup){.fd = -1};
}

static int parse_answer(const struct account_lookup *lookup, struct arena *arena,
			struct account *ret)
{
	struct head h;

	if (lookup->len < sizeof(h))
		return -EIO; /* it died */
	memcpy(&h, lookup->bytes, sizeof(h));
	if (h.code < 0)
		return h.code;
	if (lookup->len != sizeof(h) + h.count * sizeof(*ret->gids))
		return -EIO;
	ret->uid = h.uid;
	ret->gid = h.gid;
	ret->gid_count = h.count;
	ret->gids = arena_memdup(arena, lookup->bytes + sizeof(h), h.count * sizeof(*ret->gids));
	return 0;
}

int account_end(struct account_lookup *lookup, struct arena *arena, struct account *ret)
{
	enum {
		ANSWER_MAX = sizeof(struct head) + (GROUPS_MAX + 1) * sizeof(uint32_t),
		STEP = 4096
	};
	ssize_t n;
	int rc;

	do {
		GROW(lookup->bytes, lookup->cap, lookup->len + STEP);
		n = read(lookup->fd, lookup->bytes + lookup->len, STEP);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return ACCOUNT_PENDING;
		lookup->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && lookup->len < ANSWER_MAX);
	rc = parse_answer(lookup, arena, ret);
	lookup_done(lookup, 0);
	return rc;
}

void account_stop(struct account_lookup *lookup)
{
	if (lookup->fd < 0)
		return;
	kill(lookup->pid, SIGKILL); /* a child, not yet reaped */
	lookup_done(lookup, WNOHANG);
}

bool account_has(const struct account *a, uint32_t gid)
{
	for (size_t i = 0; i < a->gid_count; i++)
		if (a->gids[i] == gid)
			return true;
	return false;
}

size_t account_keep(const struct account *a, uint32_t *gids, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (account_has(a, gids[i]))
			gids[kept++] = gids[i];
	return kept;
}

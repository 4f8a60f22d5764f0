/*
 * armd --shutdown (shutdown.h): sends a kill order to every shepherd of a spool, ten times a
 * second, until none is left. Input: the path of the spool. Output: 0, or an error. Shepherds are
 * found by their sockets. A running armd is notified each time, and starts no more tasks.
 */
#include "armd/shutdown.h"

#include "armd/spool/attempt_name.h"
#include "armd/shepherd/control.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/plural.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 100000000, QUIET_LOOKS = 3, SAY_LOOKS = 100 };

/* Open the spool to list it and to send orders. The running armd keeps its lock. */
static int open_spool(struct spool *s, const char *path, struct err *err)
{
	s->path = (char *)(uintptr_t)path;
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return err_sys(err, -errno, "cannot open the spool %s", path);
	s->tasks = openat(s->dir, "tasks", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return s->tasks < 0 ? err_sys(err, -errno, "cannot open %s/tasks", path) : 0;
}

/* Parses the key in the name of a shepherd's socket. */
static bool parse_socket(const char *name, struct task_key *ret_key)
{
	static const char suffix[] = ".ctl";
	size_t len = strlen(name), cut = sizeof(suffix) - 1;
	char stem[ATTEMPT_NAME];

	if (len <= cut || len - cut >= sizeof(stem) || strcmp(name + len - cut, suffix) != 0)
		return false;
	memcpy(stem, name, len - cut);
	stem[len - cut] = '\0';
	return attempt_parse_name(stem, ret_key);
}

/* Sends a kill order to every shepherd; returns how many live. Repeated orders change nothing. */
static int send_kill_all(const struct spool *s, size_t *ret_left, struct err *err)
{
	const struct control_order end = {
		.kind = CONTROL_KILL, .cause = ARMADA__END_CAUSE__END_SHUTDOWN, .grace_ms = -1};
	int fd = openat(s->tasks, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_DIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *de;
	struct task_key key;

	if (!dir) {
		int rc = -errno;

		close_fd(&fd);
		return err_sys(err, rc, "cannot list %s/tasks", s->path);
	}
	*ret_left = 0;
	while ((de = readdir(dir))) {
		int rc = parse_socket(de->d_name, &key) ? control_send(s, &key, &end, -1) : -ENOENT;

		*ret_left += rc != -ENOENT && rc != -ECONNREFUSED;
	}
	return 0;
}

static int end_all(const struct spool *s, struct err *err)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	static const struct task_key nobody;
	size_t left = 0, looks = 0, quiet = 0;
	int rc;

	/*
	 * No shepherd must be found several times in a row: armd may have been starting one when it
	 * was notified.
	 */
	while (quiet < QUIET_LOOKS) {
		control_notify(s, &nobody, CONTROL_SHUTDOWN);
		rc = send_kill_all(s, &left, err);
		if (rc < 0)
			return rc;
		if (left && looks++ % SAY_LOOKS == 0)
			log_notice("waiting for %zu task%s to end", left, plural(left, "", "s"));
		quiet = left ? 0 : quiet + 1;
		nanosleep(&pause, NULL);
	}
	log_notice("all tasks have ended");
	return 0;
}

int shutdown_run(const char *spool_path, struct err *err)
{
	struct spool s = {.dir = -1, .tasks = -1};
	int rc = open_spool(&s, spool_path, err);

	if (rc == 0)
		rc = end_all(&s, err);
	close_fd(&s.tasks);
	close_fd(&s.dir);
	return rc == -ENOENT ? 0 : rc;
}

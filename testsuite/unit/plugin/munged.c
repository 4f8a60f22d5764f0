#include "unit/plugin/munged.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program(void)
{
	return access("/usr/sbin/munged", X_OK) == 0 ? "/usr/sbin/munged" : NULL;
}

/* A random key of 32 bytes. */
static bool key_make(const struct munged *m)
{
	char path[96], key[32];
	int fd, from = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool good;

	snprintf(path, sizeof(path), "%s/key", m->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	good = from >= 0 && fd >= 0 && read(from, key, sizeof(key)) == sizeof(key) &&
	       write(fd, key, sizeof(key)) == sizeof(key);
	close(from);
	close(fd);
	return good;
}

static void run(const struct munged *m)
{
	char args[6][128];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	snprintf(args[0], sizeof(args[0]), "--key-file=%s/key", m->dir);
	snprintf(args[1], sizeof(args[1]), "--socket=%s", m->socket);
	snprintf(args[2], sizeof(args[2]), "--pid-file=%s/pid", m->dir);
	snprintf(args[3], sizeof(args[3]), "--log-file=%s/log", m->dir);
	snprintf(args[4], sizeof(args[4]), "--seed-file=%s/seed", m->dir);
	dup2(null, 1);
	dup2(null, 2);
	execl(program(), "munged", "--foreground", args[0], args[1], args[2], args[3], args[4],
	      (char *)NULL);
	_exit(127);
}

bool munged_start(struct munged *m)
{
	*m = (struct munged){.pid = -1};
	strcpy(m->dir, "/tmp/armada-munge-XXXXXX");
	if (!program() || !mkdtemp(m->dir))
		return false;
	chmod(m->dir, 0755);
	snprintf(m->socket, sizeof(m->socket), "%s/s", m->dir);
	if (!key_make(m))
		return false;
	m->pid = fork();
	if (m->pid == 0)
		run(m);
	for (int i = 0; i < 500; i++) {
		if (access(m->socket, F_OK) == 0)
			return true;
		if (waitpid(m->pid, NULL, WNOHANG) == m->pid)
			break;
		poll(NULL, 0, 10);
	}
	m->pid = -1;
	return false;
}

void munged_stop(struct munged *m)
{
	static const char *const files[] = {"key", "s", "s.lock", "pid", "log", "seed"};
	char path[96];

	if (m->pid > 0) {
		kill(m->pid, SIGTERM);
		waitpid(m->pid, NULL, 0);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", m->dir, files[i]);
		unlink(path);
	}
	rmdir(m->dir);
}

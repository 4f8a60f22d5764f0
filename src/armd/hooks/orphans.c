#include "armd/hooks/orphans.h"

#include "util/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PASSES = 20, PAUSE_NS = 5000000 };

static pid_t parent_of(int proc, pid_t pid)
{
	char path[32], text[512], *p;
	CLEANUP_CLOSE int fd = -1;
	ssize_t n;
	int parent;

	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	p = strrchr(text, ')');
	return p && sscanf(p + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

static bool is_known(const pid_t *known, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (known[i] == pid)
			return true;
	return false;
}

/* The pid of a child is not reused before it is reaped, so it can be signalled by number. */
static size_t kill_once(const pid_t *known, size_t count)
{
	CLEANUP_DIR DIR *dir = opendir("/proc");
	struct dirent *de;
	size_t left = 0;

	while (dir && (de = readdir(dir))) {
		pid_t pid = atoi(de->d_name);

		if (pid <= 0 || parent_of(dirfd(dir), pid) != getpid() ||
		    is_known(known, count, pid))
			continue;
		kill(pid, SIGKILL);
		if (waitpid(pid, NULL, WNOHANG) != pid)
			left++;
	}
	return left;
}

size_t orphans_kill(const pid_t *known, size_t count)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	size_t left = kill_once(known, count);

	for (int pass = 0; left > 0 && pass < PASSES; pass++) {
		nanosleep(&pause, NULL);
		left = kill_once(known, count);
	}
	return left;
}

/*
 * swaps DIR NAME FILE COUNT: replaces a name in a user's directory while a daemon opens it. In a fast
 * loop the name is a file, a link to FILE, another name of FILE (where the kernel permits it), a FIFO, a
 * directory and absent, COUNT times in all; 0: until SIGTERM. Prints the number of changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void end(int sig)
{
	(void)sig;
	told = 1;
}

enum kind { A_FILE, A_LINK, A_NAME, A_FIFO, A_DIRECTORY, NOTHING, KINDS };

static const char new_name[] = ".new", fifo_name[] = ".fifo";

static int make(enum kind kind, const char *target)
{
	int fd;

	switch (kind) {
	case A_FILE:
		fd = open(new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		return fd < 0 ? -1 : close(fd);
	case A_LINK:
		return symlink(target, new_name);
	case A_NAME:
		return link(target, new_name);
	case A_FIFO:
		return link(fifo_name, new_name);
	default:
		errno = EINVAL;
		return -1;
	}
}

static void swap(const char *name, enum kind kind, const char *target)
{
	if (kind == A_DIRECTORY || kind == NOTHING) {
		unlink(name);
		if (kind == A_DIRECTORY && mkdir(name, 0755) == 0)
			rmdir(name);
		return;
	}
	unlink(new_name);
	if (make(kind, target) == 0)
		rename(new_name, name);
}

int main(int argc, char **argv)
{
	struct sigaction on_term = {.sa_handler = end};
	unsigned long count, done = 0;

	if (argc != 5 || chdir(argv[1]) < 0) {
		fprintf(stderr, "usage: swaps DIR NAME FILE COUNT\n");
		return 2;
	}
	count = strtoul(argv[4], NULL, 10);
	sigaction(SIGTERM, &on_term, NULL);
	unlink(fifo_name);
	/* held open, or an open of it would block forever */
	if (mkfifo(fifo_name, 0644) < 0 || open(fifo_name, O_RDWR | O_NONBLOCK | O_CLOEXEC) < 0) {
		perror(fifo_name);
		return 1;
	}
	while (!told && (count == 0 || done < count))
		swap(argv[2], (enum kind)(done++ % KINDS), argv[3]);
	printf("%lu\n", done);
	return 0;
}

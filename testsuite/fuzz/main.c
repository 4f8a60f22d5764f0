/*
 * Runs a fuzz target with its corpus: testsuite/fuzz/corpus/NAME for the program NAME, or the given
 * files and folders. A target that finds a fault aborts, which fails the test. Each input is also
 * cut at several places, so that a small corpus gives many inputs.
 *
 * With clang -fsanitize=fuzzer and without this file, the same targets search for new inputs.
 */
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 16 };

/* An allocation of exactly this size, so that a sanitizer sees reads beyond it. */
static void run(const uint8_t *data, size_t size)
{
	CLEANUP_FREE uint8_t *copy = xmemdup(data, size);

	LLVMFuzzerTestOneInput(copy, size);
}

static void replay_file(const char *path)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP_BUF struct buf b = {0};
	ssize_t n;

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	while ((n = read(fd, buf_reserve(&b, 65536), 65536)) > 0)
		b.len += (size_t)n;
	for (size_t i = 0; i < CUTS; i++)
		run(b.data, b.len * i / CUTS);
	run(b.data, b.len);
	ok(n == 0, "%s", path);
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void replay(const char *path)
{
	struct dirent **entries;
	struct stat st;
	int count;

	if (stat(path, &st) < 0)
		bail("%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path);
		return;
	}
	count = scandir(path, &entries, visible, alphasort);
	if (count < 0)
		bail("%s: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		CLEANUP_FREE char *inner = xasprintf("%s/%s", path, entries[i]->d_name);

		replay(inner);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	const char *src = getenv("ARMADA_SRCDIR"), *name = program_invocation_short_name;
	CLEANUP_FREE char *corpus = NULL;

	if (strncmp(name, "lt-", 3) == 0)
		name += 3;
	corpus = xasprintf("%s/testsuite/fuzz/corpus/%s", src ? src : ".", name);
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1)
		replay(corpus);
	return done();
}

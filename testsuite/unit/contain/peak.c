/* The peak memory of a task from samples, the group's own peak, and the largest ended process. */
#include "contain/peak.h"

#include "tap/tap.h"

#include <fcntl.h>
#include <unistd.h>

static struct peak samples(const struct peak_sample *s, int count)
{
	struct peak p = {0};

	for (int i = 0; i < count; i++)
		peak_add(&p, &s[i]);
	return p;
}
#define SAMPLES(...)                                                                               \
	samples((const struct peak_sample[]){__VA_ARGS__},                                         \
		sizeof((const struct peak_sample[]){__VA_ARGS__}) / sizeof(struct peak_sample))

static void test_group(void)
{
	struct peak p = SAMPLES({.processes = 10, .group = 12}, {.processes = 8, .group = 20});

	is_int(peak_of(&p, 100, false), 20, "the group grew between two samples without files");
	is_int(peak_of(&p, 15, false), 15, "the largest process had less");
	is_int(peak_of(&p, 3, false), 10, "the largest process is smaller than a sample");

	p = SAMPLES({.processes = 5, .files = 1, .group = 6},
		    {.processes = 5, .files = 500, .group = 505});
	is_int(peak_of(&p, 1000, false), 5, "the group grew by files");
	p = SAMPLES({.processes = 5, .files = 500, .group = 505},
		    {.processes = 5, .files = 0, .group = 800});
	is_int(peak_of(&p, 1000, false), 300, "files of the earlier sample may have been there");
	p = SAMPLES({.processes = 5, .group = 300}, {.processes = 5, .files = 500, .group = 505});
	is_int(peak_of(&p, 1000, false), 300, "files that came later take nothing away");
	p = SAMPLES({.processes = 5, .group = 500}, {.processes = 1, .group = 500});
	is_int(peak_of(&p, 7, false), 7, "a file that was written and removed between two samples");
}

static void test_oom(void)
{
	struct peak p =
		SAMPLES({.processes = 10, .files = 40, .group = 60}, {.files = 2, .group = 100});

	is_int(peak_of(&p, 30, true), 98, "killed for memory: several processes filled the group");
	is_int(peak_of(&p, 30, false), 30, "not killed: the largest process is the bound");
}

static void test_old_kernel(void)
{
	struct peak p = SAMPLES({.processes = 10, .mapped = 4, .group = -1, .now = 60},
				{.processes = 9, .mapped = 1, .group = -1, .now = 50});

	is_int(p.group, 60, "without the group's own peak the largest sample counts");
	is_int(peak_of(&p, 30, false), 26, "the largest process, without mapped files");
	is_int(peak_of(&p, 5, false), 10, "the largest sample");
}

static void test_read(void)
{
	static const char text[] = "anon_thp 1\nanon 4096\nfile 77\n";
	static const char *const words[] = {"anon", "shmem", "file"};
	int dir = open(".", O_RDONLY | O_DIRECTORY), fd;
	const char *name = "peak-unit.stat";
	int64_t n[3] = {9, 9, 9};

	fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ok(write(fd, text, sizeof(text) - 1) == sizeof(text) - 1, "a file like memory.stat");
	close(fd);
	ok(peak_read(dir, name, words, n, 3), "it is read");
	is_int(n[0], 4096, "whole words count");
	is_int(n[1], 0, "a missing word is 0");
	is_int(n[2], 77, "the last line");
	unlinkat(dir, name, 0);
	ok(!peak_read(dir, name, words, n, 3), "a missing file is an error");
	is_int(n[0], 0, "and everything is 0");
	close(dir);
}

int main(void)
{
	test_group();
	test_oom();
	test_old_kernel();
	test_read();
	return done();
}

/*
 * arun-hydra.so: makes the daemon of MPICH and Intel MPI (hydra_pmi_proxy) start each rank with
 * arun-rank.
 *
 * arun-rank --hydra preloads this file into the daemon. In the daemon alone, execvp() of a program
 * that is not Hydra's own runs "arun-rank --file=FILE PROGRAM...". FILE is the variable
 * ARMADA_RANK_FILE as it was when the daemon began: the environment of a rank is that of mpirun, which
 * runs on another node. The rank itself does not get this file preloaded. If arun-rank cannot be run,
 * the rank runs as without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int execvp_fn(const char *file, char *const argv[]);

static char self[4096], program[4096], option[4096 + 8];

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int is_hydra(const char *path)
{
	return strncmp(base_name(path), "hydra_", 6) == 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *file = getenv("ARMADA_RANK_FILE");
	Dl_info info;

	if (!file || !is_hydra(program_invocation_name) ||
	    dladdr((void *)(size_t)&begin, &info) == 0 || !info.dli_fname)
		return;
	snprintf(self, sizeof(self), "%s", info.dli_fname);
	if ((size_t)snprintf(option, sizeof(option), "--file=%s", file) < sizeof(option))
		snprintf(program, sizeof(program), "%.*s/arun-rank",
			 (int)(base_name(self) - self > 1 ? base_name(self) - self - 1 : 0), self);
}

/* The list of preloaded files without this one. */
static void drop_preload(void)
{
	const char *list = getenv("LD_PRELOAD");
	char rest[16384];
	size_t len = 0;

	if (!list)
		return;
	while (*list) {
		size_t n = strcspn(list, ": ");

		if (n > 0 && !(n == strlen(self) && strncmp(list, self, n) == 0) &&
		    len + n + 1 < sizeof(rest)) {
			if (len > 0)
				rest[len++] = ':';
			memcpy(rest + len, list, n);
			len += n;
		}
		list += n;
		list += strspn(list, ": ");
	}
	rest[len] = '\0';
	if (len > 0)
		setenv("LD_PRELOAD", rest, 1);
	else
		unsetenv("LD_PRELOAD");
}

__attribute__((visibility("default"))) int execvp(const char *file, char *const argv[])
{
	execvp_fn *next = (execvp_fn *)(size_t)dlsym(RTLD_NEXT, "execvp");
	size_t count = 0;
	char **list;

	if (!program[0] || is_hydra(file))
		return next(file, argv);
	drop_preload();
	while (argv[count])
		count++;
	list = calloc(count + 3, sizeof(*list));
	if (list) {
		list[0] = program;
		list[1] = option;
		memcpy(list + 2, argv, count * sizeof(*list));
		list[2] = (char *)(size_t)file;
		next(program, list);
		free(list);
	}
	return next(file, argv);
}

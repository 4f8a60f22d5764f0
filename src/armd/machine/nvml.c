/*
 * Asks Nvidia's library of management for the models of gpus (nvml.h). Input: libnvidia-ml.so.1, if the
 * loader finds it. Output: the models in the gpus of a machine, found by the minor numbers of their devices.
 *
 * The child writes a struct for each gpu into a pipe. A write of less than PIPE_BUF is whole or not there.
 */
#include "armd/machine/nvml.h"

#include "util/clock.h"
#include "util/mem.h"
#include "util/names.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct answer {
	unsigned minor;
	char model[MACHINE_MODEL];
};
_Static_assert(sizeof(struct answer) <= PIPE_BUF, "answers are written whole");

/* The functions of nvml.h of Nvidia; 0 is success. */
struct nvml {
	int (*init)(void);
	int (*count)(unsigned *count);
	int (*handle)(unsigned index, void **device);
	int (*name)(void *device, char *name, unsigned length);
	int (*minor)(void *device, unsigned *minor);
};

static bool load(struct nvml *ret)
{
	static const char *const names[] = {"nvmlInit_v2", "nvmlDeviceGetCount_v2",
					    "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetName",
					    "nvmlDeviceGetMinorNumber"};
	void *found[ARRAY_SIZE(names)], *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);

	_Static_assert(sizeof(found) == sizeof(*ret), "one pointer for each name");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		found[i] = library ? dlsym(library, names[i]) : NULL;
		if (!found[i])
			return false;
	}
	memcpy(ret, found, sizeof(found));
	return true;
}

static _Noreturn void child(int out)
{
	struct nvml n;
	unsigned count = 0;

	alarm(NVML_TIMEOUT_MS / 1000);
	if (!load(&n) || n.init() || n.count(&count))
		_exit(1);
	for (unsigned i = 0; i < count && i < PLACE_GPUS; i++) {
		struct answer a = {0};
		void *device;

		if (n.handle(i, &device) || n.minor(device, &a.minor) ||
		    n.name(device, a.model, sizeof(a.model) - 1))
			continue;
		if (write(out, &a, sizeof(a)) != sizeof(a))
			_exit(1);
	}
	_exit(0);
}

static void take(struct machine *m, const struct answer *a)
{
	char path[sizeof(m->gpus->path)];

	snprintf(path, sizeof(path), "/dev/nvidia%u", a->minor);
	for (size_t i = 0; i < m->gpu_count; i++)
		if (strcmp(m->gpus[i].path, path) == 0)
			snprintf(m->gpus[i].model, sizeof(m->gpus[i].model), "%.*s",
				 (int)sizeof(a->model) - 1, a->model);
}

/* Reads answers until the child has ended or the time is over. */
static void read_answers(struct machine *m, int in)
{
	int64_t end_us = clock_us(CLOCK_MONOTONIC) + INT64_C(1000) * NVML_TIMEOUT_MS;

	for (;;) {
		struct pollfd p = {.fd = in, .events = POLLIN};
		int64_t left_us = end_us - clock_us(CLOCK_MONOTONIC);
		struct answer a;

		if (left_us <= 0)
			return;
		if (poll(&p, 1, (int)(left_us / 1000 + 1)) < 0 && errno != EINTR)
			return;
		if (p.revents && read(in, &a, sizeof(a)) != sizeof(a))
			return;
		if (p.revents)
			take(m, &a);
	}
}

void nvml_read_models(struct machine *m)
{
	bool nvidia = false;
	int ends[2];
	pid_t pid;

	for (size_t i = 0; i < m->gpu_count; i++)
		nvidia |= strncmp(m->gpus[i].path, "/dev/nvidia", 11) == 0;
	if (!nvidia || pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0)
		child(ends[1]);
	close(ends[1]);
	if (pid > 0) {
		read_answers(m, ends[0]);
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
}

/* The next word of a model, in lower case, up to a space or a dash. */
static const char *next_word(const char *p, char *ret, size_t size)
{
	size_t n = 0;

	p += strspn(p, " -");
	for (; *p && *p != ' ' && *p != '-'; p++)
		if (isalnum((unsigned char)*p) && n + 1 < size)
			ret[n++] = (char)tolower((unsigned char)*p);
	ret[n] = '\0';
	return p;
}

void gpu_type_of(const char *model, char ret_type[MACHINE_MODEL])
{
	static const char *const makers[] = {"nvidia", "geforce", "tesla", "quadro", "titan"};
	static const char *const more[] = {"ti", "super"};
	char word[MACHINE_MODEL], *type = ret_type;
	const char *p = model;

	ret_type[0] = '\0';
	do
		p = next_word(p, word, sizeof(word));
	while (names_have(makers, ARRAY_SIZE(makers), word) && *p);
	if (names_have(makers, ARRAY_SIZE(makers), word))
		return;
	type += snprintf(type, MACHINE_MODEL, "%s", word);
	/* a name without a digit, such as RTX, belongs to the number after it */
	if (*word && !strpbrk(word, "0123456789") && *p) {
		p = next_word(p, word, sizeof(word));
		if (strpbrk(word, "0123456789"))
			type += snprintf(type, MACHINE_MODEL - (size_t)(type - ret_type), "%s",
					 word);
	}
	next_word(p, word, sizeof(word));
	if (names_have(more, ARRAY_SIZE(more), word))
		snprintf(type, MACHINE_MODEL - (size_t)(type - ret_type), "%s", word);
}

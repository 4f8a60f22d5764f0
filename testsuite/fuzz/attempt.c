/*
 * Input: the file of an attempt in a spool, with any contents, which the launcher reads; and the
 * environment of a body, which a user chose. Neither may crash the reader.
 */
#include "armd/spool/attempt.h"
#include "armd/task/body.h"
#include "armd/task/task.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_file(const uint8_t *data, size_t size, struct arena *arena)
{
	static const struct spool spool = {.path = (char *)(uintptr_t) "spool", .boot_id = "boot"};
	struct attempt a = {.seq = 0};
	int fd = memfd_create("attempt", MFD_CLOEXEC);

	if (write(fd, data, size) == (ssize_t)size)
		attempt_read(&spool, fd, arena, &a, NULL);
	close(fd);
}

static void read_environment(const uint8_t *data, size_t size, struct arena *arena)
{
	Armada__TaskBody body = ARMADA__TASK_BODY__INIT;
	char *task_env[] = {(char[]){"ARMADA_JOB_ID=1"}};
	size_t count = 0;
	char **envp;

	body.env.data = (uint8_t *)(uintptr_t)data;
	body.env.len = size;
	body.task_env = task_env;
	body.n_task_env = 1;
	for (envp = task_body_environment(&body, arena); *envp; envp++)
		count += strlen(*envp);
	(void)count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new(0);

	read_file(data, size, arena);
	read_environment(data, size, arena);
	arena_free(arena);
	return 0;
}

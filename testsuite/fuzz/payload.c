/*
 * Input: the payload of an io stub. An accepted payload must have a command, a valid rank, and
 * terminated strings.
 */
#include "stub/payload.h"

#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char rank[] = "ARMADA_TASK_RANK=1", count[] = "ARMADA_TASK_COUNT=2",
		    attempt[] = "ARMADA_ATTEMPT=1", gpus[] = "CUDA_VISIBLE_DEVICES=0";
	static char *const env[] = {rank, count, attempt, gpus, NULL};
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct err err = {{0}};
	struct payload p;
	size_t len = 0;

	if (payload_read(data, size, env, arena, &p, &err) < 0) {
		if (!err.text[0])
			abort();
		return 0;
	}
	if (!p.argv[0] || p.hello.rank >= p.hello.tasks || p.grace_ms <= 0)
		abort();
	for (size_t i = 0; p.envp[i]; i++)
		len += strlen(p.envp[i]);
	for (size_t i = 0; p.argv[i]; i++)
		len += strlen(p.argv[i]);
	return len > 2 * size + 4096 ? abort(), 0 : 0;
}

/*
 * Input: a value of --dependency. An accepted list must be bounded, and must have one kind of
 * separator.
 */
#include "client/spec/dependency.h"
#include "util/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_BUF struct buf b = {0};
	Armada__Dependency **list;
	struct err err;
	size_t count;
	bool any;

	buf_add(&b, data, size);
	if (dependency_parse((char *)b.data, arena, &list, &count, &any, NULL, &err) < 0)
		return 0;
	if (count > DEPENDENCIES_MAX || (any && strchr((char *)b.data, ',')))
		abort();
	for (size_t i = 0; i < count; i++) {
		bool alone = list[i]->type == ARMADA__DEPENDENCY_TYPE__DEPENDENCY_SINGLETON;

		if (alone != !list[i]->job || list[i]->delay_s < 0)
			abort();
	}
	return 0;
}

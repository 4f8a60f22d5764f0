/* Input: a list of resource limits. An accepted list must have known limits only. */
#include "util/rlimits.h"

#include "util/buf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0}, again = {0};
	uint32_t set, reread;
	struct err err;

	buf_add(&b, data, size);
	if (rlimit_parse((char *)b.data, &set, &err) < 0)
		return 0;
	buf_addstr(&again, "NONE");
	for (int i = 0; i < RLIMIT_NAMES; i++)
		if (set >> i & 1)
			buf_addf(&again, ",%s", rlimit_names[i].name);
	if (set >> RLIMIT_NAMES || rlimit_parse((char *)again.data, &reread, &err) < 0 ||
	    reread != set)
		abort();
	return 0;
}

/*
 * Input: an array expression. Accepted ranges must be in order, within bounds, and have no index
 * twice.
 */
#include "util/buf.h"
#include "util/indexlist.h"

#include <stdint.h>
#include <stdlib.h>

enum { INDICES_MAX = 100000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	struct index_range *r;
	uint32_t throttle;
	uint64_t total = 0;
	size_t count;
	struct err err;

	buf_add(&b, data, size);
	if (indexlist_parse((char *)b.data, INDICES_MAX, &r, &count, &throttle, &err) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!r[i].step || r[i].first > r[i].last || (r[i].last - r[i].first) % r[i].step)
			abort();
		if (i && r[i].first <= r[i - 1].first)
			abort();
		total += (r[i].last - r[i].first) / r[i].step + 1;
	}
	if (!total || total > INDICES_MAX)
		abort();
	free(r);
	return 0;
}

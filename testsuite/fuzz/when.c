/*
 * Input: a value of --begin. An accepted value must be a time within the range, for any present
 * time.
 */
#include "client/spec/time_parse.h"
#include "util/buf.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t nows[] = {0, INT64_C(1700000000000000), INT64_C(4102444800000000)};
	CLEANUP_BUF struct buf b = {0};
	struct err err;

	buf_add(&b, data, size);
	for (size_t i = 0; i < sizeof(nows) / sizeof(*nows); i++) {
		int64_t us;

		if (time_parse((char *)b.data, nows[i], &us, &err) < 0)
			continue;
		/* the year 2999 and a time zone, or a hundred years from now */
		if (us < -INT64_C(86400000000) || us > INT64_C(32503766400000000))
			abort();
	}
	return 0;
}

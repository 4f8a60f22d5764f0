/* Input: an absolute limit. An accepted value, printed and parsed again, must be the same. */
#include "conf/quota.h"
#include "util/buf.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	struct err err;

	buf_add(&b, data, size);
	for (size_t i = 0; i < QUOTA_ROWS; i++) {
		int64_t value, again;
		char text[40];

		if (quota_parse(&quota_rows[i], b.data ? (char *)b.data : "", &value, &err) < 0)
			continue;
		quota_print(&quota_rows[i], value, text, sizeof(text));
		if (quota_parse(&quota_rows[i], text, &again, &err) < 0 || again != value)
			abort();
	}
	return 0;
}

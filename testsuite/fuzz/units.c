/*
 * Input: a size, cpus or a time. An accepted value must not be negative, and its printed text must
 * be accepted.
 */
#include "util/buf.h"
#include "util/units.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reread(int (*parse)(const char *, int64_t *, struct err *),
		   void (*format)(int64_t, char *, size_t), int64_t value, int64_t tolerance)
{
	char text[64];
	int64_t again;

	format(value, text, sizeof(text));
	if (parse(text, &again, NULL) < 0 || llabs(again - value) > tolerance)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	struct err err;
	int64_t v;

	buf_add(&b, data, size);
	if (parse_size((char *)b.data, &v, &err) == 0) {
		if (v < 0)
			abort();
		/* the printed text is rounded up, so that of the largest sizes is out of range */
		if (v < INT64_MAX / 2)
			reread(parse_size, format_size, v, v / 8);
	}
	if (parse_cpu((char *)b.data, &v, &err) == 0)
		reread(parse_cpu, format_cpu, v, 0);
	if (parse_time_limit((char *)b.data, &v, &err) == 0)
		reread(parse_time_limit, format_duration, v, 999999);
	if (parse_duration((char *)b.data, &v, &err) == 0 && v < 0)
		abort();
	if (parse_int((char *)b.data, -100, 100, &v, &err) == 0 && (v < -100 || v > 100))
		abort();
	return 0;
}

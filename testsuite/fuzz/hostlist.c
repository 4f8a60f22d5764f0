/*
 * Input: a host list. An accepted list must be bounded; its names, compressed and expanded again,
 * must be the same.
 */
#include "util/hostlist.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(char **names, size_t count)
{
	CLEANUP_BUF struct buf once = {0}, twice = {0};
	char **again;
	size_t n;

	hostlist_compress((const char *const *)names, count, &once);
	if (hostlist_expand((char *)once.data, NAMES_MAX, &again, &n, NULL) < 0 || n > count)
		abort();
	hostlist_compress((const char *const *)again, n, &twice);
	if (once.len != twice.len || memcmp(once.data, twice.data, once.len) != 0)
		abort();
	hostlist_free(again, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf b = {0};
	struct err err;
	char **names;
	size_t count;

	buf_add(&b, data, size);
	if (hostlist_expand((char *)b.data, NAMES_MAX, &names, &count, &err) < 0)
		return 0;
	if (!count || count > NAMES_MAX)
		abort();
	check(names, count);
	hostlist_free(names, count);
	return 0;
}
